"""Decide by plain rules how a new text relates to an older one, when the judge is off.

Only what a text says outright counts: the same text again, a phrase that names what is over
("instead of X", "moved from X to Y", "no longer"), a label ("Correction:"), or the same words with
and without a negation. `data/changes.json` has the phrases. Everything else is new."""

import json
import os
import re
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ghostmem.model import VerdictKind
from ghostmem.text.phrases import PhraseTable
from ghostmem.text.question import is_question
from ghostmem.text.terms import index_terms
from ghostmem.truth.alike import essence

MAX_READ = 3_000  # characters of a text that are judged
_NAMED = 0.6  # share of the words that are over which the older text must have
_COVERED = 0.4  # share of the older text's words that a text which ends it must have
_ALIKE = 0.75  # share of both texts' words that a text and its negation must share
_LABEL = re.compile(r"^\W*\w{1,20}: ")
# the letters that `re.IGNORECASE` takes for i and s, and `str.lower` does not
_SAME_LETTERS = {0x130: "i", 0x131: "i", 0x17F: "s"}
_X = r"(?P<x>[^.;,\n]{2,60}?)"


class PlainVerdict(NamedTuple):
    """A verdict, its confidence, and the phrase that it rests on."""

    kind: VerdictKind
    confidence: float = 1.0
    phrase: str = ""


def judge_plainly(new: str, old: str) -> PlainVerdict:
    """Return what a new text is to an older one."""
    new, old = new[:MAX_READ], old[:MAX_READ]
    if new.split() == old.split() or _essence(new) == _essence(old) != ():
        return PlainVerdict(VerdictKind.RESTATEMENT)
    mine, theirs = _terms(new), _terms(old)
    if not mine & theirs or is_question(new):
        return PlainVerdict(VerdictKind.NEW)
    if phrase := _names_over(new, mine, theirs):
        return PlainVerdict(VerdictKind.UPDATE, 0.9, phrase)
    covered = _share(theirs, mine)
    if covered >= _COVERED and (phrase := _ending(new)) and not _has_phrase(old, phrase):
        return PlainVerdict(VerdictKind.UPDATE, 0.8, phrase)
    if min(covered, _share(mine, theirs)) >= _ALIKE and _numbers(new) == _numbers(old):
        first, second = _negation(new), _negation(old)
        if bool(first) != bool(second):
            return PlainVerdict(VerdictKind.CONFLICT, 0.8, first or second)
    return PlainVerdict(VerdictKind.NEW)


def says_the_same(new: str, old: str) -> bool:
    """Say whether two texts have the same terms and numbers, both with or without a negation.

    A label in front, such as `Summary:`, does not count."""
    new, old = (_LABEL.sub("", text[:MAX_READ]) for text in (new, old))
    return (
        _terms(new) == _terms(old)
        and sorted(_numbers(new)) == sorted(_numbers(old))
        and bool(_negation(new)) == bool(_negation(old))
    )


_essence = lru_cache(32)(essence)  # a text is compared with several others


@lru_cache(32)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def announces_change(text: str) -> bool:
    """Say whether a text has a phrase of change."""
    text = text[:MAX_READ]
    over = _pattern("over", text)
    return bool(_ending(text) or (over is not None and over.search(text)))


def _ending(text: str) -> str:
    """Return the phrase or label by which a text says that something is over or corrected."""
    pattern = _pattern("ended", text)
    found = pattern.search(text) if pattern is not None else None
    return " ".join(found[0].split())[:60].lower() if found else ""


def _names_over(new: str, mine: Collection[str], theirs: Collection[str]) -> str:
    """Return a phrase of a text that ends what an older one says, if both are about one thing."""
    pattern = _pattern("over", new)
    for found in pattern.finditer(new) if pattern is not None else ():
        over = set(index_terms(found[found.lastgroup or 0]))
        about = set(mine) - over
        if over and _share(over, theirs) >= _NAMED and about & set(theirs):
            return " ".join(found[0].split())[:60].lower()
    return ""


def _share(some: Collection[str], others: Collection[str]) -> float:
    """Return the share of some terms that others have."""
    return len(set(some) & set(others)) / max(1, len(set(some)))


def _has_phrase(text: str, phrase: str) -> bool:
    return phrase in " ".join(text.split()).lower()


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,:/-]\d+)*", text)


def _negation(text: str) -> str:
    """Return the negation of a text; two cancel each other."""
    words = re.findall(r"\w+", re.sub(r"n['’]t\b", " not", text.lower()))
    found = [word for word in words if word in _phrases()["negations"]]
    return found[0] if len(found) % 2 else ""


@cache
def _phrases() -> dict[str, Any]:
    # not by pathlib, whose import takes milliseconds of a cold put
    path = os.path.join(os.path.dirname(__file__), "data", "changes.json")
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


@lru_cache(32)
def _pattern(kind: str, text: str) -> re.Pattern[str] | None:
    """Return one pattern for the phrases of a kind that a text may have; most texts have none."""
    folded = text.lower() if text.isascii() else text.translate(_SAME_LETTERS).lower()
    likely = _table(kind).likely(folded)
    return _compiled("|".join(likely)) if likely else None


@lru_cache(64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


@cache
def _table(kind: str) -> PhraseTable[str]:
    """Return the phrases that name what is `over`, each with a group of its own, or `ended`."""
    rows = _phrases()[kind]
    if kind == "over":
        return PhraseTable((words, _over(phrase, n)) for n, (words, phrase) in enumerate(rows))
    labels = _phrases()["labels"]
    label = rf"^\W*(?:{'|'.join(map(re.escape, labels))})\s?[:：]"
    return PhraseTable([*rows, ("|".join(labels), label)])


def _over(phrase: str, number: int) -> str:
    end = r"(?=[.;,!\n]|$)" if phrase.endswith("{x}") else ""
    return phrase.replace("{x}", _X.replace("<x>", f"<x{number}>")) + end
