"""details: one memory with its edges, uses and note, without counting as a use."""

from dataclasses import replace
from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.model import Kind, Memory, Record, Rel, Tier, optional
from ghostmem.store import Store, Transaction, find, validate
from ghostmem.text.excerpt import summary_line
from ghostmem.truth.annotations import ending, maybe_stale

MAX_NEIGHBOURS = 200
SUMMARY_LENGTH = 160  # characters of a neighbour's first line


@frozen
class Neighbour(Record):
    """A memory at the other end of an edge; `out` says that the edge points to it."""

    key: str
    rel: Rel
    out: bool
    weight: float
    automatic: bool
    summary: str
    kind: Kind
    tier: Tier
    created_at: datetime


@frozen
class UseDay(Record):
    """The number of times that a memory was used and shown on a day."""

    day: str
    used: int
    shown: int


@frozen
class NotePlace(Record):
    """The place of a memory's text in a note."""

    root: str
    path: str
    line: int


@frozen
class Details(Record):
    """A memory with its edges, uses and note.

    `newest` is the number of its last version; `current` says whether that version is live."""

    memory: Memory
    newest: int
    versions: int
    current: bool
    neighbours: tuple[Neighbour, ...]
    neighbour_count: int
    days: tuple[UseDay, ...]
    place: NotePlace | None = optional()
    ending: str = optional("")  # since when it is no longer valid
    doubt: str = optional("")  # why it may be stale


def details(store: Store, ns: str, key: str, version: int | None = None) -> Details:
    """Return the last version of a key, even a removed one, or a numbered one, with its edges."""
    now = store.clock()
    with store.engine.read(validate.text(ns, "namespace")) as tx:
        history = tx.memories.history(validate.text(ns, "namespace"), validate.text(key, "key"))
        if not history:
            find(tx, ns, key, now)  # raises an error that suggests similar keys
        last = history[-1]
        shown = last if version is None else find(tx, ns, key, now, version)
        shown = tx.memories.with_refs([shown])[0]
        if wordings := tx.aliases.texts(shown.id):
            shown = replace(shown, aliases=wordings)
        neighbours = _neighbours(tx, last, now)
        days = tuple(UseDay(use.day, use.used, use.shown) for use in tx.journal.accesses(last.id))
        place = tx.notes.places([last.id]).get(last.id)
        doubt = maybe_stale(tx, [last], now).get(last.id, "") if last.is_current(now) else ""
    return Details(
        shown,
        last.version,
        len(history),
        last.is_current(now),
        neighbours[:MAX_NEIGHBOURS],
        len(neighbours),
        days,
        NotePlace(place.root, place.path, place.line) if place else None,
        ending(last),
        doubt,
    )


def _neighbours(tx: Transaction, memory: Memory, now: datetime) -> tuple[Neighbour, ...]:
    edges = list(tx.graph.edges(memory.id))
    rows = tx.memories.by_ids(
        sorted({end for edge in edges for end in (edge.from_id, edge.to_id)} - {memory.id})
    )
    neighbours = []
    for edge in edges:
        out = edge.from_id == memory.id
        other = rows.get(edge.to_id if out else edge.from_id)
        if other is not None and other.ns == memory.ns and other.is_current(now):
            neighbours.append(
                Neighbour(
                    other.key,
                    edge.rel,
                    out,
                    round(edge.weight, 4),
                    edge.automatic,
                    summary_line(other.content, SUMMARY_LENGTH),
                    other.kind,
                    other.tier,
                    edge.created_at,
                )
            )
    return tuple(sorted(neighbours, key=lambda n: (-n.weight, n.key, n.rel, n.out)))
