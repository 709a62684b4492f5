"""Memories that are alike: groups around the most important one, and whether two texts really say
the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from ghostmem.model import Memory, Tier
from ghostmem.text.terms import index_terms

# numbers with their sign, words, single signs
_WORDS = r"[-+±]?\d+(?:[.,:/'’-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*[#+]*|\w+|\S"
_SILENT = frozenset(
    "。、，！：；「」.,;:!\"'’‘“”()[]{}…—–-·*_`#>|~"
)  # punctuation and markup that says nothing
_EMPTY = frozenset(
    "a an the its also very really quite".split()
)  # words without which a sentence says the same


def groups(
    memories: Sequence[Memory], near: Mapping[str, Mapping[str, float]]
) -> list[list[Memory]]:
    """Return groups of at least two: each most important memory, newest first among equals, with
    all that are near it.
    """
    by_id = {memory.id: memory for memory in memories}
    taken: set[str] = set()
    found: list[list[Memory]] = []
    for pivot in in_order(memories):
        if pivot.id in taken:
            continue
        others = [
            id_
            for id_ in near.get(pivot.id, {})
            if id_ in by_id and id_ not in taken and id_ != pivot.id
        ]
        if others:
            taken.update((pivot.id, *others))
            found.append([pivot, *sorted((by_id[id_] for id_ in others), key=lambda m: m.key)])
    return found


def in_order(memories: Sequence[Memory]) -> list[Memory]:
    """Return memories by importance, newest first among equals.

    Dormant ones come last: they lose no importance, and would outrank their duplicates in time.
    """
    return sorted(
        memories,
        key=lambda m: (m.tier == Tier.DORMANT, -m.importance, -m.created_at.timestamp(), m.key),
    )


def essence(text: str) -> tuple[str, ...]:
    """Return what a text says, word by word, in order: texts that differ in case, punctuation and
    empty words say the same.

    Two messages of one template with other names, numbers or days in them do not, and neither do a
    sentence and its negation, its question, or one in which who does it to whom is exchanged: a
    single word can turn a sentence around, and no list of such words is ever complete."""
    plain = re.sub(r"n['’]t\b", " not", text.lower())
    return tuple(
        token for token in re.findall(_WORDS, plain) if token not in _SILENT and token not in _EMPTY
    )


TURNS = frozenset(  # words that an index leaves out and that turn a sentence around
    "no not never none nobody nothing nowhere neither nor without cannot only before after "
    "until since up down on off over under"
    " above below against all both each some any few".split()
)
SHARED = 0.7  # what share of the longer text's distinctive terms the shorter must have


def resembles(text: str, kept: str) -> bool:
    """Say whether everything distinctive in a text is also in another, in the same order: ground
    for a second look, no more.
    """
    mine, theirs = distinctive(text), distinctive(kept)
    if not mine or not theirs:
        return text.split() == kept.split()
    return (
        turns(text) == turns(kept)
        and _is_within(mine, theirs)
        and len(mine) >= SHARED * len(theirs)
    )


def distinctive(text: str) -> list[str]:
    """Return what a text is about, in order: its stemmed words without stop words, and every
    number.
    """
    return [
        *index_terms(text),
        *(f"#{number}" for number in re.findall(r"\d+(?:[.:,/-]\d+)*", text)),
    ]


def turns(text: str) -> list[str]:
    """Return the words that turn a sentence around, in order."""
    return [word for word in essence(text) if word in TURNS]


def _is_within(short: Iterable[str], long: Sequence[str]) -> bool:
    """Say whether one sequence is part of another, in order."""
    rest = iter(long)
    return all(term in rest for term in short)
