"""Distribution of memories over tiers, kinds, sources, ages, sizes and tags, and over time."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Unpack

from ghostmem.clock import as_time
from ghostmem.model import LOCKED, Access, Kind, Memory, SourceKind, Tier
from ghostmem.store import Filter, Narrow, Store, again, narrowed, validate
from ghostmem.store.narrowing import one
from ghostmem.store.records import RowType
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.corrections import successor_key
from ghostmem.web.rows import Row, picked

MAX_BARS = 20  # sources, clients and namespaces
MAX_MONTHS = 24
MAX_TAGS = 40
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
DAY = timedelta(days=1)


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


def shape(store: Store, ns: str | None = None) -> Row:
    """Return the distribution of live memories and of their use; nothing is counted as read.

    Each step of ages, importance and sizes excludes the steps before it.
    """
    ns_filter, now = validate.ns_filter(ns), store.clock()
    with store.engine.read() as tx:
        memories = list(tx.listing.parts(_SHAPED, Filter(ns=ns_filter, now=now)))
        accesses = list(tx.journal.accesses())
    ages = ((now - (memory.recorded_at or memory.created_at)) / DAY for memory in memories)
    return {
        "ns": ns_filter,
        "total": len(memories),
        "est_tokens": sum(memory.est_tokens for memory in memories),
        "pinned": sum(memory.pinned for memory in memories),
        "locked": sum(LOCKED in memory.tags for memory in memories),
        "ended": sum(memory.valid_to is not None and memory.valid_to <= now for memory in memories),
        "tiers": Counter(str(memory.tier) for memory in memories),
        "kinds": Counter(str(memory.kind) for memory in memories),
        "sources": _top(str(memory.source_kind or "stated") for memory in memories),
        "clients": _top(memory.source_client or "unknown" for memory in memories),
        "namespaces": _top(memory.ns for memory in memories),
        "ages": _steps(ages, AGES, "older"),
        "importance": _steps((memory.importance for memory in memories), IMPORTANCES, "1.0"),
        "sizes": _steps((memory.est_tokens for memory in memories), SIZES, "more"),
        "months": _months(memories),
        "use": _use(accesses, {memory.id for memory in memories}, now),
    }


def _top(names: Iterable[str]) -> list[Row]:
    return bars(Counter(names))[:MAX_BARS]


def bars(counts: Counter[str]) -> list[Row]:
    """Return counts as bars, highest first."""
    return [
        {"name": name, "count": count}
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _steps(values: Iterable[float], steps: Mapping[str, float], rest: str) -> list[Row]:
    """Count values by the first step that they do not exceed."""
    limits = list(steps.values())
    counts = Counter(bisect_left(limits, value) for value in values)
    return [{"name": name, "count": counts[at]} for at, name in enumerate([*steps, rest])]


def _months(memories: Iterable[ShapedMemory]) -> list[Row]:
    months = Counter(memory.created_at.date().isoformat()[:7] for memory in memories)
    return [{"name": name, "count": months[name]} for name in sorted(months)[-MAX_MONTHS:]]


def _use(accesses: Iterable[Access], ids: Set[str], now: datetime) -> list[Row]:
    """Return the uses and exposures of these memories by day, with the days without any."""
    used, shown = Counter[str](), Counter[str]()
    for access in accesses:
        if access.memory_id in ids:
            used[access.day] += access.used
            shown[access.day] += access.shown
    days = [(now - timedelta(days=back)).date().isoformat() for back in range(USE_DAYS)]
    return [{"day": day, "used": used[day], "shown": shown[day]} for day in reversed(days)]


def spans(
    store: Store,
    ns: str | None = None,
    *,
    key_prefix: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    changed: bool = False,
    limit: int = 500,
) -> Row:
    """Return the newest versions, including replaced and removed ones, with both times.

    They are in the order of writing; `truncated` means that older ones are left out. `changed`
    leaves out memories with one version that is still valid.
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
    return {"spans": [_span(row) for row in rows[-limit:]], "truncated": len(rows) > limit}


def _span(memory: Memory) -> Row:
    """Return a version: believed until it was replaced or removed, and valid for its own time."""
    more = {
        "believed_to": memory.deleted_at,
        "true_to": memory.valid_to,
        **picked(memory, "pinned source_user"),
        "superseded_by": successor_key(memory),
    }
    return {
        **picked(memory, "ns key version kind tier"),
        "summary": summary_line(memory.content, SUMMARY),
        "believed_from": memory.written_at,
        "true_from": memory.valid_from or memory.created_at,
        **{name: value for name, value in more.items() if value},
    }


@again
def facets(
    store: Store, ns: str | None = None, *, tier: str | None = None, **conditions: Unpack[Narrow]
) -> Row:
    """Count the memories that `list` returns with the same filters, most first."""
    selected = replace(
        narrowed(**conditions),
        ns=validate.ns_filter(ns),
        now=store.clock(),
        tiers=one(validate.choice(tier, Tier, "tier")),
    )
    with store.engine.read() as tx:
        groups = tx.listing.kind_counts(selected)
        tags = tx.listing.tag_counts(selected)
    namespaces: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for name, kind, count in groups:
        namespaces[name] += count
        kinds[kind] += count
    return {
        "total": namespaces.total(),
        "namespaces": bars(namespaces),
        "kinds": bars(kinds),
        "tags": [{"name": tag, "count": count} for tag, count in tags if tag != LOCKED][:MAX_TAGS],
    }
