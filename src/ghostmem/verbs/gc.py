"""gc: remove what has expired, what nobody asked for, and what was removed long ago."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ghostmem.engine.rows import Filter
from ghostmem.model import Memory, Priority, Record
from ghostmem.times import earlier, parse_ttl
from ghostmem.verbs.rm import remove
from ghostmem.verbs.store import Store

ALL = "all"
RECORDS = timedelta(days=90)  # how long the records of lifecycle runs are kept


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Record):
    """What a collection removed, or would."""

    dry_run: bool
    expired: int
    stale: int
    purged: int
    protected: int
    chunks_freed: int
    remaining: int
    db_size_bytes: int


def gc(
    store: Store,
    *,
    stale: str | None = None,
    purge_deleted: str | None = None,
    vacuum: bool = False,
    dry_run: bool = False,
) -> Collection:
    """Delete expired versions for good; on request also remove stale memories softly and purge what was removed long ago.

    `stale` ("30d") removes live memories that nobody asked for that long, except pinned, locked, high and critical ones;
    `purge_deleted` ("30d" or "all") deletes every version of keys that were removed that long ago. `vacuum` shrinks the file.
    """
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
        remaining = tx.listing.count(Filter(now=now))
        tx.runs.forget(earlier(now, RECORDS))
        tx.outline.prune()
    if vacuum and not dry_run:
        store.engine.vacuum()
    protected = len(unused) - len(doomed)
    return Collection(dry_run, len(expired), len(doomed), len(dead), protected, chunks, remaining, store.engine.size())


def _cutoff(text: str, now: datetime) -> datetime:
    return now if text == ALL else earlier(now, parse_ttl(text, "purge_deleted"))


def _spared(memory: Memory) -> bool:
    return memory.protected or memory.priority in (Priority.HIGH, Priority.CRITICAL)
