"""Taking a message apart, judging its sentences, and how right that is on labelled sentences"""

from pathlib import Path

import pytest

from ghostmem.capture.rules.capture import LEAST, MOST, candidates
from ghostmem.capture.rules.capture_cues import Sort
from ghostmem.model import Kind
from ghostmem.text.capture import lines_of_speaker, sentences, statements
from ghostmem.text.machine import is_machine_line, without_machine_text
from growth import repeated

DATA = Path(__file__).parent.parent / "data" / "capture"


def labelled(half: str) -> list[tuple[str, str]]:
    """Read one half of the labelled sentences."""
    rows = (
        line.split("\t", 1)
        for line in (DATA / f"{half}.tsv").read_text(encoding="utf-8").splitlines()
    )
    return [(label, text.replace("\\n", "\n")) for label, text in rows]


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_labelled_sentences_are_told_apart(half: str) -> None:
    """What is worth keeping is found, nothing else is, and its sort is told."""
    rows = labelled(half)
    assert len(rows) > 120
    found = [(label, candidates(text)) for label, text in rows]
    hits = [(label, got) for label, got in found if label != "none" and got]
    wrong = sum(bool(got) for label, got in found if label == "none")
    assert len(hits) / (len(hits) + wrong) >= 0.95
    assert len(hits) / sum(label != "none" for label, _ in rows) >= 0.9
    assert sum(any(one.sort == label for one in got) for label, got in hits) / len(hits) >= 0.9


def contents(text: str) -> list[str]:
    """Return the contents of a text's candidates."""
    return [one.content for one in candidates(text)]


def test_a_candidate_is_the_writers_own_words() -> None:
    """Nothing is added or rephrased."""
    [one] = candidates("  Thanks!  I prefer tabs over spaces in Go files.   Can you fix it?")
    assert one.content == "I prefer tabs over spaces in Go files."
    assert (one.sort, one.kind, one.key) == (Sort.PREFERENCE, Kind.SEMANTIC, "tabs-spaces-go-files")
    assert one.tags == ("captured", "preference")
    assert one.reasons == ("preference: I prefer",)


def test_importance_is_the_base_and_what_speaks_for_it() -> None:
    """Corrections weigh most, facts least; stress and names add, doubt takes away."""

    def importance(text: str) -> float:
        return candidates(text)[0].importance

    assert importance("No, the port of the staging box is another.") > importance(
        "I live in a small house near the sea."
    )
    assert importance("NEVER push to main!") > importance("Please do not ever push to main.")
    assert importance("I prefer Helix and Fish.") > importance("I prefer small editors.")
    assert importance("I think I prefer small editors.") < importance("I prefer small editors.")
    assert all(
        LEAST <= one.importance <= 1 for _, text in labelled("seen") for one in candidates(text)
    )


def test_a_sentence_that_leans_on_another_takes_it_along() -> None:
    """What "it" is must be in the content."""
    assert contents("The cache is shared by all tenants. It must never hold personal data.") == [
        "The cache is shared by all tenants. It must never hold personal data."
    ]


def test_an_item_is_understood_with_its_heading() -> None:
    """A list's opening or a heading goes before its items."""
    text = "# Deployment\n\n- Never deploy on Fridays.\n- [ ] always check the logs\n- TODO: never mind\n"
    assert contents(text) == ["Deployment: Never deploy on Fridays."]
    assert contents("For the invoices:\n\n- never round the tax\n") == [
        "For the invoices: never round the tax"
    ]


def test_numbered_steps_are_one_procedure() -> None:
    """A list of steps under an opening is kept whole."""
    [one] = candidates(
        "How to rotate the key:\n1. create a new key\n2. update the vault\n3. restart the gateway\n"
    )
    assert (one.sort, one.kind) == (Sort.PROCEDURE, Kind.PROCEDURAL)
    assert (
        one.content
        == "How to rotate the key:\n1. create a new key\n2. update the vault\n3. restart the gateway"
    )


def test_a_decision_with_its_date_is_an_event() -> None:
    """When something was decided makes it episodic."""
    assert candidates("Yesterday we decided to drop Python 3.9.")[0].kind is Kind.EPISODIC
    assert candidates("We decided to drop Python 3.9.")[0].kind is Kind.SEMANTIC


def test_health_is_a_boundary_with_a_tag() -> None:
    """What the body does not bear is kept as a boundary."""
    [one] = candidates("I'm allergic to peanuts.")
    assert (one.sort, one.health, one.tags) == (
        Sort.BOUNDARY,
        True,
        ("captured", "boundary", "health"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "```python\nI prefer = 'tabs'  # never push\n```",
        "    I prefer tabs\n    never push to main",
        "> I prefer tabs over spaces in Go files.",
        '"I prefer tabs over spaces in Go files." - who said that?',
        "<system-reminder>\nNever push to main.\n</system-reminder>",
        "<user-prompt-submit-hook>Always use British English.</user-prompt-submit-hook>",
        "[Ghost Memory — Relevant]\n[tabs] The user prefers tabs.\n[End Ghost Memory]",
        "[Request interrupted by user]",
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: must not be empty',
        "2026-03-01 12:00:01 INFO worker never stops",
        "| rule | text |\n|---|---|\n| 1 | never push to main |",
        "TODO: always run the linter before committing",
        "Would you say that I prefer tabs?",
        "Suppose I prefer tabs over spaces in Go files.",
        "Always fall into the water.",
        "My main feedback is that it is slow.",
        "I'd like you to rename the button.",
        "",
        "\n\n  \n",
    ],
)
def test_what_is_no_statement_of_the_writer_gives_nothing(text: str) -> None:
    """Code, quotations, machine text, tasks, questions, suppositions and complaints are passed over."""
    assert candidates(text) == []


def test_only_the_users_side_of_a_labelled_conversation_counts() -> None:
    """What the assistant says about preferences is not the user's word."""
    text = "User: I prefer pnpm.\nAssistant: I prefer npm, always.\nHuman: Never use yarn here.\nAI: We decided to use yarn."
    assert contents(text) == ["I prefer pnpm.", "Never use yarn here."]


def test_the_same_twice_is_one_candidate_and_keys_do_not_collide() -> None:
    """Texts with the same words under different keys; the second key depends on its text alone."""
    text = "Never push tags to main. Never push tags to main!\n\nAlways push tags to main."
    found = candidates(text)
    assert [one.content for one in found] == [
        "Never push tags to main.",
        "Always push tags to main.",
    ]
    first, second = (one.key for one in found)
    assert first == "push-tags-main"
    assert second.startswith("push-tags-main-")
    assert candidates("Never push tags to main. Always push tags to main.")[1].key == second


def test_at_most_so_many_and_the_strongest() -> None:
    """A long text gives the strongest ones, in their order."""
    text = (
        "\n\n".join(f"I live in house number {number}." for number in range(30))
        + "\n\nNever ring at house number 7!"
    )
    found = candidates(text)
    assert len(found) == MOST
    assert found[-1].sort is Sort.BOUNDARY
    assert candidates(text, least=0.7) == [found[-1]]


def test_sentences_are_not_cut_behind_abbreviations() -> None:
    """Initials and abbreviations do not end a sentence."""
    assert list(sentences("Dr. J. Smith came, e.g. today. He left!")) == [
        "Dr. J. Smith came, e.g. today.",
        "He left!",
    ]
    assert list(sentences("我住在上海。我喜欢茶！")) == ["我住在上海。", "我喜欢茶！"]


def test_lines_without_full_stops_are_statements_of_their_own() -> None:
    """People who type in a hurry end sentences by a new line."""
    text = "I prefer tabs\nNever push to main\nThe deploy only works\nif you are on the VPN"
    assert [one.sentence for one in statements(text)] == [
        "I prefer tabs",
        "Never push to main",
        "The deploy only works if you are on the VPN",
    ]


def test_machine_text_is_taken_out_and_the_rest_stays() -> None:
    """An element that is closed goes with what it holds, one that is not loses its tag; HTML stays."""
    assert (
        without_machine_text("a <b>bold</b> word <system-reminder>x</system-reminder> end")
        == "a <b>bold</b> word  end"
    )
    assert without_machine_text("one <my-tag> two") == "one  two"
    assert without_machine_text("see [Image #1] here") == "see   here"


def test_a_sentence_is_no_machine_line() -> None:
    """Names in ticks and brackets do not make code of a sentence."""
    assert not is_machine_line("Run `make test` (or `pytest -q`) before you push to main.")
    assert is_machine_line("const always = () => never;")
    assert is_machine_line('{"level": "info"}')


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ("", "never ", ""),
        ("", "<a-b>", ""),
        ("", "[Ghost Memory", ""),
        ("I prefer ", "x", ""),
        ("", ",", ""),
        ("", "first ", "then"),
        ("", "> ", ""),
        ("", "- ", ""),
        ("", "\n", ""),
        ("", '"', ""),
        ("", "no. ", ""),
        ("", "我", ""),
        ("", "user: ", ""),
        ("", "user:\nassistant:\n", ""),
        ("", "a\u0301", ""),
        ("", "\x00\x01\x02", ""),
        ("", "if a, ", ""),
    ],
)
def test_a_megabyte_of_anything_is_read(before: str, piece: str, after: str) -> None:
    """No text breaks it or makes it endless."""
    assert len(candidates(repeated(piece, before, after)(1_000_000))) <= MOST


@pytest.mark.wide
def test_a_megabyte_of_different_elements_is_read() -> None:
    """Elements that never end do not make it endless."""
    assert len(candidates("".join(f"<a-{n}>" for n in range(120_000)))) <= MOST


def test_a_run_of_marks_that_ends_no_sentence_is_read_once() -> None:
    """Progress bars of dots are pasted; sentences before and behind them are still found."""
    dots = "." * 60_000
    assert list(sentences(f"It began. progress {dots}x went on. Done!")) == [
        "It began.",
        f"progress {dots}x went on.",
        "Done!",
    ]
    assert list(sentences('Really?!") Yes... "No."')) == ['Really?!")', "Yes...", '"No."']


def test_the_lines_of_one_speaker() -> None:
    """Labels go, further lines belong to the label above, and so do lines before the first one."""
    talk = "Hello.\nUser: I use tabs.\nand spaces.\n**Ana:** No.\nReally?\nUSER: Fine.\n"
    assert lines_of_speaker(talk, "user") == "Hello.\nI use tabs.\nand spaces.\nFine.\n"
    assert lines_of_speaker(talk, "ana") == "Hello.\nNo.\nReally?"
    address = "See https://example.org/a: it says 10:30, and a/b: c."
    assert lines_of_speaker(address, "user") == address
    assert lines_of_speaker("用户：我喜欢茶。\n助手：好的。", "用户") == "我喜欢茶。"
