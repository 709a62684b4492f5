"""timeline: how a fact evolved, from what was first said to what holds now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Memory, Record, Rel, optional
from ghostmem.search.search import search
from ghostmem.store import validate
from ghostmem.store.store import Store
from ghostmem.truth.close import SUPERSEDED_BY

if TYPE_CHECKING:
    from ghostmem.model import Hit
    from ghostmem.store.protocol import Transaction

FOUND = 5  # how many memories a question starts from
MOST = 50  # memories that one timeline follows


@dataclass(frozen=True, eq=False, repr=False)
class Event(Record):
    """One thing that happened to a fact: said, changed, restated, ended, reopened, contradicted or
    removed.
    """

    at: datetime
    ns: str
    key: str
    version: int
    event: str
    content: str = optional("")
    by: str | None = optional()
    source_user: str | None = optional()
    valid_from: datetime | None = optional()
    valid_to: datetime | None = optional()
    current: bool = False


def timeline(store: Store, ns: str, what: str) -> list[Event]:
    """Return how a key, or what a question finds, came to be what it is, oldest first.

    Memories that contradict each other are one story; every version, other wording, ending and
    removal is told."""
    validate.namespace(ns)
    text = validate.text(what, "key or question")
    if not text.strip():
        raise InvalidInputError(
            "a key or a question is required", "`ghost list --keys-only` shows the keys"
        )
    with store.engine.read() as tx:
        known = tx.memories.last(ns, text)
    start = [known] if known is not None else [hit.memory for hit in _found(store, ns, text)]
    if not start:
        raise NotFoundError(
            f"nothing in {ns} is about {validate.shown(text)}",
            f"`ghost list -n {ns}` shows what is there",
        )
    now = store.clock()
    with store.engine.read() as tx:
        tx.search.spaces(
            [ns]
        )  # an engine of many nodes looks for what it does not know where it has been
        events = [event for memory in _story(tx, start) for event in _events(tx, memory, now)]
    order = {
        "said": 0,
        "changed": 0,
        "restated": 1,
        "contradicted": 2,
        "ended": 3,
        "reopened": 3,
        "removed": 4,
    }
    return sorted(
        events, key=lambda event: (event.at, order[event.event], event.key, event.version)
    )


def _found(store: Store, ns: str, text: str) -> list[Hit]:
    found = search(store, text, ns, limit=FOUND, weak=True)
    return [*found, *found.superseded]


def _story(tx: Transaction, start: Sequence[Memory]) -> list[Memory]:
    """Return memories and everything they contradict or that contradicts them, directly or through
    others.
    """
    known = {memory.id: memory for memory in start}
    todo = list(known)
    while todo and len(known) < MOST:
        ties = tx.graph.touching(todo, [Rel.CONTRADICTS])
        fresh = {end for tie in ties for end in (tie.from_id, tie.to_id)} - known.keys()
        rows = {
            id_: m for id_, m in tx.memories.by_ids(sorted(fresh)).items() if m.ns == start[0].ns
        }
        known |= rows
        todo = list(rows)
    return list(known.values())


def _events(tx: Transaction, memory: Memory, now: datetime) -> list[Event]:
    """Tell the life of one key."""
    events: list[Event] = []
    before: Memory | None = None
    for one in tx.memories.history(memory.ns, memory.key):
        events += _version(one, before, now)
        before = one
    for alias in tx.aliases.of([memory.id]).get(memory.id, ()):
        said = (alias.content, None, alias.source_user)
        events.append(Event(alias.at, memory.ns, memory.key, memory.version, "restated", *said))
    if before is not None and before.deleted_at is not None:
        events.append(Event(before.deleted_at, memory.ns, memory.key, before.version, "removed"))
    for edge in tx.graph.edges(memory.id):
        if (
            edge.rel == Rel.CONTRADICTS
            and edge.to_id == memory.id
            and (by := tx.memories.by_id(edge.from_id))
        ):
            events.append(
                Event(
                    edge.created_at,
                    memory.ns,
                    memory.key,
                    memory.version,
                    "contradicted",
                    by=by.key,
                )
            )
    return events


def _version(one: Memory, before: Memory | None, now: datetime) -> list[Event]:
    written = one.recorded_at or one.created_at
    current = one.is_current(now) and one.is_open(now)
    if before is None or one.content != before.content:
        event, at = ("said", one.created_at) if before is None else ("changed", written)
        made = Event(
            at,
            one.ns,
            one.key,
            one.version,
            event,
            one.content,
            None,
            one.source_user,
            one.valid_from,
            one.valid_to,
            current,
        )
        return [made]
    if one.valid_to != before.valid_to:
        event = "reopened" if one.valid_to is None else "ended"
        by = one.meta.get(SUPERSEDED_BY)
        return [
            Event(
                written,
                one.ns,
                one.key,
                one.version,
                event,
                by=by,
                valid_to=one.valid_to,
                current=current,
                content=one.content,
            )
        ]
    return []
