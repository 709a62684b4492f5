"""gc: remove what has expired, what nobody asked for, and what was removed long ago."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ghostmem.clock import earlier, parse_ttl
from ghostmem.memory.remove import remove, still_in_backups
from ghostmem.model import Memory, Priority, Record, optional
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store

ALL = "all"
RECORDS = timedelta(days=90)  # how long the records of lifecycle runs are kept
SESSIONS = timedelta(days=30)  # how long hooks remember a session in which nothing happens


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Record):
    """What a collection removed, or would.

    `backups` still hold some of it, and `pending` says what kept it from finishing.
    """

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


def gc(
    store: Store,
    *,
    stale: str | None = None,
    purge_deleted: str | None = None,
    vacuum: bool = False,
    dry_run: bool = False,
) -> Collection:
    """Delete expired versions for good.

    On request also remove stale memories softly and purge what was removed long ago.

    `stale` ("30d") removes live memories that nobody asked for that long, except pinned, locked,
    high and critical ones; `purge_deleted` ("30d" or "all") deletes every version of keys that were
    removed that long ago. What is deleted for good, now or by a command that could not finish,
    leaves no byte. `vacuum` does so in any case, and shrinks the file."""
    now = store.clock()
    idle = None if stale is None else earlier(now, parse_ttl(stale, "stale"))
    purge = None if purge_deleted is None else _cutoff(purge_deleted, now)
    with store.engine.write(dry_run=dry_run) as tx:
        expired = [m for m in tx.listing.expired(now) if not m.protected]
        unused = tx.listing.stale(idle, now) if idle else []
        doomed = [m for m in unused if not _spared(m)]
        gone = {m.id for m in expired}
        dead = [m for m in tx.listing.dead_keys(purge) if m.id not in gone] if purge else []
        chunks = remove(tx, [*expired, *dead], now, hard=True) + remove(tx, doomed, now, hard=False)
        backups = tx.backups.all()
        remaining = tx.listing.count(Filter(now=now))
        tx.runs.forget(earlier(now, RECORDS))
        tx.outline.prune()
        tx.sessions.prune(earlier(now, SESSIONS))
    held = still_in_backups(store, backups, [*expired, *dead])
    pending = "" if dry_run else store.engine.scrub(force=vacuum)
    counts = (len(expired), len(doomed), len(dead), len(unused) - len(doomed))
    return Collection(dry_run, *counts, chunks, remaining, store.engine.size(), held, pending)


def _cutoff(text: str, now: datetime) -> datetime:
    return now if text == ALL else earlier(now, parse_ttl(text, "purge_deleted"))


def _spared(memory: Memory) -> bool:
    return memory.protected or memory.priority in (Priority.HIGH, Priority.CRITICAL)
