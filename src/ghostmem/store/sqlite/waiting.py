"""Wait for the write lock in turn with other processes and threads, within a time limit.

SQLite's lock goes to the first who asks at the right moment. A writer that begins its next
transaction at once gets it again and again, while the others sleep. So writers first queue for
another lock, and keep that one only until they have SQLite's: after a write, another writer is
at the head of the queue. The queue only decides the order; SQLite's lock protects the data."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

try:
    import fcntl
except ImportError:  # on Windows the order of writers is SQLite's
    fcntl = None  # type: ignore[assignment,unused-ignore]

_POLL = 0.001  # seconds between two attempts to take a lock
_MAX_QUEUE = 5.0  # seconds in the queue: a stopped process at its head must not block the others


def set_patience(db: apsw.Connection, seconds: float) -> None:
    """Let a connection wait this long for locks, measured by the clock."""
    deadline = 0.0

    def keep_waiting(earlier_calls: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if not earlier_calls:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(_POLL)
        return True

    db.set_busy_handler(keep_waiting)


def begin_write(db: apsw.Connection, path: str, seconds: float) -> None:
    """Begin a write transaction, or raise apsw.BusyError when the lock is not free in time."""
    deadline = time.monotonic() + seconds
    with _queue(f"{path}-wal", min(seconds / 2, _MAX_QUEUE)):
        set_patience(db, max(0.0, deadline - time.monotonic()))
        db.execute("BEGIN IMMEDIATE")


@contextmanager
def _queue(log: str, seconds: float) -> Iterator[None]:
    """Be the first of the queue, or give up queueing after this time.

    The lock is on the write-ahead log, which every user of the store has, and which SQLite
    itself never locks."""
    try:
        file = os.open(log, os.O_RDONLY)
    except OSError:  # there is no log yet
        yield
        return
    try:
        deadline = time.monotonic() + seconds
        while not _is_locked(file) and time.monotonic() < deadline:
            # 1 to 6 ms at random, so that no process is always first
            time.sleep(_POLL + os.urandom(1)[0] / 50_000)
        yield
    finally:
        os.close(file)


def _is_locked(file: int) -> bool:
    """Take the lock if it is free; return True also where no such locks exist."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without them
        return True
    return True
