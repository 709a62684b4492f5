"""rm: remove a memory; restore: bring back a removed one, or an earlier version."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from shlex import quote

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.draft import INHERITED, NEVER, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.write import index_memory, write_draft
from ghostmem.model import Memory, Outcome, Record, optional
from ghostmem.store import (
    Store,
    StoreCopies,
    Transaction,
    again,
    find,
    locked_error,
    not_found,
    validate,
)


@frozen
class Removal(Record):
    """The versions that were or would be removed, and where a hard-deleted one still exists.

    `remaining` counts the older versions that a hard delete of the latest one keeps,
    `backups` are copies of the store that contain it, `unchecked_backups` copies that cannot be
    read, `files` notes and mirrored files that would bring it back, and `pending` says why the file
    could not be scrubbed, and how to finish."""

    ns: str
    key: str
    versions: int
    hard: bool
    dry_run: bool
    backups: tuple[str, ...] = optional(())
    files: tuple[str, ...] = optional(())
    pending: str = optional("")
    remaining: int | None = optional()
    unchecked_backups: tuple[str, ...] = optional(())


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
    """Delete a memory; unless `hard`, it can be restored.

    Args:
        ns: Namespace.
        key: Key.
        hard: Delete the latest version permanently; the result lists backups that contain it.
        all_versions: With `hard`, delete every version.
        unlock: Also remove a memory tagged `locked`.
        dry_run: Change nothing; report what would happen.
    """
    validate.text(ns, "namespace")
    validate.text(key, "key")
    validate.flags(hard=hard, all_versions=all_versions, unlock=unlock, dry_run=dry_run)
    now = store.clock()
    with store.engine.write(dry_run=dry_run, within=(ns,)) as tx:
        history = tx.memories.history(ns, key)
        removed = [memory for memory in history if memory.deleted_at is None]
        if hard:
            removed = history if all_versions else history[-1:]
        files = still_in_files(tx, removed) if hard else ()
        backups = tx.backups.all() if hard else ()
        if not unlock and (locked := [memory for memory in removed if memory.locked]):
            raise locked_error(tx, locked[-1])
        remove(tx, removed, now, hard)
    copies = still_in_backups(store, backups, removed) if hard else StoreCopies()
    # Scrub even when nothing was removed: an earlier hard delete may have been interrupted.
    pending = store.engine.scrub() if hard and not dry_run else ""
    if not removed:
        raise NotFoundError(
            f"memory not found: {ns}/{key}",
            f"it was deleted before; `ghost restore -n {ns} -k {quote(key)}` brings it back"
            if history
            else f"`ghost list -n {ns}` shows the keys of the namespace",
        )
    return Removal(
        ns,
        key,
        len(removed),
        hard,
        dry_run,
        copies.holding,
        files,
        pending,
        (len(history) - len(removed) or None) if hard else None,
        copies.unchecked,
    )


def remove(
    tx: Transaction, versions: Sequence[Memory], now: datetime, hard: bool, op: str = "remove"
) -> int:
    """Remove versions from the indexes and mark or delete their rows; return the chunk count.

    After a hard delete the caller runs `engine.scrub()` outside the transaction."""
    chunks = sum(tx.index.remove(memory) for memory in versions)
    if hard and versions:
        tx.memories.delete(versions, now)
        tx.owe_scrub()
    elif not hard:
        for memory in versions:
            tx.memories.change(memory, op, now, deleted_at=now)
    return chunks


def still_in_backups(
    store: Store, backups: Iterable[str], versions: Sequence[Memory]
) -> StoreCopies:
    """Return the copies of the store that contain one of these versions."""
    return (
        store.engine.copies_holding(
            backups,
            [memory.id for memory in versions],
            [memory.content for memory in versions if memory.content.strip()],
        )
        if versions
        else StoreCopies()
    )


def still_in_files(tx: Transaction, versions: Sequence[Memory]) -> tuple[str, ...]:
    """Return the notes and mirrored files with the text of these versions; they are not changed."""
    from pathlib import Path

    places = tx.notes.places([memory.id for memory in versions]).values()
    paths = {str(Path(place.root, place.path)) for place in places}
    paths |= {
        str(Path(mirror.root, item.path))
        for mirror in tx.mirrors.all()
        for key in sorted({memory.key for memory in versions if memory.ns == mirror.ns})
        if (item := tx.mirrors.item(mirror.id, key)) is not None
    }
    return tuple(sorted(paths))


def restore(
    store: Store, ns: str, key: str, *, version: int | None = None, unlock: bool = False
) -> Memory:
    """Restore a deleted memory, or make an earlier version the newest.

    Args:
        ns: Namespace.
        key: Key.
        version: Number of the version whose content and fields become the newest version.
        unlock: Also change a memory tagged `locked`.

    Raises:
        ConflictError: The memory is not removed.
    """
    validate.flags(unlock=unlock)
    validate.text(ns, "namespace")
    validate.text(key, "key")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        if (last := tx.memories.last(ns, key)) is None:
            raise NotFoundError(
                f"memory not found: {ns}/{key} never existed, or was deleted for good",
                f"if it was deleted, look into a backup; {not_found(tx, ns, key, now).hint}",
            )
        memory = (
            write_draft(store, tx, _draft_of(tx, find(tx, ns, key, now, version), unlock))
            if version is not None and version != last.version
            else _undelete(store, tx, last, now)
        )
    catch_up(store, ns=ns)
    return memory


def _draft_of(tx: Transaction, old: Memory, unlock: bool) -> Draft:
    """Return a draft that writes an old version again; its expiry is not restored.

    A pinned or locked version does not inherit the expiry of the current one either."""
    old = tx.memories.with_refs([old])[0]
    fields = {
        name: getattr(old, name)
        for name in (*INHERITED, "valid_from", "valid_to")
        if name != "expires_at"
    }
    return Draft(
        old.ns,
        old.key,
        old.content,
        fields,
        NEVER if old.protected else None,
        unlock=unlock,
        revive=True,
    )


def _undelete(store: Store, tx: Transaction, last: Memory, now: datetime) -> Memory:
    if last.is_current(now):
        raise ConflictError(
            f"{last.ns}/{last.key} is not deleted: version {last.version} is current",
            "give an earlier --version to restore",
        )
    expires_at = last.expires_at if last.expires_at and last.expires_at > now else None
    tx.memories.change(last, "restore", now, deleted_at=None, expires_at=expires_at)
    tx.index.remove(last)
    return replace(
        tx.memories.with_refs([last])[0],
        deleted_at=None,
        expires_at=expires_at,
        chunks=len(index_memory(store, tx, last)),
        outcome=Outcome.UPDATED,
    )
