"""What to make of a memory and a unit that should say the same, given what both said last time."""

from typing import NamedTuple

from ghostmem.notes.mirrors.base import fingerprint, inked
from ghostmem.notes.topic_file import folded


class Side(NamedTuple):
    """What one side says: a text, and the tags that both sides can have."""

    text: str
    tags: tuple[str, ...] = ()


class Base(NamedTuple):
    """What both sides said when they last agreed."""

    hash: str
    tags: frozenset[str] = frozenset()


class Verdict(NamedTuple):
    """What both sides shall say (None: nothing), and a text that must be kept under another key."""

    keep: Side | None
    spare: str | None = None


def settle(
    base: Base | None, memory: Side | None, unit: Side | None, *, locked: bool = False
) -> Verdict:
    """Merge three ways: a change goes to the other side, an edit wins over a removal, of two texts
    none is lost.

    Of two texts the folder's keeps the key, but never that of a memory that is locked.
    """
    if memory is None or unit is None:
        one = memory or unit
        gone = (
            one is not None
            and base is not None
            and is_as_agreed(base, one)
            and not (locked and memory is not None)
        )
        return Verdict(None if gone else one)
    tags = (
        memory.tags
        if locked
        else merged(base.tags if base else frozenset(), memory.tags, unit.tags)
    )
    told, written = fingerprint(memory.text), fingerprint(unit.text)
    if told == written or (base is not None and base.hash == written):
        return Verdict(Side(memory.text, tags))
    if locked:
        return Verdict(Side(memory.text, tags), unit.text)
    return Verdict(
        Side(unit.text, tags),
        None if base is not None and base.hash == told else inked(memory.text),
    )


def is_as_agreed(base: Base, side: Side) -> bool:
    """Say whether a side still says what both agreed on."""
    return base.hash == fingerprint(side.text) and base.tags == names(side.tags)


def is_same(one: Side, other: Side) -> bool:
    """Say whether two sides say the same."""
    return fingerprint(one.text) == fingerprint(other.text) and names(one.tags) == names(other.tags)


def merged(base: frozenset[str], mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Merge tags: what either side took away is gone, what either added is there."""
    removed = base - names(theirs)
    known = names(mine) | base
    return (
        *(tag for tag in mine if folded(tag) not in removed),
        *(tag for tag in theirs if folded(tag) not in known),
    )


def names(tags: tuple[str, ...]) -> frozenset[str]:
    """Return tags as they are compared."""
    return frozenset(folded(tag) for tag in tags)
