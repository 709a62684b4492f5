"""rm: take a memory away, softly unless asked otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.errors import LockedError, NotFoundError
from ghostmem.model import Memory, Record, optional
from ghostmem.store import validate
from ghostmem.store.retry import again
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Removal(Record):
    """What was removed, or would be; after a hard delete also where it still is.

    `backups` are copies of the store that hold it, `files` notes and mirrored files that say it and
    would bring it back, and `pending` says what kept the file from being scrubbed, and how to
    finish."""

    ns: str
    key: str
    versions: int
    hard: bool
    dry_run: bool
    backups: tuple[str, ...] = optional(())
    files: tuple[str, ...] = optional(())
    pending: str = optional("")


@again
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
    """Remove a memory: softly it can be restored, `hard` deletes the latest version for good, with
    `all_versions` every one.

    A hard delete leaves no byte in the file, its log and its indexes, and names the backups that
    still hold it."""
    validate.text(ns, "namespace")
    validate.text(key, "key")
    now = store.clock()
    with store.engine.write(dry_run=dry_run, within=(ns,)) as tx:
        found = tx.memories.history(ns, key)
        alive = [m for m in found if m.deleted_at is None]
        doomed = (found if all_versions else found[-1:]) if hard else alive
        if doomed:
            if not unlock and any(m.locked for m in doomed):
                raise LockedError(f"{ns}/{key} is locked")
            files = still_in_files(tx, doomed) if hard else ()
            backups = tx.backups.all() if hard else {}
            remove(tx, doomed, now, hard)
    if not doomed:
        if hard and not dry_run:
            store.engine.scrub()  # it may be gone by a delete that was cut short
        hint = (
            f"it was removed before; `ghost restore -n {ns} -k {key}` brings it back"
            if found
            else f"`ghost list -n {ns}` shows what is there"
        )
        raise NotFoundError(f"memory not found: {ns}/{key}", hint)
    held = still_in_backups(store, backups, doomed) if hard else ()
    pending = store.engine.scrub() if hard and not dry_run else ""
    return Removal(ns, key, len(doomed), hard, dry_run, held, files, pending)


def remove(
    tx: Transaction, doomed: Sequence[Memory], now: datetime, hard: bool, op: str = "remove"
) -> int:
    """Take versions out of every index and mark or delete their rows; return how many chunks went.

    Whoever deletes for good calls `engine.scrub()` after the transaction; until then it is owed.
    """
    chunks = sum(tx.index.remove(memory) for memory in doomed)
    if hard and doomed:
        tx.memories.delete(doomed, now)
        tx.owe_scrub()
    elif not hard:
        for memory in doomed:
            tx.memories.change(memory, op, now, deleted_at=now)
    return chunks


def still_in_backups(
    store: Store, backups: Iterable[str], doomed: Sequence[Memory]
) -> tuple[str, ...]:
    """Return the copies of the store that hold one of these versions."""
    ids, texts = (
        [memory.id for memory in doomed],
        [memory.content for memory in doomed if memory.content.strip()],
    )
    return tuple(store.engine.copies_holding(backups, ids, texts)) if doomed else ()


def still_in_files(tx: Transaction, doomed: Sequence[Memory]) -> tuple[str, ...]:
    """Return the notes and mirrored files that say what is to be deleted: they belong to their
    owner, and stay.
    """
    places = tx.notes.places([memory.id for memory in doomed]).values()
    found = {str(Path(place.root, place.path)) for place in places}
    keys = {(memory.ns, memory.key) for memory in doomed}
    for mirror in tx.mirrors.all():
        for key in sorted(key for ns, key in keys if ns == mirror.ns):
            item = tx.mirrors.item(mirror.id, key)
            found |= {str(Path(mirror.root, item.path))} if item is not None else set()
    return tuple(sorted(found))
