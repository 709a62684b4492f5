"""The sort of a statement, and what its phrases ask for; the phrases are in `data/sorts.json`."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ghostmem.model import Sort
from ghostmem.text.question import is_question

_FILE = os.path.join(os.path.dirname(__file__), "data", "sorts.json")
_UNSPACED = ("zh",)  # languages without word boundaries
_CLAUSE_END = re.compile(r"[,;:，；：–—]\s*|\s-\s")
_Languages = Mapping[str, Sequence[str]]


class SortMatch(NamedTuple):
    """The sort of a statement, its weight, and the phrase that tells it, if any."""

    sort: Sort
    weight: float
    phrase: str


class _SortPhrases(NamedTuple):
    sort: Sort
    weight: float
    explicit: re.Pattern[str]
    hints: re.Pattern[str]


def find_sort(sentence: str) -> SortMatch:
    """Return the sort of a sentence: the first of the table with a phrase, `fact` without any."""
    plain = _plain(sentence)
    *sorts, fact = _sorts()
    patterns = [(row, row.explicit) for row in sorts] + [(row, row.hints) for row in sorts]
    for row, pattern in [*patterns, (fact, fact.explicit), (fact, _phrases("asked"))]:
        if match := pattern.search(plain):
            return SortMatch(row.sort, row.weight, match[0].strip(" ,:;"))
    return SortMatch(fact.sort, fact.weight, "")


def steps_match() -> SortMatch:
    """Return the sort of a numbered list of steps."""
    weight = next(row.weight for row in _sorts() if row.sort is Sort.PROCEDURE)
    return SortMatch(Sort.PROCEDURE, weight, "a list of steps")


def is_explicit(sentence: str) -> bool:
    """Say whether a phrase is enough to capture a sentence without the judge."""
    plain = _plain(sentence)
    is_doubtful = bool(_phrases("doubt").search(plain)) or is_question(sentence)
    return not is_doubtful and any(row.explicit.search(plain) for row in _sorts())


def is_asked(sentence: str) -> bool:
    """Say whether a sentence asks to be remembered."""
    return bool(_phrases("asked").search(_plain(sentence))) and not is_question(sentence)


def is_withdrawn(sentence: str) -> bool:
    """Say whether a sentence asks to forget something, and states nothing after that."""
    plain = _plain(sentence)
    match = _phrases("withdrawn").search(plain)
    return match is not None and not any(
        map(is_explicit, _CLAUSE_END.split(plain[match.end() :], maxsplit=1)[1:])
    )


def withdrawn_subject(sentence: str) -> str:
    """Return the words that say what a sentence asks to forget, or an empty text."""
    plain = _plain(sentence)
    match = _phrases("withdrawn").search(plain)
    if match is None or not is_withdrawn(sentence):
        return ""
    return _CLAUSE_END.split(plain[match.end() :])[0] or match[0].partition(",")[2]


def leads_steps(lead: str) -> bool:
    """Say whether the lead of a numbered list announces steps."""
    return bool(_phrases("steps").search(_plain(lead)))


def _plain(sentence: str) -> str:
    return " ".join(sentence.replace("’", "'").split())


@cache
def _data() -> dict[str, Any]:
    with open(_FILE, encoding="utf-8") as file:
        data: dict[str, Any] = json.load(file)
    return data


@cache
def _phrases(name: str) -> re.Pattern[str]:
    """Return the phrases of one meaning, compiled when needed: a hook looks for one of them."""
    return _compiled(_data()[name])


@cache
def _sorts() -> list[_SortPhrases]:
    return [
        _SortPhrases(Sort(name), row["weight"], _compiled(row["explicit"]), _compiled(row["hints"]))
        for name, row in _data()["sorts"].items()
    ]


def _compiled(languages: _Languages) -> re.Pattern[str]:
    """Return one pattern of the phrases of all languages; a word must begin where one does."""
    spaced = [p for name, phrases in languages.items() if name not in _UNSPACED for p in phrases]
    unspaced = [p for name, phrases in languages.items() if name in _UNSPACED for p in phrases]
    return re.compile(
        "|".join([rf"\b(?:{'|'.join(spaced)})"] * bool(spaced) + unspaced) or r"(?!)", re.IGNORECASE
    )
