"""peek: the state of a memory at a glance, cheap enough for every prompt."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ghostmem.engine.rows import Filter
from ghostmem.model import Memory, Record, optional
from ghostmem.text.excerpt import first_line
from ghostmem.verbs import accept
from ghostmem.verbs.store import Store

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
    """Return counts by tier, recent topics, the top pinned text and the most important memories; nothing is counted."""
    which = accept.ns_filter(ns)
    counts: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    ranked: list[Memory] = []
    with store.engine.read() as tx:
        for memory in tx.listing.scan(Filter(ns=which, now=store.clock())):
            counts[str(memory.tier)] += 1
            tokens[str(memory.tier)] += memory.est_tokens
            ranked.append(memory)
    ranked.sort(key=lambda m: (-m.importance, -m.created_at.timestamp(), m.ns, m.key))
    newest = sorted((m for m in ranked if m.tags), key=lambda m: m.created_at, reverse=True)[:RECENT]
    pinned = next((first_line(m.content, SUMMARY) for m in ranked if m.pinned), "")
    stubs = tuple(_stub(m) for m in ranked[:TOPICS])
    return Peek(which, len(ranked), counts, tokens, _topics(newest), stubs, pinned)


def _topics(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for memory in memories for tag in memory.tags))[:TOPICS]


def _stub(memory: Memory) -> Stub:
    summary = first_line(memory.content, STUB)
    return Stub(memory.ns, memory.key, memory.kind, memory.tier, memory.importance, memory.est_tokens, summary)
