"""Open a database file: permissions, journal mode, the queue of writers, and what it holds."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

import apsw

from ghostmem.atomic import SQLITE_HEADER, is_plain
from ghostmem.errors import EngineError, NotADatabaseError, ReadOnlyStoreError, StoreFullError
from ghostmem.store.sqlite.failures import translated
from ghostmem.store.sqlite.reading import open_reading, read_pieces
from ghostmem.store.sqlite.schema import APPLICATION_ID
from ghostmem.store.sqlite.uses import USES

try:
    import fcntl
except ImportError:  # on Windows the order of writers is SQLite's
    fcntl = None  # type: ignore[assignment,unused-ignore]

_POLL = 0.001  # seconds between two attempts to take a lock
_MAX_QUEUE = 5.0  # seconds in the queue: a stopped process at its head must not block the others

_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


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


@contextmanager
def immediate(db: apsw.Connection) -> Iterator[None]:
    """Write in one transaction, which is rolled back after an error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite has rolled back already after some errors
            db.execute("ROLLBACK")
        raise


def begin_write(
    db: apsw.Connection, path: str, busy_timeout: float, patience: float | None = None
) -> None:
    """Begin a write transaction, or raise apsw.BusyError when the lock is not free in time.

    `busy_timeout` is the seconds that the connection waits for locks, and `patience` those to
    wait instead this time."""
    seconds = busy_timeout if patience is None else patience
    deadline = time.monotonic() + seconds
    with _queue(f"{path}-wal", min(seconds / 2, _MAX_QUEUE)) as has_waited:
        if patience is None and not has_waited:
            db.execute("BEGIN IMMEDIATE")
            return
        set_patience(db, max(0.0, deadline - time.monotonic()))
        try:
            db.execute("BEGIN IMMEDIATE")
        finally:
            set_patience(db, busy_timeout)


@contextmanager
def _queue(log: str, seconds: float) -> Iterator[bool]:
    """Be the first of the queue, or give up queueing after this time; yield whether it waited.

    The lock is on the write-ahead log, which every user of the store has, and which SQLite
    itself never locks."""
    try:
        file = os.open(log, os.O_RDONLY)
    except OSError:  # there is no log yet
        yield False
        return
    has_waited, deadline = False, time.monotonic() + seconds
    try:
        while not _try_lock(file) and time.monotonic() < deadline:
            # 1 to 6 ms at random, so that no process is always first
            time.sleep(_POLL + os.urandom(1)[0] / 50_000)
            has_waited = True
        yield has_waited
    finally:
        os.close(file)


def _try_lock(file: int) -> bool:
    """Take the lock if it is free, and say whether to go on: also where no such locks exist."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without them
        return True
    return True


def prepare(path: str) -> None:
    """Refuse a path that cannot be a store, and create the file with private modes."""
    if os.path.isdir(path):
        raise NotADatabaseError(
            f"{path} is a folder, not a database file",
            f"try --db {os.path.join(path, 'memory.db')}",
        )
    refuse_special(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            message = f"cannot create the folder {folder}: {error.strerror}"
            raise EngineError(message, "choose another with --db") from None
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        _refuse_text(path)
    except OSError as error:
        if not os.path.exists(path):
            message = f"cannot create the store in {folder}: {error.strerror}"
            if error.errno == errno.ENOSPC:
                raise StoreFullError(message) from None
            raise ReadOnlyStoreError(message, "choose another place with --db") from None


def refuse_special(path: str) -> None:
    """Refuse a device or a FIFO: opening it could block."""
    if not is_plain(path):
        raise NotADatabaseError(
            f"{path} is not a plain file, so it is not a Ghost store", "give a database file"
        )


def _refuse_text(path: str) -> None:
    try:
        head = next(read_pieces(path, 16), b"")
    except apsw.Error:
        return
    if head and head != SQLITE_HEADER:
        raise NotADatabaseError(f"{path} is not a Ghost store: the file is not an SQLite database")


def refuse_links(path: str) -> None:
    """Refuse to write a file with two names: their logs would overwrite each other."""
    links = os.stat(path).st_nlink
    if links > 1:
        name, own = quote(path), quote(f"{path}.own")
        raise EngineError(
            f"{path} has {links} hard links: used under two names, a store would be damaged",
            "with no program using it, remove the other names, or give this one a file of "
            f"its own: cp {name} {own} && mv {own} {name}; for copies use `ghost backup`",
        )


def connect(
    path: str, busy_timeout: float, synchronous: str, read_only: bool = False
) -> apsw.Connection:
    """Open a connection with Ghost's modes: WAL, foreign keys, secure deletes, no memory map."""
    with translated(path):
        db = _open(path, read_only)
        if path != ":memory:":
            USES.connections.add(db)
        set_patience(db, busy_timeout)
        # otherwise statements are planned again for each bound value
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if not read_only and path != ":memory:":
            _use_wal(db, path, busy_timeout)
        db.execute(
            f"PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; PRAGMA mmap_size=0;"
            "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; "
            "PRAGMA cache_size=-16000"
        ).fetchall()  # a pragma with a result stops the next ones until that is read
    return db


def _open(path: str, read_only: bool) -> apsw.Connection:
    if path == ":memory:":
        return apsw.Connection(path)
    return open_reading(path) if read_only else apsw.Connection(path, flags=_READ_WRITE)


def _use_wal(db: apsw.Connection, path: str, busy_timeout: float) -> None:
    """Switch to WAL; two processes may both try on a new file, and SQLite does not wait here."""
    if db.execute("PRAGMA journal_mode").get == "wal":
        return
    refuse_foreign(db, path)
    deadline = time.monotonic() + busy_timeout
    while True:
        try:
            if db.execute("PRAGMA journal_mode=WAL").fetchall():
                return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def is_ours(db: apsw.Connection) -> bool:
    """Say whether a database has Ghost's application id."""
    return bool(db.execute("PRAGMA application_id").get == APPLICATION_ID)


def refuse_foreign(db: apsw.Connection, path: str) -> None:
    """Refuse to write into a database of another program."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if is_ours(db):
        return
    if {"memories", "chunks"} <= tables:
        from pathlib import Path

        path = str(Path(path).resolve())
        new = quote(str(Path(path).with_name("ghostmem.db")))
        raise NotADatabaseError(
            f"{path} was written by the original Ghost, which can continue to use it",
            f"import its memories with `ghost --db {new} import --from-ghost {quote(path)}`, "
            f"then `ghost config set db {new}`",
        )
    if tables:
        raise NotADatabaseError(
            f"{path} is a database of another program (tables: {', '.join(sorted(tables)[:5])})"
        )
