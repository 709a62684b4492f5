"""Broken, odd and hostile sources: each is refused with its place, or read without harm."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ghostmem import GhostError, InvalidInputError, NotFoundError
from ghostmem.transfer.formats import base
from ghostmem.transfer.formats.choose import READERS, read, recognise
from growth import check_growth, repeated

ENTITY = {"type": "entity", "name": "a", "entityType": "t", "observations": ["x"]}
RELATION = {"type": "relation", "from": "a", "to": "a", "relationType": "r"}


def said(kind: str, path: Path) -> str:
    """Read what must be refused, and return the sentence."""
    with pytest.raises(InvalidInputError) as caught:
        read(kind, path)
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ENTITY, "{broken"], "m.jsonl, line 2: this is not JSON"),
        ([ENTITY, "[1]"], "m.jsonl, line 2: this is not an object: [1]"),
        ([ENTITY, "", {**ENTITY, "name": None}], "m.jsonl, line 3: name must be a text, not None"),
        ([{**ENTITY, "name": " "}], "m.jsonl, line 1: name must be a text, not ' '"),
        ([{**ENTITY, "observations": "x"}], "observations must be a list of texts, not 'x'"),
        (
            [{**ENTITY, "observations": ["x", 1]}],
            "observations must be a list of texts, not ['x', 1]",
        ),
        ([{**ENTITY, "entityType": ["t"]}], "entityType must be a text, not ['t']"),
        ([ENTITY, {**RELATION, "to": 7}], "line 2: to must be a text, not 7"),
        ([ENTITY, {**RELATION, "relationType": ""}], "line 2: relationType must be a text, not ''"),
        ([RELATION], "has no entity"),
        ([], "has no entity"),
        (["[" * 100_000], "line 1: this is nested deeper than 100 levels"),
        ([{**ENTITY, "name": "x" * 200, "observations": 5 * ["y" * 50, 1]}], "…"),
    ],
)
def test_a_broken_graph_names_the_line_and_the_value(
    tmp_path: Path, rows: list[Any], words: str
) -> None:
    """Nothing is guessed: the file, the line and the value are said."""
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    assert words in said("server-memory", path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "e.json: this is not JSON"),
        ("{", "e.json: this is not JSON"),
        ("[" * 100_000, "e.json: this is nested deeper than 100 levels"),
        ('[{"memory": "x"}, 3]', "e.json, item 2: this is not an object: 3"),
        ('{"memory": "x"}\n{"memory": ', "e.json, line 2: this is not JSON"),
        ('{"memory": "x"}\n[]', "e.json, line 2: this is not an object: []"),
        ('[{"id": 1}]', "e.json, item 1: there is no text: none of memory, data, content, text"),
        ('[{"memory": {"a": 1}}]', "e.json, item 1: the text must be text"),
        ('[{"memory": "x", "metadata": "m"}]', "metadata must be an object, not 'm'"),
        ('[{"memory": "x", "categories": "m"}]', "categories must be a list of texts, not 'm'"),
        ('[{"memory": "x", "categories": [1]}]', "categories must be a list of texts, not [1]"),
        ('[{"memory": "x", "created_at": 5}]', "created_at must be a text, not 5"),
        (
            '[{"memory": "x", "created_at": "soon"}]',
            "item 1: created_at 'soon' is not a date or time",
        ),
        ('[{"memory": "x", "user_id": 5}]', "user_id must be a text, not 5"),
        ('[{"memory": "x", "metadata": {"a": NaN}}]', "NaN is not a JSON number"),
        ('"text"', "a list of memories was expected, not 'text'"),
        ("[]", "has no memory"),
        ('{"results": []}', "has no memory"),
    ],
)
def test_a_broken_export_names_the_item_and_the_value(
    tmp_path: Path, text: str, words: str
) -> None:
    """Nothing is guessed: the file, the item and the value are said."""
    path = tmp_path / "e.json"
    path.write_text(text)
    assert words in said("mem0", path)


@pytest.mark.parametrize("kind", READERS)
def test_bytes_that_are_no_text(tmp_path: Path, kind: str) -> None:
    """A file that is not UTF-8 is named with the byte; a byte order mark is no harm."""
    folder = tmp_path / "n"
    folder.mkdir()
    (folder / "a.md").write_bytes(b"caf\xe9")
    path = folder if kind in ("basic-memory", "markdown") else folder / "a.md"
    assert f"{folder / 'a.md'} is not UTF-8 (byte 3)" in said(kind, path)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    """Windows tools write one in front of JSON and notes."""
    (tmp_path / "m").write_bytes(b"\xef\xbb\xbf" + json.dumps(ENTITY).encode())
    assert [memory.key for memory in read("server-memory", tmp_path / "m").memories] == ["a"]
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "a.md").write_bytes(
        "\ufeff---\r\ntitle: T\r\npermalink: p\r\n---\r\ntext\r\n".encode()
    )
    assert [memory.key for memory in read("basic-memory", tmp_path / "n").memories] == ["p"]


@pytest.mark.parametrize("kind", READERS)
def test_what_is_not_there(tmp_path: Path, kind: str) -> None:
    """A missing path and an empty file or folder are said in one sentence."""
    with pytest.raises(NotFoundError, match="there is no file"):
        read(kind, tmp_path / "missing")
    (tmp_path / "empty.md").write_bytes(b"")
    with pytest.raises(InvalidInputError, match=r"nothing to import|not JSON"):
        read(kind, tmp_path / "empty.md")
    (tmp_path / "folder").mkdir()
    with pytest.raises(GhostError, match=r"is a folder|no markdown file below"):
        read(kind, tmp_path / "folder")


def test_a_file_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size is looked at first."""
    monkeypatch.setattr(base, "MAX_FILE_BYTES", 10)
    (tmp_path / "m").write_text(json.dumps(ENTITY))
    assert "bytes, more than the 10 that are read" in said("server-memory", tmp_path / "m")


def test_links_are_passed_over_and_named(tmp_path: Path) -> None:
    """A link out of the folder, a circle and a link that leads nowhere are not followed; hidden folders are not looked into."""
    (tmp_path / "secret.md").write_text("## Secret\ntext")
    folder = tmp_path / "n"
    (folder / "in").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "hidden.md").write_text("## Hidden\ntext")
    (folder / "in" / "a.md").write_text("## Mine\ntext")
    os.symlink(tmp_path / "secret.md", folder / "out.md")
    os.symlink(folder, folder / "in" / "circle")
    os.symlink(tmp_path / "nowhere.md", folder / "gone.md")
    found = read("markdown", folder)
    assert [memory.key for memory in found.memories] == ["mine"]
    assert sorted(note.split(":")[0] for note in found.notes) == [
        "skipped gone.md",
        "skipped in/circle",
        "skipped out.md",
    ]


def test_a_path_in_a_link_or_a_permalink_is_only_a_name(tmp_path: Path) -> None:
    """Dots that climb out of the folder open no file."""
    (tmp_path / "passwd.md").write_text("root")
    folder = tmp_path / "n"
    folder.mkdir()
    (folder / "a.md").write_text("---\npermalink: ../../etc/passwd\n---\n- needs [[../passwd]]\n")
    found = read("basic-memory", folder)
    assert [memory.key for memory in found.memories] == ["../../etc/passwd"]
    assert found.notes == ("a.md: the note [[../passwd]] does not exist (yet)",)


def test_doubles_and_circles(tmp_path: Path) -> None:
    """Two entities of one name are two memories, relations lead to the first, said twice count once, and circles are edges."""
    rows = [
        ENTITY,
        {**ENTITY, "observations": ["y"]},
        {**ENTITY, "name": "b"},
        *[{**RELATION, "to": "b"}] * 2,
        {**RELATION, "from": "b"},
    ]
    (tmp_path / "m").write_text("\n".join(map(json.dumps, rows)))
    found = read("server-memory", tmp_path / "m")
    assert [(memory.key, memory.id, memory.content) for memory in found.memories] == [
        ("a", "a", "x"),
        ("a-2", "a-2", "y"),
        ("b", "b", "x"),
    ]
    assert [(edge.from_key, edge.to_key) for edge in found.edges] == [("a", "b"), ("b", "a")]


def test_many_loose_ends_do_not_bury_the_rest(tmp_path: Path) -> None:
    """Notes are cut to the first few and a count."""
    rows = [ENTITY, *({**RELATION, "to": f"gone {number}"} for number in range(1_000))]
    (tmp_path / "m").write_text("\n".join(map(json.dumps, rows)))
    notes = read("server-memory", tmp_path / "m").notes
    assert (len(notes), notes[-1]) == (21, "and 980 more like these")


@pytest.mark.perf
@pytest.mark.parametrize(
    ("before", "piece"),
    [("", "[["), ("", "- a [["), ("---\n", "a "), ("", "#"), ("", "- ["), ("", "```\n")],
)
def test_the_time_grows_with_the_text(tmp_path: Path, before: str, piece: str) -> None:
    """No pattern takes more than linear time."""

    def work(text: str) -> object:
        (tmp_path / "a.md").write_text(text)
        return read("basic-memory", tmp_path / "a.md")

    check_growth(work, repeated(piece, before), 50_000)


def test_looking_at_a_file_reads_only_its_beginning(tmp_path: Path) -> None:
    """A long line that is no JSON, and one that is cut by the look, are no harm."""
    (tmp_path / "a").write_text("x" * 1_000_000)
    with pytest.raises(InvalidInputError, match="cannot tell"):
        recognise(tmp_path / "a")
    (tmp_path / "b").write_text(
        json.dumps([{"memory": "é" * 200_000}], ensure_ascii=False), encoding="utf-8"
    )
    assert recognise(tmp_path / "b") == "mem0"
