"""Opening a database file: who may read it, in which mode, and whether it is ours."""

import os
import time

import apsw

from ghostmem.engine.sqlite.failures import translated
from ghostmem.engine.sqlite.schema import APPLICATION_ID
from ghostmem.errors import EngineError, NotADatabaseError

_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_HEADER = b"SQLite format 3\x00"


def prepare(path: str) -> None:
    """Refuse what cannot be a store, and create the file and its folder with private modes."""
    if os.path.isdir(path):
        hint = f"try --db {os.path.join(path, 'memory.db')}"
        raise NotADatabaseError(f"{path} is a folder, not a database file", hint)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError as error:
            message = f"cannot create the folder {folder}: {error.strerror}"
            raise EngineError(message, "name another with --db") from None
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        _refuse_text(path)
    except OSError:
        pass  # opening it says why, in the engine's words


def _refuse_text(path: str) -> None:
    try:
        with open(path, "rb") as stream:
            head = stream.read(16)
    except OSError:
        return
    if head and head != _HEADER:
        raise NotADatabaseError(f"{path} is not a Ghost store: the file is not an SQLite database")


def connect(path: str, busy_timeout: float, synchronous: str, read_only: bool = False) -> apsw.Connection:
    """Open a connection with Ghost's modes: WAL, foreign keys, secure deletes, no memory map."""
    with translated(path):
        db = _open(path, read_only)
        db.set_busy_timeout(int(busy_timeout * 1000))
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else every bound value is planned anew
        if not read_only and path != ":memory:":
            _use_wal(db, path, busy_timeout)
        db.execute(
            f"PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; PRAGMA mmap_size=0;"
            "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF; PRAGMA cache_size=-16000"
        ).fetchall()  # a pragma that answers stops the ones behind it until its answer is read
    return db


def _open(path: str, read_only: bool) -> apsw.Connection:
    if path == ":memory:":
        return apsw.Connection(path)
    if not read_only:
        return apsw.Connection(path, flags=_READ_WRITE)
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        return db
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        return open_frozen(path)


def open_frozen(path: str) -> apsw.Connection:
    """Open a database without writing it or beside it: as it stands, or a private copy in memory when it has a log."""
    from pathlib import Path

    wal = Path(path + "-wal")
    if not wal.exists() or not wal.stat().st_size:
        uri = f"{Path(path).resolve().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    import shutil
    import tempfile

    db = apsw.Connection(":memory:")
    with tempfile.TemporaryDirectory(prefix="ghost-") as folder:
        copy = f"{folder}/copy.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(wal, f"{copy}-wal")
        source = apsw.Connection(copy)
        with db.backup("main", source, "main") as backup:
            backup.step()
        source.close()
    return db


def _use_wal(db: apsw.Connection, path: str, busy_timeout: float) -> None:
    """Switch to WAL; two processes creating one file may both try, and SQLite does not wait for that lock."""
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
    """Say whether a database carries Ghost's mark."""
    return bool(db.execute("PRAGMA application_id").get == APPLICATION_ID)


def refuse_foreign(db: apsw.Connection, path: str) -> None:
    """Stop before writing into a database that belongs to another program."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if is_ours(db):
        return
    if {"memories", "chunks"} <= tables:
        from pathlib import Path

        path = str(Path(path).resolve())
        new = Path(path).with_name("ghostmem.db")
        raise NotADatabaseError(
            f"{path} was written by the original Ghost, which can go on using it",
            f"bring its memories over with `ghost --db {new} import --from-ghost {path}`, then `ghost config set db {new}`",
        )
    if tables:
        raise NotADatabaseError(f"{path} is a database of another program (tables: {', '.join(sorted(tables)[:5])})")
