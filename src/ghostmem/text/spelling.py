"""Compare spellings: words that differ by a typo, a hyphen or an ending.

A word of a question that is unknown in a namespace is compared with the words of the namespace. An
edit is a missing, extra, wrong or swapped letter (Damerau-Levenshtein distance, each pair swapped
at most once).
"""

import re
from collections.abc import Iterable
from os.path import commonprefix
from typing import NamedTuple

MIN_LENGTH = 4  # shorter words have too many neighbours to recognise a typo
MIN_LENGTH_TWO_EDITS = 8
MIN_STEM = 4  # letters that words with different endings share
MAX_ENDING = 3  # letters of such an ending
HYPHEN_SHARE = 0.97  # similarity of words that differ only by hyphens
ENDING_FACTOR = 0.8  # a different ending counts less than a typo: it may be a different word

# Both engines have this condition in SQL too (`schema.py`), to store words apart from other terms.
_WORD = re.compile(r"[^0-9_./:@#+\\]{3,40}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class WordParts(NamedTuple):
    """Parts of a word, of which every near spelling has at least one, and its length limits."""

    start: str
    middle: str
    end: str
    min_length: int
    max_length: int


def is_word(term: str) -> bool:
    """Say whether a term is a word that can be misspelled, not a number, a code or a path."""
    return _WORD.fullmatch(term) is not None


def words_of(terms: Iterable[str]) -> set[str]:
    """Return the words among the terms of several chunks."""
    return set(filter(is_word, set().union(*map(str.split, terms))))


def max_edits(word: str) -> int:
    """Return the maximum number of edits of a near spelling of a word."""
    return (len(word) >= MIN_LENGTH) + (len(word) >= MIN_LENGTH_TWO_EDITS)


def word_parts(word: str) -> WordParts:
    """Return parts of a word such that a near spelling keeps its start, its end or its middle.

    Between the parts one letter is left out. So an edit, also a swap of two letters, changes at
    most one part, and there is always one part more than edits.
    """
    length = len(word)
    limits = length - MAX_ENDING, length + MAX_ENDING
    if max_edits(word) < 2:
        half = length // 2
        return WordParts(word[:half], "", word[half + 1 :], *limits)
    part = (length - 2) // 3
    return WordParts(
        word[:part], word[part + 1 : length - part - 1], word[length - part :], *limits
    )


def similarity(word: str, candidate: str) -> float:
    """Return the similarity of two different spellings, from 0 (not near) to less than 1."""
    if "-" in word + candidate and word.replace("-", "") == candidate.replace("-", ""):
        return HYPHEN_SHARE
    longest, limit = max(len(word), len(candidate)), max_edits(word)
    shared = len(commonprefix([word, candidate]))  # noqa: RUF071 (of letters)
    edits = edit_distance(word[shared:], candidate[shared:], limit)
    if edits <= limit:
        return 1 - edits / longest
    is_same_stem = shared >= MIN_STEM and longest - shared <= min(MAX_ENDING, shared // 2)
    return ENDING_FACTOR * shared / longest if is_same_stem else 0.0


def one_edit(word: str) -> set[str]:
    """Return all spellings that are one edit away from an English word."""
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    added = {f"{start}{letter}{end}" for start, end in splits for letter in _LETTERS}
    wrong = {f"{start}{letter}{end[1:]}" for start, end in splits for letter in _LETTERS}
    missing = {start + end[1:] for start, end in splits}
    swapped = {start + end[1:2] + end[:1] + end[2:] for start, end in splits}
    return (added | wrong | missing | swapped) - {word}


def edit_distance(left: str, right: str, limit: int) -> int:
    """Return the number of edits between two words, or `limit` + 1 if there are more."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for at, letter in enumerate(left, 1):
        before, previous, row = row, before, [at]
        for column, expected in enumerate(right, 1):
            edits = min(before[column] + 1, row[-1] + 1, before[column - 1] + (letter != expected))
            if at > 1 < column and letter == right[column - 2] and left[at - 2] == expected:
                edits = min(edits, previous[column - 2] + 1)
            row.append(edits)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
