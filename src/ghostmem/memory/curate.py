"""curate: one step in the life of one memory, by somebody's explicit word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ghostmem.errors import ConflictError, InvalidInputError, LockedError
from ghostmem.memory.remove import remove
from ghostmem.model import LOCKED, Memory, Record, Tier, optional
from ghostmem.store import validate
from ghostmem.store.indexing import retag
from ghostmem.store.lookup import find
from ghostmem.store.retry import again
from ghostmem.store.store import Store

STEP, TOP, BOTTOM = 0.2, 1.0, 0.1
_UP = {Tier.DORMANT: Tier.STM, Tier.STM: Tier.LTM, Tier.SENSORY: Tier.STM}
_DOWN = {Tier.LTM: Tier.STM, Tier.STM: Tier.DORMANT}


@dataclass(frozen=True, eq=False, repr=False)
class Curated(Record):
    """What one step changed."""

    ns: str
    key: str
    op: str
    old_tier: Tier | None = optional()
    new_tier: Tier | None = optional()
    old_importance: float | None = optional()
    new_importance: float | None = optional()
    old_pinned: bool | None = optional()
    new_pinned: bool | None = optional()
    locked: bool | None = optional()
    deleted: bool | None = optional()


def _promote(memory: Memory) -> Mapping[str, Any]:
    if memory.tier not in _UP:
        raise ConflictError(
            f'cannot promote from tier "{memory.tier}" (already at highest)',
            "there is nothing above ltm; pin it?",
        )
    return {"tier": _UP[memory.tier]}


def _demote(memory: Memory) -> Mapping[str, Any]:
    if memory.tier not in _DOWN:
        raise ConflictError(
            f'cannot demote from tier "{memory.tier}" (already at lowest)',
            "remove it with --op delete",
        )
    return {"tier": _DOWN[memory.tier]}


def _boost(memory: Memory) -> Mapping[str, Any]:
    return {"importance": min(TOP, round(memory.importance + STEP, 6))}


def _diminish(memory: Memory) -> Mapping[str, Any]:
    return {"importance": min(memory.importance, max(BOTTOM, round(memory.importance - STEP, 6)))}


def _lock(memory: Memory) -> Mapping[str, Any]:
    return {"tags": tuple(dict.fromkeys((*memory.tags, LOCKED)))}


def _unlock(memory: Memory) -> Mapping[str, Any]:
    return {"tags": tuple(tag for tag in memory.tags if tag != LOCKED)}


OPS: Mapping[str, Callable[[Memory], Mapping[str, Any]]] = {
    "promote": _promote,
    "demote": _demote,
    "boost": _boost,
    "diminish": _diminish,
    "archive": lambda _: {"tier": Tier.DORMANT},
    "delete": lambda _: {},
    "pin": lambda _: {"pinned": True},
    "unpin": lambda _: {"pinned": False},
    "lock": _lock,
    "unlock": _unlock,
}


@again
def curate(store: Store, ns: str, key: str, op: str, *, unlock: bool = False) -> Curated:
    """Promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock one memory.

    Tiers go dormant, stm, ltm; importance changes by 0.2, up to 1 and down to 0.1. A locked memory
    needs `unlock` for anything but being unlocked."""
    if op not in OPS:
        raise InvalidInputError(
            f"invalid op {validate.shown(op)}", f"must be one of: {', '.join(OPS)}"
        )
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now)
        if memory.locked and not unlock and op not in ("lock", "unlock"):
            raise LockedError(f"{ns}/{key} is locked")
        fields = {
            name: value for name, value in OPS[op](memory).items() if getattr(memory, name) != value
        }
        if op in ("pin", "lock") and memory.expires_at is not None:
            fields["expires_at"] = None  # what is guarded does not expire
        if op == "delete":
            remove(tx, [memory], now, hard=False)
        elif fields:
            tx.memories.change(memory, op, now, **fields)
            retag(tx, memory, fields.get("tags", memory.tags))
    return _curated(memory, replace(memory, **fields), op)


def _curated(old: Memory, new: Memory, op: str) -> Curated:
    found: dict[str, Any] = {}
    if op in ("promote", "demote", "archive"):
        found = {"old_tier": old.tier, "new_tier": new.tier}
    elif op in ("boost", "diminish"):
        found = {"old_importance": old.importance, "new_importance": new.importance}
    elif op in ("pin", "unpin"):
        found = {"old_pinned": old.pinned, "new_pinned": new.pinned}
    elif op in ("lock", "unlock"):
        found = {"locked": new.locked}
    else:
        found = {"deleted": True}
    return Curated(old.ns, old.key, op, **found)
