"""restore: bring back what was removed, or an earlier version."""

from dataclasses import replace

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.memory.draft import INHERITED, Draft, index_memory, write_draft
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Memory, Outcome
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store


def restore(
    store: Store, ns: str, key: str, version: int | None = None, *, unlock: bool = False
) -> Memory:
    """Make a removed or expired memory current again.

    With `version`, write that version's content and fields as the newest.
    """
    found = _restored(store, ns, key, version, unlock)
    catch_up(store, ns=ns)
    return found


def _restored(store: Store, ns: str, key: str, version: int | None, unlock: bool) -> Memory:
    validate.text(ns, "namespace")
    validate.text(key, "key")
    now = store.clock()
    with store.engine.write(within=(ns,)) as tx:
        last = tx.memories.last(ns, key)
        if last is None:
            raise NotFoundError(
                f"memory not found: {ns}/{key}",
                "a hard delete cannot be undone; look into a backup",
            )
        if version is not None and version != last.version:
            old = find(tx, ns, key, now, version)
            old = tx.memories.with_refs([old])[0]
            fields = {
                name: getattr(old, name)
                for name in (*INHERITED, "valid_from", "valid_to")
                if name != "expires_at"
            }
            draft = Draft(ns, key, old.content, fields, unlock=unlock, revive=True)
            return write_draft(store, tx, draft)
        if last.is_current(now):
            raise ConflictError(
                f"{ns}/{key} is not removed: version {last.version} is current",
                "name an earlier --version to go back to",
            )
        expires_at = last.expires_at if last.expires_at and last.expires_at > now else None
        tx.memories.change(last, "restore", now, deleted_at=None, expires_at=expires_at)
        tx.index.remove(last)
        rows = index_memory(store, tx, last)
        last = tx.memories.with_refs([last])[0]
        return replace(
            last, deleted_at=None, expires_at=expires_at, chunks=len(rows), outcome=Outcome.UPDATED
        )
