"""Distribution of memories over tiers, kinds, sources, ages, sizes and days of use."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter

from ghostmem.model import Access, Memory, Record
from ghostmem.store import Filter, Store, validate

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


@dataclass(frozen=True, eq=False, repr=False)
class Bar(Record):
    """The number of memories in one class."""

    name: str
    count: int


@dataclass(frozen=True, eq=False, repr=False)
class ShapeDay(Record):
    """The number of uses and exposures on a day."""

    day: str
    used: int
    shown: int


@dataclass(frozen=True, eq=False, repr=False)
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
        memories = list(tx.listing.scan(Filter(ns=ns_filter, now=now), batch=5_000))
        accesses = list(tx.journal.accesses())
    return MemoryShape(
        ns_filter,
        len(memories),
        sum(map(attrgetter("est_tokens"), memories)),
        sum(map(attrgetter("pinned"), memories)),
        sum(map(attrgetter("locked"), memories)),
        sum(not memory.is_open(now) for memory in memories),
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


def _age_days(memory: Memory, now: datetime) -> float:
    return (now - (memory.recorded_at or memory.created_at)).total_seconds() / 86400


def _top(names: Iterable[str]) -> tuple[Bar, ...]:
    """Return the most frequent names."""
    counts = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    return tuple(Bar(name, count) for name, count in counts[:MAX_BARS])


def _steps(values: Iterable[float], steps: Mapping[str, float], rest: str) -> tuple[Bar, ...]:
    """Count values by the first step that they do not exceed."""
    counts = Counter(
        next((name for name, limit in steps.items() if value <= limit), rest) for value in values
    )
    return tuple(Bar(name, counts[name]) for name in [*steps, rest])


def _months(memories: Iterable[Memory]) -> tuple[Bar, ...]:
    counts = Counter(f"{memory.created_at:%Y-%m}" for memory in memories)
    return tuple(Bar(month, count) for month, count in sorted(counts.items())[-MAX_MONTHS:])


def _use(accesses: Iterable[Access], ids: Set[str], now: datetime) -> tuple[ShapeDay, ...]:
    """Return the uses and exposures of these memories by day, with the days without any."""
    used, shown = Counter[str](), Counter[str]()
    for access in accesses:
        if access.memory_id in ids:
            used[access.day] += access.used
            shown[access.day] += access.shown
    days = [(now - timedelta(days=back)).date().isoformat() for back in range(USE_DAYS)]
    return tuple(ShapeDay(day, used[day], shown[day]) for day in reversed(days))
