"""Distribution of memories over tiers, kinds, sources, ages and sizes, and over spans of time."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple

from ghostmem.clock import as_time
from ghostmem.frozen import frozen
from ghostmem.model import LOCKED, Access, Kind, Memory, Record, SourceKind, Tier, optional
from ghostmem.store import Filter, Store, validate
from ghostmem.store.records import RowType
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.corrections import successor_key

MAX_BARS = 20  # sources, clients and namespaces
MAX_MONTHS = 24
USE_DAYS = 60
AGES = {  # in days
    "up to a day": 1,
    "up to a week": 7,
    "up to a month": 31,
    "up to 3 months": 92,
    "up to a year": 366,
}
SIZES = {f"up to {tokens}": tokens for tokens in (50, 100, 200, 400, 800, 1600)}
IMPORTANCES = {f"{tenth / 10:.1f}": tenth / 10 + 0.05 for tenth in range(10)}

SUMMARY = 160


class ShapedMemory(NamedTuple):
    """The fields of a memory that are counted."""

    id: str
    ns: str
    tier: Tier
    kind: Kind
    tags: tuple[str, ...]
    pinned: bool
    importance: float
    est_tokens: int
    created_at: datetime
    recorded_at: datetime | None
    valid_to: datetime | None
    source_kind: SourceKind | None
    source_client: str | None


_SHAPED = RowType("memories", ShapedMemory)


@frozen
class Bar(Record):
    """The number of memories in one class."""

    name: str
    count: int


@frozen
class ShapeDay(Record):
    """The number of uses and exposures on a day."""

    day: str
    used: int
    shown: int


@frozen
class MemoryShape(Record):
    """Counts of live memories; each step of ages and sizes excludes the steps before it."""

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


def shape(store: Store, ns: str | None = None) -> MemoryShape:
    """Return the distribution of live memories and of their use; nothing is counted as read."""
    ns_filter, now = validate.ns_filter(ns), store.clock()
    with store.engine.read() as tx:
        memories = list(tx.listing.parts(_SHAPED, Filter(ns=ns_filter, now=now)))
        accesses = list(tx.journal.accesses())
    return MemoryShape(
        ns_filter,
        len(memories),
        sum(map(attrgetter("est_tokens"), memories)),
        sum(map(attrgetter("pinned"), memories)),
        sum(LOCKED in memory.tags for memory in memories),
        sum(memory.valid_to is not None and memory.valid_to <= now for memory in memories),
        Counter(map(str, map(attrgetter("tier"), memories))),
        Counter(map(str, map(attrgetter("kind"), memories))),
        _top(str(memory.source_kind or "stated") for memory in memories),
        _top(memory.source_client or "unknown" for memory in memories),
        _top(memory.ns for memory in memories),
        _steps((_age_days(memory, now) for memory in memories), AGES, "older"),
        _steps((memory.importance for memory in memories), IMPORTANCES, "1.0"),
        _steps((memory.est_tokens for memory in memories), SIZES, "more"),
        _months(memories),
        _use(accesses, {memory.id for memory in memories}, now),
    )


def _age_days(memory: ShapedMemory, now: datetime) -> float:
    return (now - (memory.recorded_at or memory.created_at)).total_seconds() / 86400


def _top(names: Iterable[str]) -> tuple[Bar, ...]:
    """Return the most frequent names."""
    return bars(Counter(names))[:MAX_BARS]


def bars(counts: Counter[str]) -> tuple[Bar, ...]:
    """Return counts as bars, highest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Bar(name, count) for name, count in ordered)


def _steps(values: Iterable[float], steps: Mapping[str, float], rest: str) -> tuple[Bar, ...]:
    """Count values by the first step that they do not exceed."""
    limits = list(steps.values())
    counts = Counter(bisect_left(limits, value) for value in values)
    return tuple(Bar(name, counts[place]) for place, name in enumerate([*steps, rest]))


def _months(memories: Iterable[ShapedMemory]) -> tuple[Bar, ...]:
    months = Counter((memory.created_at.year, memory.created_at.month) for memory in memories)
    return tuple(
        Bar(f"{year:04}-{month:02}", count)
        for (year, month), count in sorted(months.items())[-MAX_MONTHS:]
    )


def _use(accesses: Iterable[Access], ids: Set[str], now: datetime) -> tuple[ShapeDay, ...]:
    """Return the uses and exposures of these memories by day, with the days without any."""
    used, shown = Counter[str](), Counter[str]()
    for access in accesses:
        if access.memory_id in ids:
            used[access.day] += access.used
            shown[access.day] += access.shown
    days = [(now - timedelta(days=back)).date().isoformat() for back in range(USE_DAYS)]
    return tuple(ShapeDay(day, used[day], shown[day]) for day in reversed(days))


@frozen
class VersionSpan(Record):
    """A version: believed until it was replaced or removed, and valid for its own time."""

    ns: str
    key: str
    version: int
    summary: str
    kind: Kind
    tier: Tier
    believed_from: datetime
    true_from: datetime
    believed_to: datetime | None = optional()
    true_to: datetime | None = optional()
    pinned: bool = optional(False)
    source_user: str | None = optional()
    superseded_by: str | None = optional()


@frozen
class Spans(Record):
    """Versions by time of writing, oldest first; `truncated` means that older ones are left out."""

    spans: tuple[VersionSpan, ...]
    truncated: bool


def spans(
    store: Store,
    ns: str | None = None,
    *,
    key_prefix: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    changed: bool = False,
    limit: int = 500,
) -> Spans:
    """Return the newest versions, including replaced and removed ones, with both times.

    `changed` leaves out memories with one version that is still valid.
    """
    validate.positive(limit, "limit")
    which = Filter(
        ns=validate.ns_filter(ns),
        now=store.clock(),
        key_prefix=None if key_prefix is None else validate.text(key_prefix, "key prefix"),
        after=None if after is None else as_time(after, "after"),
        before=None if before is None else as_time(before, "before"),
        changed=changed,
    )
    with store.engine.read() as tx:
        rows = tx.listing.select(which, limit + 1)
        rows += tx.listing.select(replace(which, deleted=True, now=None), limit + 1)
    rows.sort(key=lambda m: (m.written_at, m.ns, m.key, m.version))
    return Spans(tuple(_span(memory) for memory in rows[-limit:]), len(rows) > limit)


def _span(memory: Memory) -> VersionSpan:
    return VersionSpan(
        memory.ns,
        memory.key,
        memory.version,
        summary_line(memory.content, SUMMARY),
        memory.kind,
        memory.tier,
        memory.written_at,
        memory.valid_from or memory.created_at,
        memory.deleted_at,
        memory.valid_to,
        memory.pinned,
        memory.source_user,
        successor_key(memory),
    )
