"""peek: an overview of a namespace, cheap enough for every prompt."""

from collections.abc import Mapping
from dataclasses import replace

from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.store import Filter, Store, validate
from ghostmem.text.excerpt import first_line

SUMMARY_LENGTH, STUB_LENGTH = 200, 80  # characters of the pinned text, and of a stub
MAX_TOPICS, MAX_RECENT = 5, 20  # topics and stubs, and the tagged memories topics come from


@frozen
class Stub(Record):
    """A memory in one line."""

    ns: str
    key: str
    kind: str
    tier: str
    importance: float
    est_tokens: int
    summary: str


@frozen
class Peek(Record):
    """Counts, recent topics and the most important memories of a namespace."""

    ns: str
    total: int
    memory_counts: Mapping[str, int]
    total_est_tokens: Mapping[str, int]
    recent_topics: tuple[str, ...]
    high_importance: tuple[Stub, ...]
    pinned_summary: str = optional("")


def peek(store: Store, ns: str | None = None) -> Peek:
    """Return an overview of a namespace.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    namespaces = validate.ns_filter(ns)
    live = Filter(ns=namespaces, now=store.clock())
    with store.engine.read() as tx:
        tiers = sorted(tx.listing.groups(live, "tier"), key=lambda group: group.tier)
        important = tx.listing.first(live, "importance", MAX_TOPICS)
        pinned = tx.listing.first(replace(live, pinned=True), "importance", 1)
        newest = tx.listing.first(replace(live, tagged=True), "created_at", MAX_RECENT)
    return Peek(
        namespaces,
        sum(group.memories for group in tiers),
        {group.tier: group.memories for group in tiers},
        {group.tier: group.est_tokens for group in tiers},
        tuple(dict.fromkeys(tag for memory in newest for tag in memory.tags))[:MAX_TOPICS],
        tuple(
            Stub(
                memory.ns,
                memory.key,
                memory.kind,
                memory.tier,
                memory.importance,
                memory.est_tokens,
                first_line(memory.content, STUB_LENGTH),
            )
            for memory in important
        ),
        "".join(first_line(memory.content, SUMMARY_LENGTH) for memory in pinned),
    )
