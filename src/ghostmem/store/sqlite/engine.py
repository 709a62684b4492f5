"""One SQLite file as a store: a connection per thread, transactions, and file maintenance."""

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress

import apsw

from ghostmem.clock import Clock
from ghostmem.errors import CorruptStoreError, EngineError, GhostError, InvalidInputError
from ghostmem.store.engine import COUNT_MIGRATIONS, BaseEngine
from ghostmem.store.rows import Reindex, StoreCopies
from ghostmem.store.sqlite.connect import begin_write, connect, prepare, refuse_links
from ghostmem.store.sqlite.failures import raise_translated, translated
from ghostmem.store.sqlite.journal import LineCount
from ghostmem.store.sqlite.migrate import (
    applied,
    finish_rows,
    make_in_memory,
    migrate,
)
from ghostmem.store.sqlite.reading import CopyConnection
from ghostmem.store.sqlite.schema import MIGRATIONS
from ghostmem.store.sqlite.transaction import SqliteTransaction
from ghostmem.store.sqlite.uses import USES


class SqliteEngine(BaseEngine):
    """A store in one file, or in memory."""

    name = "sqlite"

    def __init__(
        self, path: str, clock: Clock, synchronous: str = "full", busy_timeout: float = 30.0
    ) -> None:
        super().__init__(path, synchronous, busy_timeout)
        self.file = None if path == ":memory:" else path
        self._local = threading.local()
        # weakly: a thread that ends takes its connection with it
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._file: tuple[int, int] | None = None
        self._shared: apsw.Connection | None = None
        self._lines: weakref.WeakKeyDictionary[apsw.Connection, LineCount]
        self._lines = weakref.WeakKeyDictionary()
        with USES:
            self._start(clock)

    def _start(self, clock: Clock) -> None:
        if self.file is not None:
            if os.path.isfile(self.file) and not all(
                os.access(place, os.W_OK)
                for place in (self.file, os.path.dirname(self.file) or ".")
            ):
                self.read_only, self.read_only_reason = True, f"{self.location} cannot be written"
            else:
                prepare(self.location)
                refuse_links(self.location)
        db = self._connection()
        try:
            with self._explained():
                names = applied(db)
                if self._must_migrate(names, MIGRATIONS):
                    if self.location == ":memory:":
                        make_in_memory(db, clock())
                    else:
                        migrate(db, self.location, clock())
                    names = applied(db)
                self._adopt(names, MIGRATIONS)
            if not self.read_only:
                self._refuse_other_file()
                self._finish_rows(db)
        except BaseException:
            self.close()
            raise

    def _finish_rows(self, db: apsw.Connection) -> None:
        """Complete rows of an older Ghost that was still running after the upgrade.

        If the store is busy, full or damaged, it opens as it is; the next opening tries again."""
        with suppress(EngineError), translated(self.location):
            if db.execute("SELECT 1 FROM memories WHERE checksum IS NULL LIMIT 1").get:
                with self.write(patience=1.0) as tx:
                    finish_rows(tx.db.connection)

    def _connection(self) -> apsw.Connection:
        self._refuse_closed()
        if self._process != os.getpid():  # the parent's connections, which `USES` has closed
            self._process = os.getpid()
            self._open, self._lines = weakref.WeakSet(), weakref.WeakKeyDictionary()
            self._local, self._lock = threading.local(), threading.RLock()
        if self._shared is not None:
            return self._shared
        own: apsw.Connection | None = getattr(self._local, "db", None)
        if own is not None and _is_usable(own):
            return own
        db = self._connect()
        with self._lock:
            self._open.add(db)
        if self.location == ":memory:":
            self._shared = db
        else:
            self._local.db = db
        return db

    def _connect(self) -> apsw.Connection:
        if self._file is not None:  # otherwise a new, empty file would be created
            self._refuse_other_file()
        return connect(self.location, self._busy_timeout, self._synchronous, self.read_only)

    def _refuse_other_file(self) -> None:
        if self.location == ":memory:":
            return
        try:
            status = os.stat(self.location)
        except OSError:
            raise EngineError(
                f"{self.location} no longer exists: it was deleted while open",
                "open the store again",
            ) from None
        if self._file is None:
            self._file = (status.st_dev, status.st_ino)
        elif self._file != (status.st_dev, status.st_ino):
            raise EngineError(f"{self.location} was replaced while open", "open the store again")

    @contextmanager
    def _turn(self) -> Iterator[apsw.Connection]:
        """Lend the thread's connection; a store in memory has one, which threads share in turn."""
        with USES, self._lock if self._connection() is self._shared else nullcontext():
            yield self._connection()

    @contextmanager
    def _transaction(self, is_relaxed: bool = False) -> Iterator[apsw.Connection]:
        """Lend a connection for a transaction, which is rolled back after an error.

        A relaxed transaction does not wait for the disk."""
        with self._turn() as db, self._explained():
            self._refuse_other_file()
            if db.in_transaction:
                raise InvalidInputError(
                    "a function that Ghost calls cannot use the same store in memory",
                    "use a file, or another store",
                )
            try:
                if is_relaxed:
                    db.execute("PRAGMA synchronous=NORMAL")
                yield db
            except BaseException as error:
                if isinstance(error, (apsw.ConnectionClosedError, apsw.InterruptError)):
                    self._refuse_closed()  # by another thread
                if db.in_transaction:  # SQLite has rolled back already after some errors
                    db.execute("ROLLBACK")
                raise
            finally:
                if is_relaxed:
                    with suppress(apsw.ConnectionClosedError):  # by another thread
                        db.execute("PRAGMA synchronous=FULL")

    @contextmanager
    def read(self, within: str = "") -> Iterator[SqliteTransaction]:
        """Read one consistent state of the store; an id finds its row without a namespace."""
        with self._transaction() as db:
            db.execute("BEGIN")
            yield SqliteTransaction(db, self._views, self._cache)
            db.execute("COMMIT")

    @contextmanager
    def write(
        self,
        durable: bool = True,
        dry_run: bool = False,
        patience: float | None = None,
        within: Iterable[str] | None = None,
    ) -> Iterator[SqliteTransaction]:
        """Change the store in one transaction.

        `durable` waits until the change survives a power cut, `dry_run` rolls everything back
        at the end, and `patience` is the seconds to wait for the write lock instead of the
        setting. The file has one lock, whatever is written `within`."""
        self._refuse_read_only()
        with self._transaction(not durable and self._synchronous == "full") as db:
            begin_write(db, self.location, self._busy_timeout, patience)
            lines = self._lines.setdefault(db, LineCount())
            if lines.begin(db):
                self._refuse_upgraded(db)
            views = dict(self._views)  # those of an uncommitted write must not be kept
            yield SqliteTransaction(db, views, None, lines)  # nor its rows
            if dry_run:
                db.execute("ROLLBACK")
            else:
                db.execute("COMMIT")
                lines.commit(db)
                self._views.update(views)

    @contextmanager
    def snapshot(self) -> Iterator[SqliteTransaction]:
        """Read one consistent state on its own connection, while this thread and others write."""
        self._refuse_closed()
        with USES:
            if self.location == ":memory:":
                with self._turn() as shared:
                    image = shared.serialize("main")
                db = apsw.Connection(":memory:")
                db.deserialize("main", image)
            else:
                db = self._connect()
            try:
                with self._explained():
                    db.execute("BEGIN")
                    yield SqliteTransaction(db, self._views, self._cache)
                    db.execute("COMMIT")
            finally:
                db.close()

    def size(self) -> int:
        """Return the bytes on disk, with the write-ahead log."""
        if self.file is None:
            return 0
        parts = (self.location + suffix for suffix in ("", "-wal"))
        return sum(os.path.getsize(part) for part in parts if os.path.exists(part))

    def versions(self) -> Mapping[str, str]:
        """Return the versions of SQLite, apsw and the schema."""
        with self.read() as tx:
            names = sorted(applied(tx.db.connection) or ())
        return {
            "sqlite": apsw.sqlite_lib_version(),
            "apsw": apsw.apsw_version(),
            "schema": names[-1],
        }

    def check(self) -> list[str]:
        """Return all problems of the file, its rows and its indexes."""
        from ghostmem.store.sqlite.check import problems

        # not on the thread's connection: after writes of others it sees damage in full text where
        # there is none
        with self.snapshot() as tx:
            return problems(tx.db.connection)

    def _refuse_upgraded(self, db: apsw.Connection) -> None:
        """Refuse to write a store that a newer Ghost has upgraded since it was opened."""
        if db.execute(COUNT_MIGRATIONS).get != self._migrations:
            self._adopt(applied(db), MIGRATIONS)
            self._refuse_read_only()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise_translated(error, self.location)
            self._refuse_damaged(error)
            raise

    def _refuse_damaged(self, error: Exception) -> None:
        """Raise an error if damage to the file explains an unexpected error in a transaction.

        A damaged value can make any code fail that reads it, so the file is asked, not the code."""
        if self.file is None or isinstance(error, (GhostError, OSError)):
            return
        if problems := self.check():
            raise CorruptStoreError(f"{self.location} is damaged: {problems[0]}") from error

    def repair(self, reindex: Reindex) -> Mapping[str, int]:
        """Remove orphans and rebuild every index from the rows."""
        from ghostmem.store.sqlite.check import repair

        with self.write() as tx:
            return repair(tx, reindex)

    def backup(self, target: str, begin: Callable[[], None]) -> int:
        """Write a compact, checked copy of one state to a file and return its size.

        An existing file is replaced. `begin` is called once the target is known to be free,
        before anything is written."""
        from pathlib import Path

        from ghostmem.store.sqlite.replace import Rows, row_counts, write_database

        def fill(path: str) -> Rows | None:
            before, counts = db.execute("PRAGMA data_version").get, row_counts(db)
            db.execute("VACUUM INTO ?", (path,))
            return counts if db.execute("PRAGMA data_version").get == before else None

        with self._turn() as db, translated(target):
            return write_database(Path(target), begin, fill)

    def scrub(self, force: bool = False) -> str:
        """Remove every byte of permanently deleted text from the file.

        Returns what prevented that and how to finish, or an empty text. Does nothing when
        nothing was deleted since the last time, unless `force` is set."""
        from ghostmem.store.sqlite.scrub import PATIENCE, owed, scrub, sweep_copies, tidy

        if self.read_only:
            return ""
        with self._turn() as shared:
            sweep_copies(shared, self.file)
            if not (force or owed(shared)):
                return ""
        if self.location == ":memory:":
            with self.write() as tx:
                tidy(tx.db.connection)
                tx.db.execute("PRAGMA user_version=0")
            return ""
        self._refuse_other_file()
        with USES:
            db = connect(self.location, min(self._busy_timeout, PATIENCE), self._synchronous)
            try:
                with translated(self.location):
                    return scrub(db)
            finally:
                db.close()

    def copies_holding(
        self, paths: Iterable[str], ids: Sequence[str], texts: Sequence[str] = ()
    ) -> StoreCopies:
        """Return the copies, listed or next to the file, that hold memories by id or exact text.

        Those that cannot be read are named apart."""
        from ghostmem.store.sqlite.scrub import copies_beside, holders

        beside = [] if self.file is None else copies_beside(self.file)
        own = "" if self.file is None else os.path.realpath(self.file)
        return holders([path for path in (*paths, *beside) if path != own], ids, texts)

    def flush(self) -> None:
        """Checkpoint the write-ahead log into the file."""
        with self._turn() as db, translated(self.location):
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close every connection; the last one leaves a single file."""
        if USES.is_broken:
            return
        with USES, self._lock:
            self._closed = True
            for db in list(self._open):
                _close(db)
            self._open.clear()
            self._shared = None
            self._local = threading.local()


def _close(db: apsw.Connection) -> None:
    """Close a connection; a statement that another thread runs on it is interrupted."""
    while True:
        try:
            db.close()
            return
        except apsw.ThreadingViolationError:
            db.interrupt()
            time.sleep(0.001)


def _is_usable(db: apsw.Connection) -> bool:
    """Say whether a thread can begin a transaction on its connection.

    It cannot in a function that an operation calls, such as an embedder. An old copy of a file on
    read-only media is closed."""
    if db.in_transaction:
        return False
    if isinstance(db, CopyConnection) and db.is_stale():
        db.close()
        return False
    return True
