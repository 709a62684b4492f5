"""conflicts: list unresolved contradictions, and memories that may be stale because of others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import NsFilter, Record, Rel
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.last_word import prevails
from ghostmem.truth.standing import maybe_stale

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Conflict(Record):
    """Two memories that contradict each other, the prevailing one first.

    `automatic` says that the contradiction was inferred."""

    ns: str
    key: str
    content: str
    other: str
    other_content: str
    created_at: datetime
    other_created_at: datetime
    automatic: bool
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class Doubt(Record):
    """A memory that rests on a memory that is no longer valid, and why."""

    ns: str
    key: str
    why: str


@dataclass(frozen=True, eq=False, repr=False)
class Conflicts(Record):
    """Unresolved contradictions, newest first, and memories that may be stale."""

    conflicts: tuple[Conflict, ...]
    maybe_stale: tuple[Doubt, ...] = ()


def conflicts(store: Store, ns: str | None = None) -> Conflicts:
    """Return the pairs of current memories that contradict each other, and doubtful memories.

    A memory is doubtful when it depends on, or is a summary of, one that has ended."""
    now = store.clock()
    unresolved: list[Conflict] = []
    doubts: list[Doubt] = []
    with store.engine.read() as tx:
        for name, *_ in tx.listing.namespaces(validate.ns_filter(ns), now):
            unresolved += _conflicts(tx, name, now)
            tops = {
                edge.from_id
                for rel in (Rel.DEPENDS_ON, Rel.CONTAINS)
                for edge in tx.graph.of_namespace(name, now, rel)
            }
            rows = [m for m in tx.memories.by_ids(sorted(tops)).values() if m.is_open(now)]
            notes = maybe_stale(tx, rows, now)
            rows = sorted((m for m in rows if m.id in notes), key=lambda m: m.key)
            doubts += [Doubt(m.ns, m.key, notes[m.id]) for m in rows]
    unresolved.sort(key=lambda pair: (-pair.created_at.timestamp(), pair.ns, pair.key, pair.other))
    return Conflicts(tuple(unresolved), tuple(doubts))


def _conflicts(tx: Transaction, ns: str, now: datetime) -> list[Conflict]:
    """Return one conflict per pair of memories; an explicit edge counts before an inferred one."""
    edges = tx.graph.of_namespace(ns, now, Rel.CONTRADICTS)
    rows = tx.memories.by_ids(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
    passing = tx.listing.passing(list(rows), Filter(ns=NsFilter(ns), now=now, closed=False))
    pairs: dict[frozenset[str], Conflict] = {}
    for edge in edges:
        ends = frozenset((edge.from_id, edge.to_id))
        if not ends <= passing or (ends in pairs and not pairs[ends].automatic):
            continue
        first, second = rows[edge.from_id], rows[edge.to_id]
        new, old = (first, second) if prevails(first, second) else (second, first)
        pairs[ends] = Conflict(
            new.ns,
            new.key,
            new.content,
            old.key,
            old.content,
            new.created_at,
            old.created_at,
            edge.automatic,
            round(edge.weight, 4),
        )
    return list(pairs.values())
