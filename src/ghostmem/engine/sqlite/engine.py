"""One SQLite file as a store: a connection per thread, transactions, and care of the file."""

import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from ghostmem.engine.ledger import MOVING, newer, pending, unknown
from ghostmem.engine.sqlite.connect import connect, prepare
from ghostmem.engine.sqlite.failures import translate, translated
from ghostmem.engine.sqlite.migrate import applied, migrate
from ghostmem.engine.sqlite.schema import MIGRATIONS
from ghostmem.engine.sqlite.transaction import SqliteTransaction
from ghostmem.errors import EngineError, InvalidInputError, NewerStoreError, ReadOnlyStoreError
from ghostmem.times import Clock

if TYPE_CHECKING:
    from ghostmem.engine.base import Reindex
    from ghostmem.engine.sqlite.vectors import Views


class SqliteEngine:
    """A store in one file, or in memory."""

    name = "sqlite"

    def __init__(self, path: str, clock: Clock, synchronous: str = "full", busy_timeout: float = 30.0) -> None:
        self.location = path
        self.read_only = False
        self.read_only_reason = ""
        self.moving = False  # `ghost migrate` is not done with it
        self._newer = ""
        self._synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._local = threading.local()
        # weakly: a thread that ends takes its connection with it
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._process = os.getpid()
        self._file: tuple[int, int] | None = None
        self._lock = threading.RLock()
        self._shared: apsw.Connection | None = None
        self._closed = False
        self._views: Views = {}
        self._start(clock)

    def _start(self, clock: Clock) -> None:
        if self.location != ":memory:":
            if not self._writable():
                self.read_only, self.read_only_reason = True, f"{self.location} cannot be written"
            else:
                prepare(self.location)
        db = self._connection()
        try:
            with translated(self.location):
                names = applied(db)
                if pending(names, MIGRATIONS) and not self.read_only and not unknown(names, MIGRATIONS):
                    migrate(db, self.location, clock())
                    names = applied(db)
            self._newer = newer(self.location, names, MIGRATIONS)
            self.moving = names is not None and MOVING in names
            if self._newer:
                self.read_only, self.read_only_reason = True, self._newer
            if not self.read_only:
                self._refuse_other_file()
        except BaseException:
            self.close()
            raise

    def _writable(self) -> bool:
        if not os.path.isfile(self.location):
            return True
        return os.access(self.location, os.W_OK) and os.access(os.path.dirname(self.location) or ".", os.W_OK)

    def _connection(self) -> apsw.Connection:
        if self._closed:
            raise InvalidInputError("this store is closed", "open it again with Ghost.open()")
        if self._process != os.getpid():
            self._after_fork()
        db: apsw.Connection | None = self._shared or getattr(self._local, "db", None)
        if db is None:
            db = connect(self.location, self._busy_timeout, self._synchronous, self.read_only)
            with self._lock:
                self._open.add(db)
            if self.location == ":memory:":
                self._shared = db
            else:
                self._local.db = db
        return db

    def _after_fork(self) -> None:
        """Leave the parent's connections to the parent: closing them here would take its locks away."""
        self._process = os.getpid()
        self._kept = list(self._open)  # kept alive, never used
        self._open, self._local, self._lock = weakref.WeakSet(), threading.local(), threading.RLock()

    def _refuse_other_file(self) -> None:
        """Stop before writing into a file that is no longer the one under this name."""
        if self.location == ":memory:":
            return
        try:
            found = os.stat(self.location)
        except OSError:
            raise EngineError(f"{self.location} is gone: it was removed while open", "open the store again") from None
        if self._file is None:
            self._file = (found.st_dev, found.st_ino)
        elif self._file != (found.st_dev, found.st_ino):
            raise EngineError(f"{self.location} was replaced while open", "open the store again")

    @contextmanager
    def _turn(self) -> Iterator[apsw.Connection]:
        """Give the thread its connection; in memory there is one, and threads take turns."""
        if self.location != ":memory:":
            yield self._connection()
            return
        with self._lock:
            yield self._connection()

    @contextmanager
    def read(self) -> Iterator[SqliteTransaction]:
        """Read one consistent state of the store."""
        with self._turn() as db:
            yield from self._transact(db, "BEGIN")

    @contextmanager
    def write(
        self,
        durable: bool = True,
        dry_run: bool = False,
        patience: float | None = None,
        within: Iterable[str] | None = None,
    ) -> Iterator[SqliteTransaction]:
        """Change the store: all of it or nothing.

        `durable` waits until it would survive a power cut, `dry_run` takes everything back at the end, and `patience` is how
        many seconds to wait for the write lock instead of the setting. The file has one lock, whatever is written `within`.
        """
        if self.read_only:
            raise (NewerStoreError if self._newer else ReadOnlyStoreError)(self.read_only_reason)
        self._refuse_other_file()
        with self._turn() as db:
            lazy = not durable and self._synchronous == "full"
            if lazy:
                db.execute("PRAGMA synchronous=NORMAL")
            if patience is not None:
                db.set_busy_timeout(int(patience * 1000))
            try:
                yield from self._transact(db, "BEGIN IMMEDIATE", "ROLLBACK" if dry_run else "COMMIT")
            finally:
                if lazy:
                    db.execute("PRAGMA synchronous=FULL")
                if patience is not None:
                    db.set_busy_timeout(int(self._busy_timeout * 1000))

    @contextmanager
    def snapshot(self) -> Iterator[SqliteTransaction]:
        """Read one state at leisure, on a connection of its own, while this thread and others go on writing."""
        if self.location == ":memory:":
            with self._turn() as shared:
                image = shared.serialize("main")
            db = apsw.Connection(":memory:")
            db.deserialize("main", image)
        else:
            db = connect(self.location, self._busy_timeout, self._synchronous, self.read_only)
        try:
            yield from self._transact(db, "BEGIN")
        finally:
            db.close()

    def _transact(self, db: apsw.Connection, begin: str, end: str = "COMMIT") -> Iterator[SqliteTransaction]:
        try:
            db.execute(begin)
            # what a write has not committed must not stay behind in the views
            yield SqliteTransaction(db, self._views if begin == "BEGIN" else dict(self._views))
            db.execute(end)
        except apsw.Error as error:
            self._undo(db)
            raise translate(error, self.location) from error
        except BaseException:
            self._undo(db)
            raise

    def _undo(self, db: apsw.Connection) -> None:
        """Roll back; SQLite has done so already after some errors."""
        if db.in_transaction:
            db.execute("ROLLBACK")

    @property
    def file(self) -> str | None:
        """Return the file, or None for a store in memory."""
        return None if self.location == ":memory:" else self.location

    def size(self) -> int:
        """Return the bytes on disk, with the write-ahead log."""
        if self.location == ":memory:":
            return 0
        parts = (self.location + suffix for suffix in ("", "-wal"))
        return sum(os.path.getsize(part) for part in parts if os.path.exists(part))

    def versions(self) -> Mapping[str, str]:
        """Return the versions of what the engine stands on."""
        with self.read() as tx:
            names = sorted(applied(tx.db) or ())
        return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version(), "schema": names[-1]}

    def check(self) -> list[str]:
        """Return everything that is wrong with the file, its rows and its indexes."""
        from ghostmem.engine.sqlite.check import problems

        with self.snapshot() as tx:  # a connection that others wrote past sees damage in full text where there is none
            return problems(tx.db)

    def repair(self, reindex: "Reindex") -> Mapping[str, int]:
        """Remove orphans and rebuild every index from the rows."""
        from ghostmem.engine.sqlite.check import repair

        with self.write() as tx:
            return repair(tx, reindex)

    def backup(self, target: str) -> int:
        """Write a compact copy of one consistent state to a new file and return its size."""
        with self._turn() as db, translated(target):
            db.execute("VACUUM INTO ?", (target,))
        return os.path.getsize(target)

    def scrub(self, force: bool = False) -> str:
        """Leave no byte of what was deleted for good; return what prevented that and how to finish, or an empty text.

        Does nothing when nothing was deleted for good since the last time, unless `force`d.
        """
        from ghostmem.engine.sqlite.scrub import PATIENCE, owed, scrub, tidy

        with self._turn() as shared:
            if self.read_only or not (force or owed(shared)):
                return ""
        if self.location == ":memory:":
            with self.write() as tx:
                tidy(tx.db)
                tx.db.execute("PRAGMA user_version=0")
            return ""
        self._refuse_other_file()
        db = connect(self.location, min(self._busy_timeout, PATIENCE), self._synchronous)
        try:
            with translated(self.location):
                return scrub(db, self.location)
        finally:
            db.close()

    def copies_holding(self, paths: Iterable[str], ids: Sequence[str], texts: Sequence[str] = ()) -> list[str]:
        """Return which of these copies, and of those made beside the file, hold memories by their ids or their very words."""
        from ghostmem.engine.sqlite.scrub import copies_beside, holders

        beside = [] if self.location == ":memory:" else copies_beside(self.location)
        return holders([*paths, *beside], ids, texts)

    def flush(self) -> None:
        """Bring the write-ahead log into the file and onto the disk."""
        with self._turn() as db, translated(self.location):
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close every connection; the last one to close leaves a single file behind."""
        with self._lock:
            self._closed = True
            for db in list(self._open):
                db.close()
            self._open.clear()
            self._shared = None
            self._local = threading.local()
