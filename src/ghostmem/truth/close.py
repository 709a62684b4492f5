"""Ending a memory's truth, and taking that back: a new version each time, so that what was believed
before stays known.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ghostmem.errors import ConflictError, LockedError
from ghostmem.model import Memory, Tier
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

SUPERSEDED_BY = "superseded_by"  # in meta: the key of what holds instead
BEFORE = "before_closing"  # in meta: what reopening gives back
LEAST = 0.1  # importance that is left at least


def close(
    store: Store, tx: Transaction, old: Memory, by: Memory, now: datetime, unlock: bool = False
) -> Memory:
    """End what a memory says at the moment its successor begins, and demote it.

    Nothing is deleted.
    """
    refuse_note(tx, old)
    if old.locked and not unlock:
        raise LockedError(f"{old.ns}/{old.key} is locked")
    before = {"tier": str(old.tier), "importance": old.importance, "pinned": old.pinned}
    return rewrite(
        store,
        tx,
        old,
        now,
        valid_to=by.valid_from or by.created_at,
        tier=Tier.DORMANT,
        importance=min(old.importance, max(LEAST, round(old.importance / 2, 4))),
        pinned=False,
        meta={**old.meta, SUPERSEDED_BY: by.key, BEFORE: before},
    )


def reopen(store: Store, tx: Transaction, closed: Memory, now: datetime) -> Memory:
    """Let a memory be true again as it was before it was closed."""
    if closed.is_open(now):
        raise ConflictError(
            f"{closed.ns}/{closed.key} is not closed", "`ghost conflicts` lists what is in dispute"
        )
    before = closed.meta.get(BEFORE, {})
    meta = {
        name: value for name, value in closed.meta.items() if name not in (SUPERSEDED_BY, BEFORE)
    }
    return rewrite(
        store,
        tx,
        closed,
        now,
        valid_to=None,
        tier=Tier(before.get("tier", Tier.STM)),
        importance=float(before.get("importance", closed.importance)),
        pinned=bool(before.get("pinned", closed.pinned)),
        meta=meta,
    )


def rewrite(store: Store, tx: Transaction, memory: Memory, now: datetime, **fields: Any) -> Memory:
    """Write a next version with the same words and other fields.

    Links, counts and everything indexed go with it.
    """
    memory = tx.memories.with_refs([memory])[0]
    made = replace(
        memory,
        id=store.new_id(now),
        version=memory.version + 1,
        supersedes=memory.id,
        recorded_at=now,
        **fields,
    )
    tx.memories.change(memory, "supersede", now, deleted_at=now)
    tx.memories.insert(made)
    tx.graph.relink(memory.id, made.id)
    tx.journal.carry(memory.id, made.id)
    tx.aliases.carry(memory.id, made.id)
    tx.index.carry(memory.id, made.id)
    return made


def refuse_note(tx: Transaction, memory: Memory) -> None:
    """Refuse to end what a file says: whoever owns the file says what holds."""
    place = tx.notes.places([memory.id]).get(memory.id)
    if place is not None:
        raise ConflictError(
            f"{memory.ns}/{memory.key} is a section of {place.path}",
            "edit the file; the store follows it",
        )
