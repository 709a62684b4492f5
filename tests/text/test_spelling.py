"""Near spellings: typos, hyphens and endings, and what is no word at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem.text.spelling import (
    edit_distance,
    is_word,
    max_edits,
    one_edit,
    similarity,
    word_parts,
    words_of,
)

letters = st.text("abcdé", min_size=1, max_size=12)


def reference(left: str, right: str) -> int:
    """Return the distance by the definition: optimal string alignment over the whole table."""
    table = {(at, 0): at for at in range(len(left) + 1)} | {
        (0, at): at for at in range(len(right) + 1)
    }
    for row, one in enumerate(left, 1):
        for column, other in enumerate(right, 1):
            found = [table[row - 1, column] + 1, table[row, column - 1] + 1]
            found.append(table[row - 1, column - 1] + (one != other))
            if row > 1 and column > 1 and one == right[column - 2] and left[row - 2] == other:
                found.append(table[row - 2, column - 2] + 1)
            table[row, column] = min(found)
    return table[len(left), len(right)]


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a word, and the same word with as many edits as are allowed."""
    word = other = draw(st.text("abcd", min_size=4, max_size=14))
    for _ in range(max_edits(word)):
        at = draw(st.integers(0, len(other)))
        letter = draw(st.sampled_from("abcd"))
        before, after = other[:at], other[at:]
        other = draw(
            st.sampled_from(
                [
                    before + letter + after,
                    before + letter + after[1:],
                    before + after[1:],
                    before + after[1:2] + after[:1] + after[2:],
                ]
            )
        )
    return word, other


@given(letters, letters, st.integers(0, 3))
def test_the_distance_is_that_of_the_definition(left: str, right: str, limit: int) -> None:
    """Up to the limit the distance is exact; beyond it, it is only known to be more."""
    assert edit_distance(left, right, limit) == min(reference(left, right), limit + 1)


@given(edited())
def test_a_near_spelling_keeps_one_part(pair: tuple[str, str]) -> None:
    """What the engines select by their parts misses no near spelling."""
    word, other = pair
    parts = word_parts(word)
    shift = len(parts.start)
    window = other[shift - 1 : shift + 3 + len(parts.middle)]
    kept = (
        other.startswith(parts.start)
        or other.endswith(parts.end)
        or (parts.middle and parts.middle in window)
    )
    assert kept
    assert parts.min_length <= len(other) <= parts.max_length


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8))
def test_one_edit_is_everything_at_distance_one(word: str) -> None:
    """Each is one edit away, and the word itself is not among them."""
    found = one_edit(word)
    assert {edit_distance(word, other, 2) for other in found} == {1}
    assert word not in found


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("playr", "player"),
        ("limt", "limit"),
        ("servre", "server"),
        ("kubernetex", "kubernetes"),
        ("xubernets", "kubernetes"),
        ("wifi", "wi-fi"),
        ("e-mail", "email"),
        ("rechnungen", "rechnung"),
        ("счетов", "счет"),
        ("colour", "color"),
    ],
)
def test_near_spellings(word: str, other: str) -> None:
    """One edit from four letters on, two from eight on, hyphens and short endings."""
    assert 0 < similarity(word, other) < 1


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("cat", "cut"),
        ("player", "plots"),
        ("kubernetes", "cabinets"),
        ("part", "partner"),
        ("haus", "rest"),
    ],
)
def test_other_words(word: str, other: str) -> None:
    """Short words, more edits and long endings are other words."""
    assert similarity(word, other) == 0


def test_the_farther_the_less_alike() -> None:
    """A hyphen says least, then one edit, two edits, another ending."""
    shares = [
        similarity("kubernetes", other)
        for other in ("kuber-netes", "kubernete", "kubernet", "kubern")
    ]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == len(shares)


def test_numbers_codes_and_paths_are_no_words() -> None:
    """They must be met exactly, or they say something else."""
    assert words_of(["wi-fi ops-10482 a/b.py server c++ 2024 naïve ab", "user_id server"]) == {
        "wi-fi",
        "server",
        "naïve",
    }
    assert not is_word("x" * 41)
