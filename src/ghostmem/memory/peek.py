"""peek: the state of a memory at a glance, cheap enough for every prompt."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ghostmem.model import Memory, Record, optional
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.excerpt import first_line

SUMMARY, STUB, TOPICS, RECENT = 200, 80, 5, 20


@dataclass(frozen=True, eq=False, repr=False)
class Stub(Record):
    """A memory in one line."""

    ns: str
    key: str
    kind: str
    tier: str
    importance: float
    est_tokens: int
    summary: str


@dataclass(frozen=True, eq=False, repr=False)
class Peek(Record):
    """What a namespace knows, without reading it."""

    ns: str
    total: int
    memory_counts: Mapping[str, int]
    total_est_tokens: Mapping[str, int]
    recent_topics: tuple[str, ...]
    high_importance: tuple[Stub, ...]
    pinned_summary: str = optional("")


def peek(store: Store, ns: str | None = None) -> Peek:
    """Return counts by tier, recent topics, the top pinned text and the most important memories.

    Nothing is counted.
    """
    which = validate.ns_filter(ns)
    live = Filter(ns=which, now=store.clock())
    with store.engine.read() as tx:
        tiers = sorted(tx.listing.groups(live, "tier"), key=lambda group: group.tier)
        important = tx.listing.first(live, "importance", TOPICS)
        pinned = tx.listing.first(replace(live, pinned=True), "importance", 1)
        newest = tx.listing.first(replace(live, tagged=True), "created_at", RECENT)
    return Peek(
        which,
        sum(group.memories for group in tiers),
        {group.tier: group.memories for group in tiers},
        {group.tier: group.est_tokens for group in tiers},
        _topics(newest),
        tuple(_stub(memory) for memory in important),
        "".join(first_line(memory.content, SUMMARY) for memory in pinned),
    )


def _topics(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for memory in memories for tag in memory.tags))[:TOPICS]


def _stub(memory: Memory) -> Stub:
    summary = first_line(memory.content, STUB)
    return Stub(
        memory.ns,
        memory.key,
        memory.kind,
        memory.tier,
        memory.importance,
        memory.est_tokens,
        summary,
    )
