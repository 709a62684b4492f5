"""Make the changes of a reflect run, or reverse them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ghostmem.memory.write import index_memory
from ghostmem.model import Edge, Memory, Rel, Tier
from ghostmem.store import AuditEntry, Store, Transaction, record_of, retag, values_of

DUPLICATE_OPS = ("DEDUP", "MERGE")  # only valid as long as the kept memory exists
APPLIED = 1  # the state of a change that was made
SKIPPED = 2  # the state of a change whose subject had changed meanwhile


def digest(memory: Memory) -> str:
    """Return a short hash of a memory's content."""
    return hashlib.sha256(memory.content.encode()).hexdigest()[:16]


def apply_all(
    store: Store,
    tx: Transaction,
    entries: Sequence[AuditEntry],
    now: datetime,
    back: bool = False,
) -> dict[int, bool]:
    """Make changes in order, or reverse them with `back`.

    Returns by the number of each change whether it was made. It is not if its subject has changed
    since it was planned, or is protected now."""
    ids = [entry.subject for entry in entries if " " not in entry.subject]
    memories = tx.memories.by_ids(ids)
    superseded = tx.memories.superseded(ids) if ids else set()
    results: dict[int, bool] = {}
    for entry in entries:
        before, after = (entry.after, entry.before) if back else (entry.before, entry.after)
        if " " in entry.subject:
            results[entry.seq] = _edge(tx, entry.subject, before, after, back)
            continue
        memory = memories.pop(entry.subject, None) or tx.memories.by_id(entry.subject)
        values = None
        if memory is not None and memory.id not in superseded:
            values, bound = _new_values(memory, before, after, back), tx.of(memory.ns)
            is_duplicate = not back and entry.op in DUPLICATE_OPS
            if values is None or (is_duplicate and not _has_kept_memory(bound, memory, now)):
                values = None
            else:
                _write(store, bound, memory, entry.op.lower(), values, now)
        results[entry.seq] = values is not None
    return results


def _new_values(
    memory: Memory, before: dict[str, Any] | None, after: dict[str, Any] | None, back: bool
) -> dict[str, Any] | None:
    """Return the new fields of a memory, or None if it must not be changed."""
    if before is None or after is None:
        return None
    if any(getattr(memory, name) != value for name, value in values_of(Memory, before).items()):
        return None
    if not back and (memory.protected or memory.deleted_at is not None):
        return None
    return values_of(Memory, after)


def _has_kept_memory(tx: Transaction, memory: Memory, now: datetime) -> bool:
    """Say whether the memory that a duplicate was merged into is current and not dormant."""
    kept_ids = [
        edge.to_id
        for edge in tx.graph.touching([memory.id], [Rel.MERGED_INTO])
        if edge.from_id == memory.id
    ]
    return any(
        survivor.is_current(now) and survivor.tier != Tier.DORMANT
        for survivor in tx.memories.by_ids(kept_ids).values()
    )


def _write(
    store: Store, tx: Transaction, memory: Memory, op: str, values: dict[str, Any], now: datetime
) -> None:
    """Change the fields of a memory, and update the index and the queue of unlinked memories."""
    if values.get("deleted_at"):
        tx.index.remove(memory)
    tx.memories.change(memory, op, now, **values)
    if "deleted_at" in values and values["deleted_at"] is None:
        index_memory(store, tx, replace(memory, **values))
    elif "tags" in values and not values.get("deleted_at"):
        retag(tx, memory, values["tags"])
    if "tier" in values and memory.tier == Tier.SENSORY:
        tx.index.wait(memory.id)
    elif values.get("tier") == Tier.SENSORY:
        tx.graph.linked([memory.id])


def _edge(
    tx: Transaction,
    subject: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    back: bool,
) -> bool:
    """Add, change or drop an edge.

    When it is reversed, one end may be a memory whose removal is reversed after it."""
    start, to, rel = subject.split(" ")
    edge = tx.graph.edge(start, to, Rel(rel))
    if before is None:
        ends = tx.memories.by_ids([start, to])
        if (
            edge is not None
            or len(ends) < 2
            or (not back and any(end.deleted_at for end in ends.values()))
        ):
            return False
        new = record_of("edge", after or {})
        return isinstance(new, Edge) and tx.graph.add_edge(new)
    if edge is None or edge.weight != before["weight"]:
        return False
    if after is None:
        return tx.graph.drop_edge(start, to, Rel(rel))
    tx.graph.put_edge(replace(edge, weight=after["weight"]))
    return True
