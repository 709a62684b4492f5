"""Garbage collection: delete expired, stale and removed memories."""

from datetime import timedelta

from ghostmem.clock import earlier, parse_ttl
from ghostmem.frozen import frozen
from ghostmem.memory.remove import remove, still_in_backups
from ghostmem.model import Priority, Record, optional
from ghostmem.store import Filter, Store, validate

ALL = "all"
KEEP_RUNS = timedelta(days=90)  # the records of reflect runs
KEEP_SESSIONS = timedelta(days=30)  # idle sessions of hooks


@frozen
class Collection(Record):
    """The counts of a collection, or of its dry run.

    `backups` still hold deleted memories, `unchecked_backups` cannot be read; `pending` says why
    scrubbing could not finish."""

    dry_run: bool
    expired: int
    stale: int
    purged: int
    protected: int
    chunks_freed: int
    remaining: int
    db_size_bytes: int
    backups: tuple[str, ...] = optional(())
    pending: str = optional("")
    unchecked_backups: tuple[str, ...] = optional(())


def gc(
    store: Store,
    *,
    stale: str | None = None,
    purge_deleted: str | None = None,
    vacuum: bool = False,
    dry_run: bool = False,
) -> Collection:
    """Delete expired memories and, on request, stale and long-deleted ones.

    Args:
        stale: Remove live memories that were not retrieved for this long, such as "30d", except
            pinned, locked, high and critical ones; they can be restored.
        purge_deleted: Permanently delete memories that were deleted this long ago, or "all".
        vacuum: Rewrite the file to reclaim space.
        dry_run: Change nothing; report what would happen.
    """
    validate.flags(vacuum=vacuum, dry_run=dry_run)
    now = store.clock()
    idle = None if stale is None else earlier(now, parse_ttl(stale, "stale"))
    purge = now if purge_deleted == ALL else None
    if purge is None and purge_deleted is not None:
        purge = earlier(now, parse_ttl(purge_deleted, "purge_deleted"))
    with store.engine.write(dry_run=dry_run) as tx:
        expired = [m for m in tx.listing.expired(now) if not m.protected]
        unused = tx.listing.stale(idle, now) if idle else []
        removed = [
            m
            for m in unused
            if not (m.protected or m.priority in (Priority.HIGH, Priority.CRITICAL))
        ]
        gone = {m.id for m in expired}
        dead = [m for m in tx.listing.dead_keys(purge) if m.id not in gone] if purge else []
        chunks = remove(tx, [*expired, *dead], now, hard=True) + remove(
            tx, removed, now, hard=False
        )
        backups = tx.backups.all()
        remaining = tx.listing.count(Filter(now=now))
        tx.runs.forget(earlier(now, KEEP_RUNS))
        tx.outline.prune()
        tx.sessions.prune(earlier(now, KEEP_SESSIONS))
    copies = still_in_backups(store, backups, [*expired, *dead])
    pending = "" if dry_run else store.engine.scrub(force=vacuum)
    counts = (len(expired), len(removed), len(dead), len(unused) - len(removed))
    return Collection(
        dry_run,
        *counts,
        chunks,
        remaining,
        store.engine.size(),
        copies.holding,
        pending,
        copies.unchecked,
    )
