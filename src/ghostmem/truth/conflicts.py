"""conflicts: what contradicts each other and nobody has decided about, and what rests on what no
longer holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import Memory, NsFilter, Record, Rel
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.truth.last_word import prevails
from ghostmem.truth.standing import maybe_stale

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Conflict(Record):
    """Two memories that contradict each other: the one with the last word, the other, and whether
    that was only inferred.
    """

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
    """A memory that rests on something that no longer holds, and why."""

    ns: str
    key: str
    why: str


@dataclass(frozen=True, eq=False, repr=False)
class Conflicts(Record):
    """What is in dispute, newest first, and what may be stale because of what was decided."""

    conflicts: tuple[Conflict, ...]
    maybe_stale: tuple[Doubt, ...] = ()


def conflicts(store: Store, ns: str | None = None) -> Conflicts:
    """Return every pair of current memories that contradict each other, and what depends on or sums
    up what has ended.
    """
    now = store.clock()
    which = validate.ns_filter(ns)
    found: list[Conflict] = []
    doubts: list[Doubt] = []
    with store.engine.read() as tx:
        for name, *_ in tx.listing.namespaces(which, now):
            found += _pairs(tx, name, now)
            tops = {
                edge.from_id
                for rel in (Rel.DEPENDS_ON, Rel.CONTAINS)
                for edge in tx.graph.of_namespace(name, now, rel)
            }
            rows = [m for m in tx.memories.by_ids(sorted(tops)).values() if m.is_open(now)]
            told = maybe_stale(tx, rows, now)
            doubts += [
                Doubt(m.ns, m.key, told[m.id])
                for m in sorted(rows, key=lambda m: m.key)
                if m.id in told
            ]
    found.sort(key=lambda one: (-one.created_at.timestamp(), one.ns, one.key, one.other))
    return Conflicts(tuple(found), tuple(doubts))


def _pairs(tx: Transaction, ns: str, now: datetime) -> list[Conflict]:
    edges = tx.graph.of_namespace(ns, now, Rel.CONTRADICTS)
    rows = tx.memories.by_ids(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
    passing = tx.listing.passing(list(rows), Filter(ns=NsFilter(ns), now=now, closed=False))
    found: dict[frozenset[str], Conflict] = {}
    for edge in edges:
        if edge.from_id not in passing or edge.to_id not in passing:
            continue
        one, other = rows[edge.from_id], rows[edge.to_id]
        pair = _conflict(
            *((one, other) if prevails(one, other) else (other, one)), edge.automatic, edge.weight
        )
        known = found.get(frozenset((one.id, other.id)))
        found[frozenset((one.id, other.id))] = pair if known is None or known.automatic else known
    return list(found.values())


def _conflict(one: Memory, other: Memory, automatic: bool, weight: float) -> Conflict:
    times = one.created_at, other.created_at
    return Conflict(
        one.ns, one.key, one.content, other.key, other.content, *times, automatic, round(weight, 4)
    )
