"""Splitting a message into statements, and leaving out the text of programs"""

import pytest

from ghostmem.text.capture import lines_of_speaker, sentences, statements
from ghostmem.text.machine import without_machine_text
from ghostmem.text.pasted import without_pasted


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
    own = "Run `make test` (or `pytest -q`) before you push to main."
    assert without_pasted(own) == own
    assert without_pasted("const always = () => never;") == ""


@pytest.mark.parametrize(
    "text",
    [
        'Classify: [{"text": "We use Postgres."}, {"text": "I prefer tabs."}]',
        'Look:\n{\n  "note": "I live in Lisbon, [never",\n  "all": [\n    "Always test."\n  ]\n}',
        'The list:\n[\n  {"rule": "We never deploy on Fridays", "id": 3},\n  {"rule": "Al',
        "settings:\n  code_style: black\n  max_line_length: 100\n  target: [py311, py312]\n",
        "Nov 12 10:00:01 host sshd[12]: always accepted password",
    ],
)
def test_pasted_data_and_logs_are_no_statements(text: str) -> None:
    """Nothing of the data is left; a sentence after an empty line is."""
    found = [one.sentence for one in statements(f"{text}\n\nI prefer short answers.")]
    assert found[-1] == "I prefer short answers."
    assert all(sentence.endswith(":") for sentence in found[:-1])


def test_a_short_value_stays_in_its_sentence() -> None:
    """Only longer JSON was pasted."""
    text = 'Always set ["strict"] in the config.'
    assert without_pasted(text) == text
    assert [one.sentence for one in statements(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        'I always want arrays like ["a", and please always use four spaces in this project.',
        "Preferences:\n  Editor: vim\n  Shell: fish\n  Theme: dark\n",
    ],
)
def test_brackets_in_a_sentence_and_lists_of_the_user_are_no_data(text: str) -> None:
    """They look like sentences and headings, not like data."""
    assert without_pasted(text) == text


def test_an_entry_of_a_list_comes_with_its_lead() -> None:
    """A name with a value cannot be understood alone."""
    text = "My preferences:\n  Editor: vim\n  Shell: fish\nI live in Oslo."
    assert [one.content for one in statements(text)] == [
        "My preferences:",
        "My preferences: Editor: vim",
        "My preferences: Shell: fish",
        "I live in Oslo.",
    ]


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
