"""The stemmer gives what Porter's published algorithm gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.stem import stem

# The examples of the paper, run through all steps, and common words.
TABLE = """
caresses caress ponies poni ties ti caress caress cats cat feed feed agreed agre plastered plaster bled bled
motoring motor sing sing conflated conflat troubled troubl sized size hopping hop tanned tan falling fall
hissing hiss fizzed fizz failing fail filing file happy happi sky sky
relational relat conditional condit rational ration valenci valenc hesitanci hesit digitizer digit
conformabli conform radicalli radic differentli differ vileli vile analogousli analog
vietnamization vietnam predication predic operator oper feudalism feudal decisiveness decis
hopefulness hope callousness callous formaliti formal sensitiviti sensit sensibiliti sensibl
triplicate triplic formative form formalize formal electriciti electr electrical electr hopeful hope goodness good
revival reviv allowance allow inference infer airliner airlin gyroscopic gyroscop adjustable adjust
defensible defens irritant irrit replacement replac adjustment adjust dependent depend adoption adopt
homologou homolog communism commun activate activ angulariti angular homologous homolog effective effect
bowdlerize bowdler probate probat rate rate cease ceas controll control roll roll
generalizations gener oscillators oscil connect connect connected connect connecting connect connection connect
connections connect running run runs run runner runner flies fli dies di mules mule denied deni died di agreed agre
owned own humbled humbl meeting meet stating state siezing siez itemization item sensational sensat
traditional tradit reference refer colonizer colon plotted plot
possibly possibl probably probabl archaeology archaeolog biology biologi apology apolog
deploy deploi deployed deploi deployment deploy databases databas memory memori memories memori
configuration configur configured configur versions version easily easili studies studi studying studi
argue argu argued argu arguing argu argument argument universe univers university univers
say sai saying sai boy boi toys toi yes ye syzygy syzygi enjoy enjoi eyed ei cry cry cries cri
element element ability abil nationally nation ion ion lions lion abandoned abandon abilities abil
"""
PAIRS = TABLE.split()


@pytest.mark.parametrize(("word", "expected"), list(zip(PAIRS[::2], PAIRS[1::2], strict=True)))
def test_published_pairs(word: str, expected: str) -> None:
    """A word has the stem that the published algorithm gives it."""
    assert stem(word) == expected


@pytest.mark.parametrize(
    "word",
    ["", "a", "is", "OPS", "Running", "v1", "c++", "cafés", "бегущий", "東京", "running2", "a b"],
)
def test_other_words_come_back_as_they_are(word: str) -> None:
    """Words of one or two letters and anything but lower-case a-z are not touched."""
    assert stem(word) == word


def test_a_very_long_word_comes_back_as_it_is() -> None:
    """Nothing of more than eighty letters is an English word."""
    assert stem("y" * 1_000_000) == "y" * 1_000_000


@given(st.text("abcdeilmnorstuyz", min_size=1, max_size=20))
def test_a_stem_is_never_longer_and_never_empty(word: str) -> None:
    """Stemming shortens a word (or restores an e within its length) and is the same each time."""
    assert 0 < len(stem(word)) <= len(word)
    assert stem(word) == stem(word)
