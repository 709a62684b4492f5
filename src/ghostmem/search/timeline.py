"""timeline: show how a fact changed, from the first statement to the current one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, pairwise

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.model import Memory, Record, Rel, optional
from ghostmem.search.search import search
from ghostmem.store import Store, Transaction, validate
from ghostmem.truth.alike import distinctive
from ghostmem.truth.corrections import successor_key

MAX_START = 5  # search results that a timeline starts from
MAX_MEMORIES = 50  # memories that one timeline follows
# events of the same moment in the order in which they are listed
ORDER = {
    "said": 0,
    "changed": 0,
    "restated": 1,
    "contradicted": 2,
    "ended": 3,
    "reopened": 3,
    "removed": 4,
}


@frozen
class Event(Record):
    """A change of a fact: said, changed, restated, ended, reopened, contradicted or removed."""

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
    """Return how a key, or the memories that answer a question, changed, oldest first.

    Args:
        ns: Namespace.
        what: Key, or a question when no memory has that key.
    """
    validate.namespace(ns)
    text = validate.text(what, "key or question")
    if not text.strip():
        raise InvalidInputError(
            "a key or a question is required", "`ghost list --keys-only` shows the keys"
        )
    with store.engine.read() as tx:
        memory = tx.memories.last(ns, text)
    start = [memory] if memory is not None else []
    if memory is None:  # of the strong hits, those that share a word with the question
        hits, terms = search(store, text, ns, limit=MAX_START), set(distinctive(text))
        start = [hit.memory for hit in (*hits, *hits.superseded)]
        start = [m for m in start if terms & set(distinctive(f"{m.key} {m.content}"))] or start
    if not start:
        raise NotFoundError(
            f"nothing in {ns} is about {validate.shown(text)}",
            f"`ghost list -n {ns}` shows the stored memories",
        )
    now = store.clock()
    with store.engine.read(ns) as tx:
        events = [event for memory in _related(tx, start) for event in _events(tx, memory, now)]
    return sorted(
        events, key=lambda event: (event.at, ORDER[event.event], event.key, event.version)
    )


def _related(tx: Transaction, start: Sequence[Memory]) -> list[Memory]:
    """Return memories and those linked to them by contradictions, directly or through others."""
    memories = {memory.id: memory for memory in start}
    todo = list(memories)
    while todo and len(memories) < MAX_MEMORIES:
        rows = tx.memories.by_ids(
            sorted(
                {
                    end
                    for tie in tx.graph.touching(todo, [Rel.CONTRADICTS])
                    for end in (tie.from_id, tie.to_id)
                }
                - memories.keys()
            )
        )
        todo = [id_ for id_, memory in rows.items() if memory.ns == start[0].ns]
        memories |= {id_: rows[id_] for id_ in todo}
    return list(memories.values())


def _events(tx: Transaction, memory: Memory, now: datetime) -> list[Event]:
    ns, key = memory.ns, memory.key
    history = tx.memories.history(ns, key)
    corrections = [
        (edge.created_at, tx.memories.by_id(edge.from_id))
        for edge in tx.graph.edges(memory.id)
        if edge.rel == Rel.CONTRADICTS and edge.to_id == memory.id
    ]
    return [
        *chain.from_iterable(
            _version_events(version, before, now)
            for before, version in pairwise([None, *history])
            if version is not None
        ),
        *(
            Event(
                alias.at,
                ns,
                key,
                memory.version,
                "restated",
                alias.content,
                source_user=alias.source_user,
            )
            for alias in tx.aliases.of(memory.id)
        ),
        *(
            Event(last.deleted_at, ns, key, last.version, "removed")
            for last in history[-1:]
            if last.deleted_at is not None
        ),
        *(
            Event(since, ns, key, memory.version, "contradicted", by=newer.key)
            for since, newer in corrections
            if newer is not None
        ),
    ]


def _version_events(memory: Memory, before: Memory | None, now: datetime) -> list[Event]:
    """Return the event that a version of a memory records, if it changed text or validity."""
    event = Event(
        memory.written_at,
        memory.ns,
        memory.key,
        memory.version,
        "changed",
        memory.content,
        valid_to=memory.valid_to,
        current=memory.is_current(now) and memory.is_open(now),
    )
    if before is None or memory.content != before.content:
        user, valid_from = memory.source_user, memory.valid_from
        event = replace(event, source_user=user, valid_from=valid_from)
        return [event if before else replace(event, at=memory.created_at, event="said")]
    if memory.valid_to != before.valid_to:
        return [
            replace(
                event,
                event="reopened" if memory.valid_to is None else "ended",
                by=successor_key(memory),
            )
        ]
    return []
