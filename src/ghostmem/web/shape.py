"""shape: how what a store holds is spread: over tiers, kinds, sources, ages, sizes and
days of use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from ghostmem.model import Memory, Record
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store

TOP = 20  # of tags, sources and programs
USE = 60  # days of use that are told
AGES = (("a day", 1), ("a week", 7), ("a month", 31), ("3 months", 92), ("a year", 366))
SIZES = (50, 100, 200, 400, 800, 1600)


@dataclass(frozen=True, eq=False, repr=False)
class Bar(Record):
    """How many memories are of a sort."""

    name: str
    count: int


@dataclass(frozen=True, eq=False, repr=False)
class ShapeDay(Record):
    """How many uses and exposures there were on a day."""

    day: str
    used: int
    shown: int


@dataclass(frozen=True, eq=False, repr=False)
class Shape(Record):
    """Counts of live memories; ages and sizes are in steps, each of which has what the one before
    has not.
    """

    ns: str
    total: int
    est_tokens: int
    pinned: int
    locked: int
    ended: int
    tiers: Mapping[str, int]
    kinds: Mapping[str, int]
    sources: tuple[Bar, ...]
    clients: tuple[Bar, ...]
    namespaces: tuple[Bar, ...]
    ages: tuple[Bar, ...]
    importance: tuple[Bar, ...]
    sizes: tuple[Bar, ...]
    months: tuple[Bar, ...]
    use: tuple[ShapeDay, ...]


def shape(store: Store, ns: str | None = None) -> Shape:
    """Count live memories by what they are, and their use by day; nothing is counted as read."""
    which = validate.ns_filter(ns)
    now = store.clock()
    with store.engine.read() as tx:
        found = list(tx.listing.scan(Filter(ns=which, now=now), batch=5_000))
        ids = {memory.id for memory in found}
        first = (now - timedelta(days=USE - 1)).date().isoformat()
        use = [one for one in tx.journal.accesses() if one.day >= first and one.memory_id in ids]
    ages = [(now - (m.recorded_at or m.created_at)).total_seconds() / 86400 for m in found]
    used, shown = Counter[str](), Counter[str]()
    for one in use:
        used[one.day] += one.used
        shown[one.day] += one.shown
    days = [(now - timedelta(days=back)).date().isoformat() for back in range(USE - 1, -1, -1)]
    return Shape(
        which,
        len(found),
        sum(m.est_tokens for m in found),
        sum(m.pinned for m in found),
        sum(m.locked for m in found),
        sum(not m.is_open(now) for m in found),
        Counter(str(m.tier) for m in found),
        Counter(str(m.kind) for m in found),
        _top(str(m.source_kind or "stated") for m in found),
        _top(m.source_client or "unknown" for m in found),
        _top(m.ns for m in found),
        _steps(ages, [(f"up to {name}", most) for name, most in AGES], "older"),
        _steps(
            [m.importance for m in found],
            [(f"{n / 10:.1f}", n / 10 + 0.05) for n in range(10)],
            "1.0",
        ),
        _steps([m.est_tokens for m in found], [(f"up to {most}", most) for most in SIZES], "more"),
        _months(found),
        tuple(ShapeDay(day, used[day], shown[day]) for day in days),
    )


def _top(names: Iterable[str]) -> tuple[Bar, ...]:
    return tuple(
        Bar(*one) for one in sorted(Counter(names).items(), key=lambda one: (-one[1], one[0]))[:TOP]
    )


def _steps(values: Iterable[float], steps: list[tuple[str, float]], rest: str) -> tuple[Bar, ...]:
    counts = Counter(
        next((name for name, most in steps if value <= most), rest) for value in values
    )
    return tuple(Bar(name, counts[name]) for name in [*(name for name, _ in steps), rest])


def _months(found: list[Memory]) -> tuple[Bar, ...]:
    counts = Counter(f"{m.created_at:%Y-%m}" for m in found)
    return tuple(Bar(*one) for one in sorted(counts.items())[-24:])
