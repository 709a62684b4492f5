"""list: the memories of a namespace or about a file; peek: an overview for every prompt."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.model import Memory, Record, Tier, optional
from ghostmem.store import Filter, Store, again, narrowed, validate
from ghostmem.store.narrowing import one
from ghostmem.text.excerpt import first_line

SUMMARY_LENGTH, STUB_LENGTH = 200, 80  # characters of the pinned text, and of a stub
MAX_TOPICS, MAX_RECENT = 5, 20  # topics and stubs, and the tagged memories topics come from


@again
def list_memories(
    store: Store,
    ns: str | None = None,
    *,
    tier: str | None = None,
    key_prefix: str | None = None,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    pinned: bool | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    valid_at: datetime | str | None = None,
    file: str | None = None,
    file_rel: str | None = None,
    deleted: bool = False,
    limit: int = 20,
    offset: int = 0,
) -> list[Memory]:
    """Return live memories that pass every filter, newest first.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
        tier: "sensory", "stm", "ltm" or "dormant".
        key_prefix: Start of the key.
        kind: "semantic", "episodic" or "procedural".
        tags: Tags that a memory must all have.
        priority: "low", "normal", "high" or "critical".
        pinned: True for pinned memories only, False for all others.
        source_user: Name of the person who said it.
        source_kind: "stated", "observed", "self", "peer" or "import".
        source_scope: Conversation, session or place it comes from.
        source_client: Program that stored it.
        after: Created at or after this time.
        before: Created at or before this time.
        valid_at: True at this time.
        file: Path of a file that a memory is about.
        file_rel: What was done to the file: "modified", "created", "deleted" or "read".
        deleted: Return deleted and old versions instead of live memories.
        limit: Maximum number of memories.
        offset: Number of memories to skip.
    """
    selected = replace(
        narrowed(
            kind=kind,
            tags=tags,
            priority=priority,
            pinned=pinned,
            source_user=source_user,
            source_kind=source_kind,
            source_scope=source_scope,
            source_client=source_client,
            after=after,
            before=before,
            valid_at=valid_at,
            file=file,
            file_rel=file_rel,
        ),
        ns=validate.ns_filter(ns),
        now=None if deleted else store.clock(),
        tiers=one(validate.choice(tier, Tier, "tier")),
        key_prefix=None if key_prefix is None else validate.text(key_prefix, "key prefix"),
        deleted=deleted,
    )
    count = validate.positive(limit, "limit")
    start = validate.positive(offset, "offset", least=0)
    with store.engine.read(selected.ns) as tx:
        return tx.listing.select(selected, count, start)


def files(
    store: Store, path: str, ns: str | None = None, *, rel: str | None = None, limit: int = 20
) -> list[Memory]:
    """Return live memories about a file, newest first.

    Args:
        path: Path as written in the memories.
        rel: What was done to the file: "modified", "created", "deleted" or "read".
        ns: Namespace, prefix such as "agent:*", or None for all.
        limit: Maximum number of memories.
    """
    return list_memories(store, ns, file=path, file_rel=rel, limit=limit)


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
