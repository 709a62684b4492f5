"""restore: bring back a removed memory, or an earlier version."""

from dataclasses import replace
from datetime import datetime

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.memory.draft import INHERITED, NEVER, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.write import index_memory, write_draft
from ghostmem.model import Memory, Outcome
from ghostmem.store import Store, Transaction, find, validate
from ghostmem.store.lookup import not_found


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
        last = tx.memories.last(ns, key)
        if last is None:
            raise NotFoundError(
                f"memory not found: {ns}/{key} never existed, or was deleted for good",
                f"if it was deleted, look into a backup; {not_found(tx, ns, key, now).hint}",
            )
        if version is not None and version != last.version:
            memory = write_draft(store, tx, _draft_of(tx, find(tx, ns, key, now, version), unlock))
        else:
            memory = _undelete(store, tx, last, now)
    catch_up(store, ns=ns)
    return memory


def _draft_of(tx: Transaction, old: Memory, unlock: bool) -> Draft:
    """Return a draft that writes an old version again; its expiry is not restored.

    A pinned or locked version does not inherit the expiry of the current one either."""
    old = tx.memories.with_refs([old])[0]
    names = (*INHERITED, "valid_from", "valid_to")
    fields = {name: getattr(old, name) for name in names if name != "expires_at"}
    ttl = NEVER if old.protected else None
    return Draft(old.ns, old.key, old.content, fields, ttl, unlock=unlock, revive=True)


def _undelete(store: Store, tx: Transaction, last: Memory, now: datetime) -> Memory:
    if last.is_current(now):
        raise ConflictError(
            f"{last.ns}/{last.key} is not deleted: version {last.version} is current",
            "give an earlier --version to restore",
        )
    expires_at = last.expires_at if last.expires_at and last.expires_at > now else None
    tx.memories.change(last, "restore", now, deleted_at=None, expires_at=expires_at)
    tx.index.remove(last)
    rows = index_memory(store, tx, last)
    return replace(
        tx.memories.with_refs([last])[0],
        deleted_at=None,
        expires_at=expires_at,
        chunks=len(rows),
        outcome=Outcome.UPDATED,
    )
