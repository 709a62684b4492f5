"""List, count and remove namespaces."""

from ghostmem.errors import InvalidInputError, LockedError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.remove import remove, still_in_backups, still_in_files
from ghostmem.model import NsFilter, Record, optional
from ghostmem.store import Filter, Store, StoreCopies, validate


@frozen
class NamespaceInfo(Record):
    """The counts of a namespace."""

    ns: str
    count: int
    keys: int
    sequence: int


@frozen
class NamespaceRemoval(Record):
    """The memories removed from the matching namespaces; see `Removal` for the other fields."""

    ns: str
    deleted: int
    hard: bool
    dry_run: bool
    backups: tuple[str, ...] = optional(())
    files: tuple[str, ...] = optional(())
    pending: str = optional("")
    unchecked_backups: tuple[str, ...] = optional(())


def list_namespaces(store: Store, ns: str | None = None) -> list[NamespaceInfo]:
    """Return namespaces with the number of memories and keys in each.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    with store.engine.read() as tx:
        return [
            NamespaceInfo(*row)
            for row in tx.listing.namespaces(validate.ns_filter(ns), store.clock())
        ]


def rm_namespace(
    store: Store, ns: str, *, hard: bool = False, unlock: bool = False, dry_run: bool = False
) -> NamespaceRemoval:
    """Delete a namespace, or all namespaces with a prefix such as "agent:*".

    `hard` permanently deletes every version, quarantined memories and the name itself.

    Args:
        ns: Namespace, or a prefix such as "agent:*".
        hard: Delete every version permanently, quarantined memories and the name too.
        unlock: Also delete memories tagged `locked`.
        dry_run: Change nothing; report what would happen.
    """
    validate.flags(hard=hard, unlock=unlock, dry_run=dry_run)
    if not (chosen := validate.ns_filter(ns)):
        raise InvalidInputError(
            f"namespace filter {ns!r} cannot be empty or everything",
            "give a namespace, or a prefix such as agent:*",
        )
    now = store.clock()
    with store.engine.write(dry_run=dry_run) as tx:
        if not tx.listing.namespaces(chosen, now):
            raise NotFoundError(f"no namespace matches {ns!r}", "`ghost ns list` shows all")
        memories = list(tx.listing.rows(chosen) if hard else tx.listing.scan(Filter(ns=chosen)))
        locked = next((m for m in memories if m.locked), None)
        if locked is not None and not unlock:
            raise LockedError(f"{locked.ns}/{locked.key} is locked; nothing was removed")
        files = still_in_files(tx, memories) if hard else ()
        backups = tx.backups.all() if hard else {}
        remove(tx, memories, now, hard)
        if hard:
            for held in tx.quarantine.all(chosen):
                tx.quarantine.drop(held.id)
            for alias in tx.source_aliases.all(chosen):
                tx.source_aliases.drop(alias)
            for name in dict.fromkeys(memory.ns for memory in memories):
                tx.journal.retire(name)
    copies = still_in_backups(store, backups, memories) if hard else StoreCopies()
    return NamespaceRemoval(
        ns,
        len(memories),
        hard,
        dry_run,
        copies.holding,
        files,
        store.engine.scrub() if hard and not dry_run else "",
        copies.unchecked,
    )


@frozen
class Stats(Record):
    """Counts of a whole store."""

    db_path: str
    db_size_bytes: int
    total_memories: int
    active_memories: int
    total_chunks: int
    total_edges: int
    total_links: int
    total_files: int
    total_rules: int
    namespaces: tuple[NamespaceInfo, ...]


def stats(store: Store) -> Stats:
    """Return counts and sizes of the store."""
    now = store.clock()
    with store.engine.read() as tx:
        totals = tx.listing.totals(now)
        namespaces = tuple(NamespaceInfo(*row) for row in tx.listing.namespaces(NsFilter(), now))
    return Stats(
        store.engine.location,
        store.engine.size(),
        totals["memories"],
        totals["live"],
        totals["chunks"],
        totals["memory_edges"],
        totals["memory_links"],
        totals["memory_files"],
        totals["reflect_rules"],
        namespaces,
    )
