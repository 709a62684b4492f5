"""Corrections: link a memory to the memories it corrects, close these, and reopen them.

Closing writes a new version, so that the history shows what was believed before."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ghostmem.errors import ConflictError, InvalidInputError, LockedError
from ghostmem.model import EDGE_WEIGHTS, HEARSAY, Edge, Memory, Rel, SourceKind, Tier
from ghostmem.store import Store, Transaction, locked_error

SUPERSEDED_BY = "superseded_by"  # in meta: the key of the successor
BEFORE_CLOSING = "before_closing"  # in meta: the fields that reopening restores
MIN_IMPORTANCE = 0.1  # that closing leaves
MAX_CHAIN = 8  # earlier corrections that are linked to a further one


def precedence(memory: Memory) -> tuple[bool, datetime, datetime, str]:
    """Return the sort key of contradicting memories: the user's last, then the newest."""
    return (
        memory.from_user,
        memory.valid_from or memory.created_at,
        memory.written_at,
        memory.id,
    )


def prevails(memory: Memory, other: Memory) -> bool:
    """Say whether a memory comes before another that contradicts it."""
    return precedence(memory) > precedence(other)


def suggest_correction(
    store: Store, tx: Transaction, new: Memory, old: Memory, now: datetime
) -> None:
    """Record as an inference that a memory corrects the newest statement of an older one's chain.

    Content from elsewhere does not correct the user's statements, nor does an earlier statement a
    later one: there the edge leads the other way."""
    newest = max(
        [old, *(rival for rival in contradicting(tx, old, now) if rival.id != new.id)],
        key=precedence,
    )
    first, second = sorted((new, newest), key=precedence, reverse=True)
    contradict(tx, first, [second], now, automatic=True)
    if (
        store.settings.freshness == "close"
        and first is new
        and not newest.protected
        and not tx.notes.places([newest.id])
    ):
        close(store, tx, newest, new, now)


def supersede(
    store: Store, tx: Transaction, new: Memory, old: Memory, now: datetime, unlock: bool = False
) -> Memory:
    """Close a memory in favour of another, on explicit request."""
    contradict(tx, new, [old, *_corrected_by(tx, old, now)], now, automatic=False)
    return close(store, tx, old, new, now, unlock)


def share_contradictions(tx: Transaction, new: Memory, restated: Memory, now: datetime) -> None:
    """Link a restatement to the newest memory that contradicts the restated one.

    Otherwise a false claim could be retrieved without its correction."""
    for newest in sorted(
        [rival for rival in contradicting(tx, restated, now) if rival.id != new.id], key=precedence
    )[-1:]:
        first, second = sorted((new, newest), key=precedence, reverse=True)
        contradict(tx, first, [second], now, automatic=True)


def contradicting(tx: Transaction, memory: Memory, now: datetime) -> list[Memory]:
    """Return the current memories that contradict one or are contradicted by it."""
    ids = {
        end
        for edge in tx.graph.touching([memory.id], [Rel.CONTRADICTS])
        for end in (edge.from_id, edge.to_id)
    } - {memory.id}
    return [
        rival
        for rival in tx.memories.by_ids(sorted(ids)).values()
        if rival.is_current(now) and rival.is_open(now) and rival.ns == memory.ns
    ]


def check_supersede(tx: Transaction, old: Memory, source: SourceKind | None, key: str) -> None:
    """Refuse to close a memory by itself, a section of a file, or the user's words by hearsay."""
    if old.key == key:
        raise InvalidInputError(
            f"{old.ns}/{key} cannot supersede itself",
            "a put on the same key is its next version anyway",
        )
    _refuse_note(tx, old)
    if old.from_user and source in HEARSAY:
        raise ConflictError(
            f"{old.ns}/{old.key} is the user's own statement; {source} content cannot close it",
            "put it without supersedes; the user can decide which of the two is right",
        )


def contradict(
    tx: Transaction, memory: Memory, others: Iterable[Memory], now: datetime, automatic: bool
) -> None:
    """Link a memory to those it contradicts; an explicit edge replaces an inferred one."""
    weight = EDGE_WEIGHTS[Rel.CONTRADICTS]
    for other in (each for each in others if each.id != memory.id):
        existing = tx.graph.edge(memory.id, other.id, Rel.CONTRADICTS)
        if existing is None or (existing.automatic and not automatic):
            tx.graph.put_edge(
                Edge(memory.id, other.id, Rel.CONTRADICTS, weight, now, automatic=automatic)
            )


def _corrected_by(tx: Transaction, memory: Memory, now: datetime) -> list[Memory]:
    """Return the memories that one corrects, so that a chain outlives the loss of a member."""
    older = tx.memories.by_ids(
        [
            edge.to_id
            for edge in tx.graph.touching([memory.id], [Rel.CONTRADICTS])
            if edge.from_id == memory.id
        ]
    )
    return sorted(
        [other for other in older.values() if other.is_current(now) and other.ns == memory.ns],
        key=lambda other: other.created_at,
        reverse=True,
    )[:MAX_CHAIN]


def successor_key(memory: Memory) -> str | None:
    """Return the key of the memory in whose favour one was closed.

    Callers can put any value into `meta`; one that is not a text is ignored."""
    key = memory.meta.get(SUPERSEDED_BY)
    return key if isinstance(key, str) else None


def is_superseded(memory: Memory, moment: datetime) -> bool:
    """Say whether a memory was closed in favour of another."""
    return successor_key(memory) is not None and not memory.is_open(moment)


def importance_when_open(memory: Memory, moment: datetime) -> float:
    """Return the importance of a memory, or that from before it was closed."""
    before: float = _before_closing(memory)["importance"]
    return before if is_superseded(memory, moment) else memory.importance


def close(
    store: Store, tx: Transaction, old: Memory, by: Memory, now: datetime, unlock: bool = False
) -> Memory:
    """End the validity of a memory when its successor's begins, and make it dormant."""
    _refuse_note(tx, old)
    if old.locked and not unlock:
        raise LockedError(f"{old.ns}/{old.key} is locked")
    before: dict[str, Any] = (
        _before_closing(old)  # closed again: reopening restores the fields from before both
        if is_superseded(old, now)
        else {"tier": str(old.tier), "importance": old.importance, "pinned": old.pinned}
    )
    importance = before["importance"]
    return _rewrite(
        store,
        tx,
        old,
        now,
        valid_to=by.valid_from or by.created_at,
        tier=Tier.DORMANT,
        importance=min(importance, max(MIN_IMPORTANCE, round(importance / 2, 4))),
        pinned=False,
        meta={**old.meta, SUPERSEDED_BY: by.key, BEFORE_CLOSING: before},
    )


def reopen(
    store: Store, tx: Transaction, closed: Memory, now: datetime, unlock: bool = False
) -> Memory:
    """Make a closed memory valid again, with its fields from before."""
    if closed.is_open(now):
        raise ConflictError(
            f"{closed.ns}/{closed.key} is not closed", "`ghost conflicts` lists contradictions"
        )
    if closed.locked and not unlock:
        raise locked_error(tx, closed)
    meta = {
        name: value
        for name, value in closed.meta.items()
        if name not in {SUPERSEDED_BY, BEFORE_CLOSING}
    }
    before = _before_closing(closed)
    before["tier"] = Tier(before["tier"])
    return _rewrite(store, tx, closed, now, valid_to=None, meta=meta, **before)


def _before_closing(closed: Memory) -> dict[str, Any]:
    """Return the fields that reopening restores; callers can put any value into `meta`."""
    saved = closed.meta.get(BEFORE_CLOSING)
    saved = saved if isinstance(saved, Mapping) else {}
    tier, importance = saved.get("tier"), saved.get("importance")
    is_number = isinstance(importance, int | float) and 0 <= importance <= 1
    return {
        "tier": tier if tier in list(Tier) else str(Tier.STM),
        "importance": importance if is_number else closed.importance,
        "pinned": bool(saved.get("pinned", closed.pinned)),
    }


def _rewrite(store: Store, tx: Transaction, memory: Memory, now: datetime, **fields: Any) -> Memory:
    """Write a next version with the same content and other fields, and keep links and index."""
    memory = tx.memories.with_refs([memory])[0]
    rewritten = replace(
        memory,
        id=store.new_id(now),
        version=memory.version + 1,
        supersedes=memory.id,
        recorded_at=now,
        **fields,
    )
    tx.memories.change(memory, "supersede", now, deleted_at=now)
    tx.memories.insert(rewritten)
    tx.carry(memory.id, rewritten.id)
    tx.index.carry(memory.id, rewritten.id)
    return rewritten


def _refuse_note(tx: Transaction, memory: Memory) -> None:
    if (place := tx.notes.places([memory.id]).get(memory.id)) is not None:
        raise ConflictError(
            f"{memory.ns}/{memory.key} is a section of {place.path}",
            "edit the file; the store follows it",
        )
