"""ns: which namespaces there are, and removing whole ones."""

from dataclasses import dataclass

from ghostmem.errors import InvalidInputError, LockedError, NotFoundError
from ghostmem.memory.remove import remove, still_in_backups, still_in_files
from ghostmem.model import Record, optional
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class NamespaceInfo(Record):
    """How much a namespace holds."""

    ns: str
    count: int
    keys: int
    sequence: int


@dataclass(frozen=True, eq=False, repr=False)
class NamespaceRemoval(Record):
    """What was removed from the namespaces that matched, or would be.

    See `Removal` for where it still is.
    """

    ns: str
    deleted: int
    hard: bool
    dry_run: bool
    backups: tuple[str, ...] = optional(())
    files: tuple[str, ...] = optional(())
    pending: str = optional("")


def list_namespaces(store: Store, ns: str | None = None) -> list[NamespaceInfo]:
    """Return namespaces in order, with how many live memories and keys each holds."""
    with store.engine.read() as tx:
        return [
            NamespaceInfo(*row)
            for row in tx.listing.namespaces(validate.ns_filter(ns), store.clock())
        ]


def rm_namespace(
    store: Store, ns: str, *, hard: bool = False, unlock: bool = False, dry_run: bool = False
) -> NamespaceRemoval:
    """Remove everything in a namespace, or in all that start alike.

    `hard` deletes every version for good.

    A hard delete also drops what is held in quarantine there, and the namespace's name; its change
    log stays under a number."""
    which = validate.ns_filter(ns)
    if not which:
        raise InvalidInputError(
            f"namespace filter {ns!r} cannot be empty or everything",
            "name a namespace, or a prefix such as agent:*",
        )
    now = store.clock()
    with store.engine.write(dry_run=dry_run) as tx:
        if not tx.listing.namespaces(which, now):
            raise NotFoundError(f"no namespace matches {ns!r}", "`ghost ns list` shows all")
        doomed = list(tx.listing.rows(which) if hard else tx.listing.scan(Filter(ns=which)))
        locked = next((m for m in doomed if m.locked), None)
        if locked is not None and not unlock:
            raise LockedError(f"{locked.ns}/{locked.key} is locked; nothing was removed")
        files = still_in_files(tx, doomed) if hard else ()
        backups = tx.backups.all() if hard else {}
        remove(tx, doomed, now, hard)
        if hard:
            for held in tx.quarantine.all(which):
                tx.quarantine.drop(held.id)
            for name in dict.fromkeys(memory.ns for memory in doomed):
                tx.journal.retire(name)
    copies = still_in_backups(store, backups, doomed) if hard else ()
    pending = store.engine.scrub() if hard and not dry_run else ""
    return NamespaceRemoval(ns, len(doomed), hard, dry_run, copies, files, pending)
