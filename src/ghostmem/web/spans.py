"""When each version of a memory was believed, and when it was valid."""

from dataclasses import dataclass, replace
from datetime import datetime

from ghostmem.clock import as_time
from ghostmem.model import Kind, Memory, Record, Tier, optional
from ghostmem.store import Filter, Store, validate
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.corrections import SUPERSEDED_BY

SUMMARY = 160


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
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
    limit: int = 500,
) -> Spans:
    """Return the newest versions, including replaced and removed ones, with both times."""
    validate.positive(limit, "limit")
    which = Filter(
        ns=validate.ns_filter(ns),
        now=store.clock(),
        key_prefix=None if key_prefix is None else validate.text(key_prefix, "key prefix"),
        after=None if after is None else as_time(after, "after"),
        before=None if before is None else as_time(before, "before"),
    )
    with store.engine.read() as tx:
        rows = tx.listing.select(which, limit + 1)
        rows += tx.listing.select(replace(which, deleted=True, now=None), limit + 1)
    rows.sort(key=lambda m: (m.recorded_at or m.created_at, m.ns, m.key, m.version))
    return Spans(tuple(_span(memory) for memory in rows[-limit:]), len(rows) > limit)


def _span(memory: Memory) -> VersionSpan:
    return VersionSpan(
        memory.ns,
        memory.key,
        memory.version,
        summary_line(memory.content, SUMMARY),
        memory.kind,
        memory.tier,
        memory.recorded_at or memory.created_at,
        memory.valid_from or memory.created_at,
        memory.deleted_at,
        memory.valid_to,
        memory.pinned,
        memory.source_user,
        memory.meta.get(SUPERSEDED_BY),
    )
