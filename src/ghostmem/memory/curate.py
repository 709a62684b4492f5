"""curate: change the tier, importance, pin or lock of one memory, or delete it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ghostmem.caller import AGENT
from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.memory.remove import remove
from ghostmem.model import HEARSAY, LOCKED, TIER_ABOVE, TIER_BELOW, Memory, Record, Tier, optional
from ghostmem.store import Store, again, find, locked_error, retag, validate

# Each operation with the field whose old and new value it reports.
OPS: Mapping[str, str] = {
    "promote": "tier",
    "demote": "tier",
    "boost": "importance",
    "diminish": "importance",
    "archive": "tier",
    "delete": "",
    "pin": "pinned",
    "unpin": "pinned",
    "lock": "",
    "unlock": "",
}
IMPORTANCE_STEP, MAX_IMPORTANCE, MIN_IMPORTANCE = 0.2, 1.0, 0.1


@frozen
class Curated(Record):
    """The change that one operation made."""

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


@again
def curate(store: Store, ns: str, key: str, op: str, *, unlock: bool = False) -> Curated:
    """Apply one operation to one memory.

    Args:
        ns: Namespace.
        key: Key.
        op: promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock. Tiers
            go dormant, stm, ltm; importance changes by 0.2.
        unlock: Also change a memory tagged `locked`.

    Raises:
        ConflictError: There is no further step.
    """
    validate.flags(unlock=unlock)
    if not isinstance(op, str) or op not in OPS:
        raise InvalidInputError(
            f"invalid op {validate.shown(op)}", f"must be one of: {', '.join(OPS)}"
        )
    validate.text(ns, "namespace")
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        memory = find(tx, ns, validate.text(key, "key"), now)
        if memory.locked and not unlock and op not in ("lock", "unlock"):
            raise locked_error(tx, memory)
        if op == "pin" and memory.source_kind in HEARSAY and AGENT.get():
            raise ConflictError(
                f"{ns}/{key} comes from others ({memory.source_kind}); an agent cannot pin it",
                "only the user can: ghost curate --op pin",
            )
        fields = {
            name: value
            for name, value in _changes(memory, op).items()
            if getattr(memory, name) != value
        }
        if op == "delete":
            remove(tx, [memory], now, hard=False)
        elif fields:
            tx.memories.change(memory, op, now, **fields)
            retag(tx, memory, fields.get("tags", memory.tags))
            if "tier" in fields and memory.tier is Tier.SENSORY:
                tx.index.wait(memory.id)  # sensory memories have no automatic links
    return _curated(memory, replace(memory, **fields), op)


def _changes(memory: Memory, op: str) -> dict[str, Any]:
    """Return the fields that an operation sets; a pinned or locked memory does not expire."""
    if op == "promote" and memory.tier not in TIER_ABOVE:
        raise ConflictError(
            f'cannot promote from tier "{memory.tier}" (already at highest)',
            "there is nothing above ltm; pin it?",
        )
    if op == "demote" and memory.tier not in TIER_BELOW:
        raise ConflictError(
            f'cannot demote from tier "{memory.tier}" (already at lowest)',
            "delete it with --op delete",
        )
    importance = memory.importance
    lower = max(MIN_IMPORTANCE, round(importance - IMPORTANCE_STEP, 6))
    changes: dict[str, dict[str, Any]] = {
        "promote": {"tier": TIER_ABOVE.get(memory.tier)},
        "demote": {"tier": TIER_BELOW.get(memory.tier)},
        "boost": {"importance": min(MAX_IMPORTANCE, round(importance + IMPORTANCE_STEP, 6))},
        "diminish": {"importance": min(importance, lower)},
        "archive": {"tier": Tier.DORMANT},
        "delete": {},
        "pin": {"pinned": True, "expires_at": None},
        "unpin": {"pinned": False},
        "lock": {"tags": tuple(dict.fromkeys((*memory.tags, LOCKED))), "expires_at": None},
        "unlock": {"tags": tuple(tag for tag in memory.tags if tag != LOCKED)},
    }
    return changes[op]


def _curated(old: Memory, new: Memory, op: str) -> Curated:
    reported: dict[str, Any] = {"deleted": True} if op == "delete" else {"locked": new.locked}
    if field := OPS[op]:
        reported = {f"old_{field}": getattr(old, field), f"new_{field}": getattr(new, field)}
    return Curated(old.ns, old.key, op, **reported)
