"""What a question is after, and whether a text offers it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.question import (
    is_question,
    names_something,
    parts,
    read_question,
    tells_time,
)


@pytest.mark.parametrize(
    ("text", "when", "where", "several"),
    [
        ("When did Anna move?", True, False, False),
        ("  when is lunch", True, False, False),
        ("What day is the party?", True, False, False),
        ("how long ago was that", True, False, False),
        ("Wann kommt der Zug?", True, False, False),
        ("Quand part le train ?", True, False, False),
        ("什么时候开会？", True, False, False),
        ("언제 만나요?", True, False, False),
        ("Where does Anna live?", False, True, False),
        ("Which city is she from?", False, True, False),
        ("Wo wohnt Anna?", False, True, False),
        ("Où habite-t-elle ?", False, True, False),
        ("Dónde vive?", False, True, False),
        ("她住在哪里", False, True, False),
        ("どこに住んでいますか", False, True, False),
        ("어디에 살아요?", False, True, False),
        ("What kinds of music does she like?", False, False, True),
        ("Which books has she read?", False, False, True),
        ("What are her hobbies?", False, False, True),
        ("How many pets do they have?", False, False, True),
        ("list the open tickets", False, False, True),
        ("What has Melanie painted?", False, False, True),
        ("Where has she been?", False, True, True),
        ("What did they both enjoy?", False, False, True),
        ("Which bus does she take?", False, False, False),
        ("What class is she in?", False, False, False),
        ("What is Anna's job?", False, False, False),
        ("Does she know when to stop?", False, False, False),
        ("somewhere nice", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_is_asked_for(text: str, when: bool, where: bool, several: bool) -> None:
    """A time, a place or several things, in several languages."""
    found = read_question(text)
    assert (found.when, found.where, found.several) == (when, where, several)


@pytest.mark.parametrize("text", ["¿Cuándo llega?", "¿Dónde vive?"])
def test_a_spanish_question_may_start_with_its_mark(text: str) -> None:
    """The turned question mark is no word."""
    found = read_question(text)
    assert found.when or found.where


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met in 2019.", True),
        ("at 10:30", True),
        ("around 5 pm", True),
        ("I moved last summer", True),
        ("See you on Monday!", True),
        ("since my birthday", True),
        ("in October", True),
        ("The box weighs 300 grams.", False),
        ("The cat sleeps.", False),
        ("version 20190", False),
        ("you may come", False),
        ("", False),
    ],
)
def test_texts_that_tell_a_time(text: str, expected: bool) -> None:
    """Years, hours and words for times."""
    assert tells_time(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She moved to Lisbon", True),
        ("We saw Anna, Bob", True),
        ("The cat sleeps. The dog too.", False),
        ("all small", False),
        ("", False),
    ],
)
def test_texts_that_name_something(text: str, expected: bool) -> None:
    """A capital inside a sentence is a name."""
    assert names_something(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Really? ", True), ("本当ですか？", True), ("No.", False), ("What? No.", False), ("", False)],
)
def test_texts_that_are_questions(text: str, expected: bool) -> None:
    """A question ends with its mark."""
    assert is_question(text) is expected


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    """No text breaks the reading."""
    read_question(text)
    tells_time(text)
    names_something(text)
    is_question(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who owns it? Where is it?", ["Who owns it", "Where is it?"]),
        ("Where do I live,\n and what is it called?", ["Where do I live", "what is it called?"]),
        ("When is it out, and on which port is it?", ["When is it out", "on which port is it?"]),
        ("Wo wohne ich und wie heißt der Hund?", ["Wo wohne ich", "wie heißt der Hund?"]),
        ("What are bread and butter called?", ["What are bread and butter called?"]),
        ("What did he do with doubts and stress when he was young?", None),
        ("Who is on duty? (It is Monday.)", None),
        ("plain words", None),
        ("a? b? c? d?", None),
        ("?? ", None),
    ],
)
def test_the_questions_of_a_text(text: str, expected: list[str] | None) -> None:
    """A text is one question unless a question mark or "and" joins several."""
    assert parts(text) == (expected or [text])


@given(st.text(alphabet="ab ?,\n", max_size=50))
def test_no_letter_of_a_question_is_lost(text: str) -> None:
    """The parts have all letters of the text, in order."""
    kept = "".join(parts(text))
    assert [char for char in kept if char.isalpha()] == [char for char in text if char.isalpha()]
