"""An overview of namespaces for a person at a terminal: counts, memories and recent changes.

Nothing is counted as read.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from ghostmem.clock import read_time
from ghostmem.frozen import frozen
from ghostmem.model import Memory, NsFilter, Record
from ghostmem.store import Filter, Group, Store, Transaction, validate
from ghostmem.text.excerpt import first_line

MAX_LINES = 8
MAX_SUMMARY = 200
MAX_TOPICS = 8
RECENT = 50  # newest memories whose tags are the topics
MAX_CHANGES = 60
MAX_NEWS = 200  # changes of a namespace since the overview before
# the version before when the next one is put, and changes in folders of notes
_SILENT = ("supersede", "note")


@frozen
class Share(Record):
    """The part of the memories in one namespace, tier or source."""

    name: str
    count: int
    est_tokens: int
    pinned: int
    newest: datetime


@frozen
class MemoryLine(Record):
    """A memory in one line."""

    ns: str
    key: str
    tier: str
    importance: float
    at: datetime
    summary: str


@frozen
class Happening(Record):
    """An entry of the audit log."""

    ns: str
    sequence: int
    key: str
    version: int
    op: str
    summary: str
    at: datetime


@frozen
class Look(Record):
    """An overview: shares, newest and pinned memories, topics, and changes, newest first."""

    ns: str
    total: int
    est_tokens: int
    namespaces: tuple[Share, ...]
    tiers: tuple[Share, ...]
    sources: tuple[Share, ...]
    newest: tuple[MemoryLine, ...]
    pinned: tuple[MemoryLine, ...]
    topics: tuple[str, ...]
    happened: tuple[Happening, ...]


def look(store: Store, ns: str | None = None) -> Look:
    """Return an overview of one or several namespaces."""
    which = validate.ns_filter(ns)
    live = Filter(ns=which, now=store.clock())
    with store.engine.read() as tx:
        groups = tx.listing.groups(live, "ns", "tier", "source")
        newest = tx.listing.first(live, "recorded_at", RECENT)
        pinned = tx.listing.first(replace(live, pinned=True), "importance, recorded_at", MAX_LINES)
        happened = _happened(
            tx,
            {head.name: 0 for head in tx.journal.heads() if _is_meant(which, head.name)},
            MAX_CHANGES,
        )
    return Look(
        which,
        sum(group.memories for group in groups),
        sum(group.est_tokens for group in groups),
        _shares(groups, lambda group: group.ns),
        _shares(groups, lambda group: group.tier),
        _shares(groups, lambda group: group.source),
        tuple(_line(m) for m in newest[:MAX_LINES]),
        tuple(_line(m) for m in pinned),
        tuple(dict.fromkeys(tag for m in newest for tag in m.tags))[:MAX_TOPICS],
        happened[:MAX_CHANGES],
    )


def happened_since(
    store: Store, seen: Mapping[str, int], ns: str | None = None
) -> tuple[Happening, ...]:
    """Return the changes after known sequence numbers, newest first.

    All changes of a namespace that is not among them are returned.
    """
    which = validate.ns_filter(ns)
    with store.engine.read() as tx:
        after = {
            head.name: seen.get(head.name, 0)
            for head in tx.journal.heads()
            if _is_meant(which, head.name) and head.sequence > seen.get(head.name, 0)
        }
        return _happened(tx, after, MAX_NEWS)


def _is_meant(which: NsFilter, name: str) -> bool:
    """Say whether a namespace matches; a deleted one has only a number as its name."""
    return not name.startswith("#") and which.matches(name)


def _happened(tx: Transaction, after: Mapping[str, int], limit: int) -> tuple[Happening, ...]:
    changes: list[Happening] = []
    for ns, start in after.items():
        lines = [line for line in tx.journal.latest(ns, limit, start) if line.op not in _SILENT]
        memories = tx.memories.by_ids([line.memory_id for line in lines])
        for line in lines:
            memory = memories.get(line.memory_id)
            key, version = (memory.key, memory.version) if memory else ("", 0)
            text = first_line(memory.content, MAX_SUMMARY) if memory else "is no longer there"
            changes.append(Happening(ns, line.seq, key, version, line.op, text, read_time(line.at)))
    changes.sort(key=lambda change: (change.at, change.ns, change.sequence), reverse=True)
    return tuple(changes)


def _shares(groups: Iterable[Group], name: Callable[[Group], str]) -> tuple[Share, ...]:
    """Join groups of the same name and return them, largest first."""
    found: dict[str, Share] = {}
    for group in groups:
        old = found.get(name(group), Share("", 0, 0, 0, group.newest))
        found[name(group)] = Share(
            name(group),
            old.count + group.memories,
            old.est_tokens + group.est_tokens,
            old.pinned + group.pinned,
            max(old.newest, group.newest),
        )
    return tuple(sorted(found.values(), key=lambda share: (-share.count, share.name)))


def _line(memory: Memory) -> MemoryLine:
    return MemoryLine(
        memory.ns,
        memory.key,
        str(memory.tier),
        memory.importance,
        memory.written_at,
        first_line(memory.content, MAX_SUMMARY),
    )
