"""Compare spellings: words that differ by a typo, a hyphen or an ending.

A question's word that a namespace does not know is compared with the words the namespace has. Edits
are letters missing, extra, wrong or swapped (Damerau-Levenshtein distance, each pair swapped at
most once)."""

import re
from collections.abc import Iterable
from typing import NamedTuple

MIN_LENGTH = 4  # shorter words have too many neighbours to tell a typo
MIN_LENGTH_TWO_EDITS = 8
MIN_STEM, MAX_ENDING = (
    4,
    3,
)  # letters that words with different endings share at least, and endings at most
HYPHEN_SHARE = 0.97  # how alike words are that differ by hyphens only
ENDING_FACTOR = 0.8  # another ending says less than a typo: the word may be another one

# Both engines have this condition in SQL too (`schema.py`): it says which terms are kept as words.
_WORD = re.compile(r"[^0-9_./:@#+\\]{3,40}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WordParts(NamedTuple):
    """Parts of a word, of which every near spelling has at least one in its place, and how long it
    may be.
    """

    start: str
    middle: str
    end: str
    min_length: int
    max_length: int


def is_word(term: str) -> bool:
    """Say whether a term is a word that can be misspelled, rather than a number, a code or
    a path.
    """
    return _WORD.fullmatch(term) is not None


def words_of(terms: Iterable[str]) -> set[str]:
    """Return the words among the terms of several chunks."""
    return set(filter(is_word, set().union(*map(str.split, terms))))


def max_edits(word: str) -> int:
    """Return how many edits a near spelling of a word may have."""
    if len(word) < MIN_LENGTH:
        return 0
    return 1 if len(word) < MIN_LENGTH_TWO_EDITS else 2


def word_parts(word: str) -> WordParts:
    """Return parts of a word such that a near spelling keeps its start, its end or its middle.

    Between the parts one letter is left out. So a single edit, also a swap of two letters, changes
    at most one part, and there is always one part more than edits."""
    length = len(word)
    limits = length - MAX_ENDING, length + MAX_ENDING
    if max_edits(word) < 2:
        half = length // 2
        return WordParts(word[:half], "", word[half + 1 :], *limits)
    part = (length - 2) // 3
    return WordParts(
        word[:part], word[part + 1 : length - part - 1], word[length - part :], *limits
    )


def similarity(word: str, other: str) -> float:
    """Return how alike two spellings are, from 0 (not near) to less than 1.

    Equal words are not compared.
    """
    if ("-" in word or "-" in other) and word.replace("-", "") == other.replace("-", ""):
        return HYPHEN_SHARE
    longest, limit, shared = max(len(word), len(other)), max_edits(word), _shared_start(word, other)
    edits = edit_distance(word[shared:], other[shared:], limit)
    if edits <= limit:
        return 1 - edits / longest
    if shared >= MIN_STEM and longest - shared <= min(MAX_ENDING, shared // 2):
        return ENDING_FACTOR * shared / longest
    return 0.0


def _shared_start(left: str, right: str) -> int:
    """Return how many letters two words share at their start."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def one_edit(word: str) -> set[str]:
    """Return everything that is one edit away from an English word."""
    found: set[str] = set()
    for at in range(len(word) + 1):
        before, after, rest = word[:at], word[at:], word[at + 1 :]
        for letter in _LETTERS:
            found.add(before + letter + after)
            found.add(before + letter + rest)
        found.add(before + rest)
        found.add(before + rest[:1] + after[:1] + rest[1:])
    return found - {word}


def edit_distance(left: str, right: str, limit: int) -> int:
    """Return the number of edits between two words, or `limit` + 1 when there are more."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    start = _shared_start(left, right)
    left, right = left[start:], right[start:]
    end = _shared_start(left[::-1], right[::-1])
    left, right = left[: len(left) - end], right[: len(right) - end]
    before: list[int] = []
    row = list(range(len(right) + 1))
    for at, letter in enumerate(left, 1):
        before, previous, row = row, before, [at]
        for column, other in enumerate(right, 1):
            edits = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != other))
            if at > 1 < column and letter == right[column - 2] and left[at - 2] == other:
                edits = min(edits, previous[column - 2] + 1)
            row.append(edits)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
