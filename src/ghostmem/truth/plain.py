"""Decide by plain rules how a new text relates to an older one, when the judge is off.

Only what a text says outright counts: the same text again, a phrase that names what is over
("instead of X", "moved from X to Y", "no longer"), a label ("Correction:"), or the same words with
and without a negation. `data/changes.json` has the phrases. Everything else is new."""

import json
import re
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.model import VerdictKind
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
    if new.split() == old.split() or essence(new) == essence(old) != ():
        return PlainVerdict(VerdictKind.RESTATEMENT)
    mine, theirs = set(index_terms(new)), set(index_terms(old))
    if not mine & theirs or is_question(new):
        return PlainVerdict(VerdictKind.NEW)
    if _may_tell_change(new) and (phrase := _names_over(new, mine, theirs)):
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
        set(index_terms(new)) == set(index_terms(old))
        and sorted(_numbers(new)) == sorted(_numbers(old))
        and bool(_negation(new)) == bool(_negation(old))
    )


def announces_change(text: str) -> bool:
    """Say whether a text has a phrase of change."""
    text = text[:MAX_READ]
    return _may_tell_change(text) and bool(_ending(text) or _over().search(text))


@lru_cache(16)  # a text is compared with several others
def _may_tell_change(text: str) -> bool:
    """Say whether a text has a word of a phrase or label of change; most texts have none."""
    folded = text.lower() if text.isascii() else text.translate(_SAME_LETTERS).lower()
    return any(word in folded for word in _words_of_change())


def _ending(text: str) -> str:
    """Return the phrase or label by which a text says that something is over or corrected."""
    found = _endings().search(text) if _may_tell_change(text) else None
    return " ".join(found[0].split())[:60].lower() if found else ""


def _names_over(new: str, mine: Collection[str], theirs: Collection[str]) -> str:
    """Return a phrase of a text that ends what an older one says, if both are about one thing."""
    for found in _over().finditer(new):
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
    path = Path(__file__).parent / "data" / "changes.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def _over() -> re.Pattern[str]:
    """Return one pattern for all phrases that name what is over; each has a group of its own."""
    parts = [
        phrase.replace("{x}", _X.replace("<x>", f"<x{number}>"))
        + (r"(?=[.;,!\n]|$)" if phrase.endswith("{x}") else "")
        for number, (_, phrase) in enumerate(_phrases()["over"])
    ]
    return re.compile("|".join(parts), re.IGNORECASE | re.MULTILINE)


@cache
def _endings() -> re.Pattern[str]:
    labels = "|".join(map(re.escape, _phrases()["labels"]))
    ended = [phrase for _, phrase in _phrases()["ended"]]
    label = rf"^\W*(?:{labels})\s?[:：]"
    return re.compile("|".join([*ended, label]), re.IGNORECASE | re.MULTILINE)


@cache
def _words_of_change() -> tuple[str, ...]:
    """Return words of which each text with a phrase or a label contains one."""
    rows = (*_phrases()["over"], *_phrases()["ended"])
    words = {word for words, _ in rows for word in words.split("|")}
    words.update(_phrases()["labels"])
    return tuple(sorted(word for word in words if not any(part in word for part in words - {word})))
