"""rm: take a memory away, softly unless asked otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import LockedError, NotFoundError
from ghostmem.model import Memory, Record
from ghostmem.verbs import accept
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from ghostmem.engine.base import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Removal(Record):
    """What was removed, or would be."""

    ns: str
    key: str
    versions: int
    hard: bool
    dry_run: bool


def rm(
    store: Store,
    ns: str,
    key: str,
    *,
    hard: bool = False,
    all_versions: bool = False,
    unlock: bool = False,
    dry_run: bool = False,
) -> Removal:
    """Remove a memory: softly it can be restored, `hard` deletes the latest version for good, with `all_versions` every one."""
    accept.text(ns, "namespace")
    accept.text(key, "key")
    now = store.clock()
    with store.engine.write(dry_run=dry_run) as tx:
        found = tx.memories.history(ns, key)
        alive = [m for m in found if m.deleted_at is None]
        doomed = (found if all_versions else found[-1:]) if hard else alive
        if not doomed:
            hint = (
                f"it was removed before; `ghost restore -n {ns} -k {key}` brings it back"
                if found
                else f"`ghost list -n {ns}` shows what is there"
            )
            raise NotFoundError(f"memory not found: {ns}/{key}", hint)
        if not unlock and any(m.locked for m in doomed):
            raise LockedError(f"{ns}/{key} is locked")
        remove(tx, doomed, now, hard)
    return Removal(ns, key, len(doomed), hard, dry_run)


def remove(tx: Transaction, doomed: Sequence[Memory], now: datetime, hard: bool) -> int:
    """Take versions out of every index and mark or delete their rows; return how many chunks went."""
    chunks = sum(tx.index.remove(memory) for memory in doomed)
    if hard:
        tx.memories.delete(doomed, now)
    else:
        for memory in doomed:
            tx.memories.change(memory, "remove", now, deleted_at=now)
    return chunks
