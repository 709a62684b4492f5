"""Texts come back as they went in, however long or odd they are."""

import json

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.model import SymbolRef

NS = "agent:me"
TEXTS = {
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 family \U0001f9d1\U0001f3fd‍\U0001f680",
    "combining": "e\u0301 is not é, and \u1e9b\u0323 is neither",
    "right to left": "שלום \u202eworld\u202c مرحبا",
    "zero width": "a\u200bb\u200cc\ufeffd",
    "controls": "bell \x07 escape \x1b[31m vertical \x0b form \x0c unit \x1f del \x7f",
    "lines": "one\r\ntwo\rthree\u2028four\u2029five\x85six\n\n\n",
    "private": "\ue000\uf8ff\U000f0000\U0010fffd",
    "not a character": "\ufffe\uffff\U0001ffff",
    "turkish": "İstanbul ılık ISPARTA ſ ß ẞ Ǆ ﬁ",
    "ancient": "𒀀𒁀 𓀀𓂀 𠀀𠮷",
    "sql": "'); DROP TABLE memories; -- %s %(name)s $1 :x ?",
    "braces": "{} {0} {{ }} %% \\u0000 \\x00 \\",
    "spaces": "  \t leading and trailing \u00a0\u3000 ",
}


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize("name", TEXTS)
def test_odd_texts(ghost: Ghost, name: str) -> None:
    """As a content, a tag's neighbour and in meta, to the last sign; and its export is whole."""
    text = TEXTS[name]
    ghost.put(NS, name.replace(" ", "-"), text, meta={"text": text, text: 1})
    found = ghost.get(NS, name.replace(" ", "-"))
    assert (found.content, dict(found.meta)) == (text, {"text": text, text: 1})
    assert ghost.history(NS, found.key)[0].content == text
    assert len(list(ghost.export())) == 2 + 1


def test_a_text_of_a_megabyte(ghost: Ghost) -> None:
    """It is cut into chunks, all of which are searched."""
    words = " ".join(f"word{number} harbour." for number in range(40_000))
    ghost.put(NS, "long", f"{words} The needle is violet.")
    assert ghost.get(NS, "long").content.endswith("The needle is violet.")
    assert len(ghost.chunks(NS, "long")) > 100
    assert [hit.key for hit in ghost.search("violet needle", NS)] == ["long"]


def test_a_word_of_fifty_thousand_letters(ghost: Ghost) -> None:
    """No index refuses it."""
    ghost.put(NS, "word", "x" * 50_000 + " lighthouse")
    ghost.put(NS, "digits", "1234567890" * 3_000)
    assert [hit.key for hit in ghost.search("lighthouse", NS)] == ["word"]


def test_long_keys_paths_and_names(ghost: Ghost) -> None:
    """What is longer than a page of an index is stored, found and told apart by its last letter."""
    key, path = "k" * 250, "/".join(["folder" * 10] * 60)
    ghost.put(
        NS,
        key,
        "One.",
        files=[path + "a", path + "b"],
        source_scope="s" * 400,
        source_user="u" * 200,
        tags=["t" * 60],
    )
    ghost.put(NS, key[:-1], "Two.", symbols=[SymbolRef("name" * 200, "python", path, "/root", "0")])
    assert ghost.get(NS, key).content == "One."
    assert [memory.content for memory in ghost.files(path + "a")] == ["One."]
    assert ghost.files(path) == []
    assert [memory.content for memory in ghost.list(NS, source_scope="s" * 400)] == ["One."]
    assert ghost.get(NS, key[:-1]).symbols[0].name == "name" * 200


def test_many_versions_stay_in_order(ghost: Ghost) -> None:
    """Past nine and ninety-nine."""
    for number in range(1, 121):
        ghost.put(NS, "often", f"Wording {number}.")
    assert [memory.version for memory in ghost.history(NS, "often")] == list(range(1, 121))
    assert ghost.get(NS, "often").content == "Wording 120."


def test_keys_are_ordered_by_their_bytes(ghost: Ghost) -> None:
    """The same on every engine, whatever the server's language."""
    keys = ["Z", "a", "B", "_", "é", "z", "-", "10", "9", "ß", "日", "𠀀", "."]
    for key in keys:
        ghost.put(NS, key, f"Key {key}.")
    with ghost.store.engine.read() as tx:
        from ghostmem.model import NsFilter

        assert [memory.key for memory in tx.listing.rows(NsFilter())] == sorted(
            keys, key=lambda key: key.encode()
        )


@pytest.mark.parametrize(
    "key",
    [
        "a\u200bb",
        "a\u202eb",
        "a\U000e0041",
        "a\u200e",
        "\ufeffa",
        "a\x85b",
        "a\u3164",
        "\u200da",
        "1\u200d2",
    ],
)
def test_a_new_key_with_an_invisible_character_is_refused(ghost: Ghost, key: str) -> None:
    """It would look like another key; the error names the character, and nothing is stored."""
    with pytest.raises(InvalidInputError, match=r"invisible character U\+[0-9A-F]{4}"):
        ghost.put(NS, key, "text")
    assert ghost.list(NS) == []


@pytest.mark.parametrize(
    "key",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u2764\ufe0f\u200d\U0001f525",
        "na\xefve \u65e5\u672c",
    ],
)
def test_keys_of_scripts_and_emoji_with_joiners_are_accepted(ghost: Ghost, key: str) -> None:
    """Persian words and joined emoji need them."""
    assert ghost.put(NS, key, "text").key == key


def test_keys_compare_in_nfc(ghost: Ghost) -> None:
    """Both ways to write a letter name one memory, which is stored in NFC."""
    decomposed, composed = "cafe\u0301", "caf\xe9"
    assert ghost.put(NS, decomposed, "one").key == composed
    assert ghost.put(NS, composed, "two").version == 2
    assert ghost.put(NS, decomposed, "three").version == 3
    assert ghost.get(NS, decomposed).content == "three"
    assert ghost.get(NS, decomposed, version=1).content == "one"
    assert len(ghost.history(NS, decomposed)) == 3
    ghost.rm(NS, decomposed)
    assert ghost.list(NS) == []


@pytest.mark.parametrize("key", ["cafe\u0301", "a\u200bb"])
def test_stored_keys_of_any_form_can_be_read_and_removed(ghost: Ghost, key: str) -> None:
    """Older versions of Ghost stored such keys; an export has them too."""
    line = {"type": "memory", "id": "01J00000000000000000000000", "ns": NS, "key": key}
    line |= {"content": "text", "created_at": "2026-01-01T00:00:00Z"}
    ghost.import_([json.dumps({"type": "ghost", "format": 1}), json.dumps(line)])
    assert [memory.key for memory in ghost.list(NS)] == [key]
    assert ghost.get(NS, key).content == "text"
    ghost.rm(NS, key)
    assert ghost.list(NS) == []
