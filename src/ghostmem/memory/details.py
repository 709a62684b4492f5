"""details: everything about one memory that a person may want to see, without it counting
as a use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import NotFoundError
from ghostmem.model import Kind, Memory, Record, Rel, Tier, optional
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.standing import ending, maybe_stale

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

MOST = 200  # neighbours that are told
SUMMARY = 160  # characters of a neighbour's first line


@dataclass(frozen=True, eq=False, repr=False)
class Neighbour(Record):
    """A memory at the other end of an edge.

    `out` says that the edge points away from the one that is looked at.
    """

    key: str
    rel: Rel
    out: bool
    weight: float
    automatic: bool
    summary: str
    kind: Kind
    tier: Tier
    created_at: datetime


@dataclass(frozen=True, eq=False, repr=False)
class UseDay(Record):
    """How often a memory was used and shown on a day."""

    day: str
    used: int
    shown: int


@dataclass(frozen=True, eq=False, repr=False)
class NotePlace(Record):
    """Where in a note a memory's text stands."""

    root: str
    path: str
    line: int


@dataclass(frozen=True, eq=False, repr=False)
class Details(Record):
    """A memory with its surroundings.

    `newest` is the number of its last version, `current` whether that one is live.
    """

    memory: Memory
    newest: int
    versions: int
    current: bool
    neighbours: tuple[Neighbour, ...]
    neighbour_count: int
    days: tuple[UseDay, ...]
    place: NotePlace | None = optional()
    ending: str = optional("")  # since when it no longer holds
    doubt: str = optional("")  # why it may be stale


def details(store: Store, ns: str, key: str, version: int | None = None) -> Details:
    """Return the last version of a key, also when it was removed, or a numbered one, with edges,
    days of use and its note.
    """
    now = store.clock()
    with store.engine.read() as tx:
        history = tx.memories.history(validate.text(ns, "namespace"), validate.text(key, "key"))
        if not history:
            find(tx, ns, key, now)  # raises, and says what comes close
            raise NotFoundError(f"memory not found: {ns}/{key}")
        last = history[-1]
        shown = last if version is None else find(tx, ns, key, now, version)
        shown = tx.memories.with_refs([shown])[0]
        if wordings := tx.aliases.of([shown.id]).get(shown.id):
            shown = replace(shown, aliases=tuple(alias.content for alias in wordings))
        near = _neighbours(tx, last, now)
        days = tuple(UseDay(one.day, one.used, one.shown) for one in tx.journal.accesses(last.id))
        place = tx.notes.places([last.id]).get(last.id)
        doubt = maybe_stale(tx, [last], now).get(last.id, "") if last.is_current(now) else ""
    where = NotePlace(place.root, place.path, place.line) if place else None
    return Details(
        shown,
        last.version,
        len(history),
        last.is_current(now),
        near[:MOST],
        len(near),
        days,
        where,
        ending(last),
        doubt,
    )


def _neighbours(tx: Transaction, memory: Memory, now: datetime) -> tuple[Neighbour, ...]:
    edges = list(tx.graph.edges(memory.id))
    rows = tx.memories.by_ids(
        sorted({end for edge in edges for end in (edge.from_id, edge.to_id)} - {memory.id})
    )
    found = []
    for edge in edges:
        out = edge.from_id == memory.id
        other = rows.get(edge.to_id if out else edge.from_id)
        if other is not None and other.ns == memory.ns and other.is_current(now):
            about = (summary_line(other.content, SUMMARY), other.kind, other.tier, edge.created_at)
            found.append(
                Neighbour(other.key, edge.rel, out, round(edge.weight, 4), edge.automatic, *about)
            )
    return tuple(sorted(found, key=lambda one: (-one.weight, one.key, one.rel, one.out)))
