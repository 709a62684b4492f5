"""Where two texts of much the same words differ, and whether that is another value of one thing or
another thing.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from ghostmem.text.stem import stem
from ghostmem.truth.rules.said import Said, Word
from ghostmem.truth.rules.wordings import (
    EXCLUSIVE,
    EXCLUSIVE_SIGNS,
    NUMBERED,
    OPPOSITE,
    ROLE_SIGNS,
    ROLES,
    STATES,
)

LONGEST = 8  # words that a value may have
_PAST = frozenset(
    "met ran paid read sent bought went saw got did made built wrote ate said told asked "
    "took gave found won lost drove flew"
    " slept visited was were had came began spent finished failed fails shipped".split()
)
_MOMENT = (
    r"\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|month)"
    r"|last (?:night|week))\b|今天|昨天|今晚|今早|已|了"
)
_MARKERS = frozenset(
    "over than before after to from by of instead above below under with zu von por".split()
)

_ORDERS = frozenset("use prefer set keep run call write put send store take".split())
_TURNING = frozenset(
    "or before after until from off out up down under over below above against only get my "
    "your his her their less more some all"
    " first last few many".split()
)
_ARTICLES = ("the", "a", "an", "der", "die", "das", "el", "la")
_HELD = frozenset("is are ist esta answers responds replies runs sits stays".split())
_ONCE = frozenset(
    "founded born established incorporated signed built invented".split()
)  # what happens to a thing but once
_PLACING = ("in", "on", "at", "with", "by", "to", "en")


class Region(NamedTuple):
    """One place in which two texts differ: the words of each, and the place in both."""

    new: tuple[Word, ...]
    old: tuple[Word, ...]
    at_new: int
    at_old: int


class Aligned(NamedTuple):
    """Two texts side by side: where they differ, and how much of the longer one they have in
    common, word by word.
    """

    regions: tuple[Region, ...]
    common: float


def align(new: Said, old: Said) -> Aligned:
    """Lay two texts side by side.

    Places that differ with but one empty word between them are one.
    """
    mine, theirs = [_form(word) for word in new.words], [_form(word) for word in old.words]
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    found: list[Region] = []
    common = 0
    gap = 0
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal":
            common += b - a
            gap = b - a if any(word.term for word in new.words[a:b]) else 0
            continue
        region = Region(new.words[a:b], old.words[c:d], a, c)
        if (
            found
            and gap == 0
            and (
                found[-1].at_new + len(found[-1].new) != a
                or found[-1].at_old + len(found[-1].old) != c
            )
        ):
            last = found.pop()
            region = Region(
                new.words[last.at_new : b], old.words[last.at_old : d], last.at_new, last.at_old
            )
        found.append(region)
    return Aligned(tuple(found), common / max(len(mine), len(theirs), 1))


def _form(word: Word) -> str:
    return word.term or word.plain


def is_opposite(region: Region) -> bool:
    """Say whether what differs are two words of which one denies the other."""
    mine, theirs = ([stem(word.plain) for word in words] for words in (region.new, region.old))
    return any(frozenset((one, other)) in OPPOSITE for one in mine for other in theirs)


def is_turned(region: Region) -> bool:
    """Say whether a small word that turns a sentence around stands in place of another: or for and,
    from for to, get for set.
    """
    return bool(region.new and region.old) and any(
        word.plain in _TURNING for word in (*region.new, *region.old)
    )


def is_swapped(new: Said, old: Said) -> bool:
    """Say whether what stands before and after a preposition in one text stands after and before it
    in the other.
    """
    mine, theirs = _around(new.words), _around(old.words)
    for marker in mine.keys() & theirs.keys():
        (before, after), (was_before, was_after) = mine[marker], theirs[marker]
        if after != was_after and was_after in before and after in was_before:
            return True
    between, was_between = _between(new.words), _between(old.words)
    return any(
        between[word] == was_between[word][::-1] for word in between.keys() & was_between.keys()
    )


def _between(words: Sequence[Word]) -> dict[str, tuple[str, str]]:
    """Return the different terms on both sides of each word that has some, as it stands: a passive
    exchanges them rightly.
    """
    kept = [word for word in words if word.term]
    sides = zip(kept, kept[1:-1], kept[2:], strict=False)
    return {
        word.plain: (left.term, right.term)
        for left, word, right in sides
        if left.term != right.term
    }


def _around(words: Sequence[Word]) -> dict[str, tuple[frozenset[str], str]]:
    """Return the terms before and the first term after each preposition that a text has
    only once.
    """
    found: dict[str, tuple[frozenset[str], str]] = {}
    plain = [word.plain for word in words]
    for at, word in enumerate(words):
        if word.plain in _MARKERS and plain.count(word.plain) == 1:
            after = next((other.term for other in words[at + 1 : at + 5] if other.term), "")
            if after:
                found[word.plain] = (
                    frozenset(other.term for other in words[:at] if other.term),
                    after,
                )
    return found


def subject(said: Said) -> frozenset[str]:
    """Return what a text says something of: the terms before its first verb of state.

    Empty if there is none.
    """
    state = next((at for at, word in enumerate(said.words) if _is_state(word)), 0)
    return frozenset(word.term for word in said.words[:state] if word.term)


def is_other_value(new: Said, old: Said, aligned: Aligned) -> bool:
    """Say whether two texts say the same of one thing but for one value, which can only be one at a
    time.

    What they are about, and the verb, must stand before the value and agree; what happened once, or
    holds for a moment, has no value that another could contradict."""
    regions = [
        region for region in aligned.regions if any(w.term for w in (*region.new, *region.old))
    ]
    if len(regions) != 1 or aligned.common < 0.5:
        return False
    (region,) = regions
    mine, theirs = (
        [word for word in side if word.term or word.plain == "one"]
        for side in (region.new, region.old)
    )
    if (
        not mine
        or not theirs
        or max(len(mine), len(theirs)) > LONGEST
        or re.search(_MOMENT, new.text.lower())
    ):
        return False
    before, after = new.words[: region.at_new], new.words[region.at_new + len(region.new) :]
    once = any(word.plain in _ONCE for word in before)
    if (
        before
        and before[-1].plain in NUMBERED
        and all(word.plain.isdecimal() for word in (*mine, *theirs))
    ):
        return False  # another one of a series, such as note 4
    if not once and (_is_event(new.words) or _is_event(old.words)):
        return False
    if not any(word.term for word in before):
        return _is_holder(after)
    state = next((at for at, word in enumerate(before) if _is_state(word)), None)
    if state is None and not once and not _is_order(new.words):
        return False
    return once or _is_single(before, after, mine, theirs)


def _is_state(word: Word) -> bool:
    return word.plain in STATES


def _is_order(words: Sequence[Word]) -> bool:
    """Say whether a text opens with what to do: a verb in its plain form."""
    return bool(words) and words[0].plain in _ORDERS


def _is_event(words: Sequence[Word]) -> bool:
    """Say whether a text tells what happened: a past form among the first words, with no `is`
    before it.
    """
    for word in words[:6]:
        if word.plain in ("is", "are", "be", "been", "has", "have", ":", "es", "ist"):
            return False
        if word.plain in _PAST or (
            word.plain.endswith("ed")
            and len(word.plain) > 4
            and word.plain not in ("need", "speed", "feed")
        ):
            return True
    return False


def _is_holder(after: Sequence[Word]) -> bool:
    """Say whether what follows names the one holder of a place: `is the lead of the search
    team`.
    """
    plain = [word.plain for word in after[:2]]
    return plain in (
        ["is", "the"],
        ["is", "our"],
        ["ist", "der"],
        ["ist", "die"],
        ["es", "la"],
        ["es", "el"],
    ) and any(stem(word.plain) in ROLES for word in after)


def _is_single(
    before: Sequence[Word], after: Sequence[Word], mine: Sequence[Word], theirs: Sequence[Word]
) -> bool:
    """Say whether something has but one such value at a time."""
    if all(any(word.is_amount or word.plain == "one" for word in side) for side in (mine, theirs)):
        return True
    if _is_one_of_several(before):
        return False
    if any(stem(word.plain) in ROLES or word.plain in EXCLUSIVE for word in before):
        return True
    start = "".join(word.plain for word in before)
    if any(sign in start for sign in (*ROLE_SIGNS, *EXCLUSIVE_SIGNS)):
        return True
    if after and after[0].plain in ("for", "fur", "para"):
        return True
    if before and before[-1].plain == "as":
        return True
    ends = [word.plain for word in before if word.plain not in _ARTICLES][-3:]
    return bool(ends) and ends[-1] in _PLACING and not _HELD.isdisjoint(ends)


def _is_one_of_several(before: Sequence[Word]) -> bool:
    """Say whether what follows is one of what there may be more of: owns a bike."""
    return [word.plain for word in before[-2:-1]] in (["owns"], ["own"]) and before[-1].plain in (
        "a",
        "an",
    )
