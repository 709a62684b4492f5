"""Decide by plain rules how a new text relates to an older one, when the judge is off.

Only what a text says outright counts: the same text again, a phrase that names what is over
("instead of X", "moved from X to Y", "no longer"), a label ("Correction:"), or the same words with
and without a negation. `data/changes.json` has the phrases. Everything else is new."""

import json
import os
import re
from collections.abc import Collection
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ghostmem.lazy import lazy_property
from ghostmem.model import VerdictKind
from ghostmem.text.phrases import PhraseTable
from ghostmem.text.question import is_question
from ghostmem.text.temporal import day_match, times_in
from ghostmem.text.terms import index_terms
from ghostmem.truth.alike import essence

MAX_READ = 3_000  # characters of a text that are judged
_NAMED = 0.6  # share of the words that are over which the older text must have
_COVERED = 0.4  # share of the older text's words that a text which ends it must have
_ALIKE = 0.75  # share of a text's words that its negation must have
# the letters that `re.IGNORECASE` takes for i and s, and `str.lower` does not
_SAME_LETTERS = {0x130: "i", 0x131: "i", 0x17F: "s"}
_X = r"(?P<x>[^.;,\n]{2,60}?)"


class Opinion(NamedTuple):
    """How a text relates to another, how likely, a phrase for it, and whether to act on it."""

    kind: VerdictKind
    confidence: float = 1.0
    phrase: str = ""
    is_sure: bool = True


class AnalysedText:
    """A text and the parts of its start that are compared with other texts, each found once."""

    def __init__(self, content: str) -> None:
        self.content, self.start = content, content[:MAX_READ]

    @lazy_property
    def terms(self) -> dict[str, None]:
        """Return its index terms in order."""
        return dict.fromkeys(index_terms(self.start))

    @lazy_property
    def essence(self) -> tuple[str, ...]:
        """Return its words without those that say nothing."""
        return essence(self.start)

    @lazy_property
    def over(self) -> list[re.Match[str]]:
        """Return its phrases that name what is over."""
        pattern = _pattern("over", self.start)
        return [] if pattern is None else list(pattern.finditer(self.start))

    @lazy_property
    def ending(self) -> str:
        """Return the phrase or label by which it says that something is over or corrected."""
        pattern = _pattern("ended", self.start)
        match = pattern.search(self.start) if pattern is not None else None
        return _plain(match[0])[:60] if match else ""

    @lazy_property
    def announces_change(self) -> bool:
        """Say whether it has a phrase of change, or a word such as `now` or `currently`."""
        return bool(self.ending or self.over or find_phrase("present", self.start))

    @lazy_property
    def negation(self) -> re.Match[str] | None:
        """Return its first negation."""
        words = "|".join(_phrases()["negations"])
        return _compiled(rf"\b(?:{words})\b").search(
            _compiled(_phrases()["affirmed"]).sub(" ", _spelled_out(self.start))
        )


def judge_plainly(new: AnalysedText, old: AnalysedText) -> Opinion:
    """Return what a new text is to an older one."""
    if new.start.split() == old.start.split() or new.essence == old.essence != ():
        return Opinion(VerdictKind.RESTATEMENT)
    if not new.terms.keys() & old.terms.keys() or is_question(new.start):
        return Opinion(VerdictKind.NEW)
    if phrase := _names_over(new, old):
        return Opinion(VerdictKind.UPDATE, 0.9, phrase)
    if (
        _share(old.terms, new.terms) >= _COVERED
        and new.ending
        and new.ending not in _plain(old.start)
    ):
        return Opinion(VerdictKind.UPDATE, 0.8, new.ending)
    first, second = (new, old) if new.negation else (old, new)
    if (
        first.negation
        and not second.negation
        and _numbers(new.start) == _numbers(old.start)
        and _is_negated(first.negation, first.terms, second.terms)
    ):
        return Opinion(VerdictKind.CONFLICT, 0.8, first.negation[0])
    return Opinion(VerdictKind.NEW)


def _names_over(new: AnalysedText, old: AnalysedText) -> str:
    """Return a phrase of a text that ends what an older one says, if both are about one thing."""
    for match in new.over:
        over = set(index_terms(match[match.lastgroup or 0]))
        if (
            over
            and _share(over, old.terms) >= _NAMED
            and (new.terms.keys() - over) & old.terms.keys()
        ):
            return _plain(match[0])[:60]
    return ""


def _share(some: Collection[str], other_terms: Collection[str]) -> float:
    return len(set(some) & set(other_terms)) / max(1, len(set(some)))


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,:/-]\d+)*", text)


def find_phrase(kind: str, text: str) -> re.Match[str] | None:
    """Return the first phrase of a kind: `present`, `affirmed` or `tenses` in the data."""
    return _compiled(_phrases()[kind]).search(_spelled_out(text[:MAX_READ]))


def reports_event(text: str, moment: datetime) -> bool:
    """Say whether a text of a time tells what happened, rather than what holds.

    It names a day or period shortly before that time, or its first verb is in the past tense."""
    times = times_in(text[:MAX_READ], moment)
    if times.window is not None or day_match(times, moment):
        return True
    verb = find_phrase("tenses", text)
    return verb is not None and verb.lastgroup == "past"


def _is_negated(
    negation: re.Match[str], own_terms: Collection[str], other_terms: Collection[str]
) -> bool:
    """Say whether a text with a negation and some terms negates one with other terms.

    One that negates a thing of its own only adds to the other: "but not on Monday"."""
    after = negation.string[negation.end() :]
    is_own = set(other_terms).isdisjoint(index_terms(after)) and re.search(r"\w", after)
    return (
        set(own_terms).difference(_phrases()["negations"]) <= set(other_terms)
        and _share(other_terms, own_terms) >= _ALIKE
        and not is_own
    )


def _spelled_out(text: str) -> str:
    return re.sub(r"n['’]t\b", " not", text.lower())


@cache
def phrases(name: str) -> dict[str, Any]:
    """Return a table of phrases of this package."""
    # not by pathlib, whose import takes milliseconds of a cold put
    with open(
        os.path.join(os.path.dirname(__file__), "data", f"{name}.json"), encoding="utf-8"
    ) as file:
        return dict(json.load(file))


def _phrases() -> dict[str, Any]:
    return phrases("changes")


def _pattern(kind: str, text: str) -> re.Pattern[str] | None:
    """Return one pattern for the phrases of a kind that a text may have; most texts have none."""
    likely = _table(kind).likely(
        text.lower() if text.isascii() else text.translate(_SAME_LETTERS).lower()
    )
    return _compiled("|".join(likely)) if likely else None


@lru_cache(64)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


@cache
def _table(kind: str) -> PhraseTable[str]:
    """Return the phrases that name what is `over`, each with a group of its own, or `ended`."""
    rows = _phrases()[kind]
    if kind == "over":
        end = r"(?=[.;,!\n]|$)"
        return PhraseTable(
            (
                words,
                phrase.replace("{x}", _X.replace("<x>", f"<x{number}>"))
                + (end if phrase.endswith("{x}") else ""),
            )
            for number, (words, phrase) in enumerate(rows)
        )
    labels = _phrases()["labels"]
    return PhraseTable(
        [*rows, ("|".join(labels), rf"^\W*(?:{'|'.join(map(re.escape, labels))})\s?[:：]")]
    )
