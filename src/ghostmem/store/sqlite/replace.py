"""Replace a database file safely.

SQLite finds the log of a database by its name: a `-wal` next to a replaced file would be
replayed onto it. So the old file is first locked exclusively, which also writes its log into it
and removes the log; a file in use is not replaced at all."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import apsw

from ghostmem.atomic import SIDE_FILES, Temporary, existing, sweep
from ghostmem.errors import ConflictError, CorruptStoreError
from ghostmem.store.sqlite.failures import translated

Rows = Mapping[str, int]  # the number of rows of each table
_SHM_LOCK = 128  # the byte of a -shm file on which every connection holds a lock
_TABLES = (
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
    "name NOT LIKE 'sqlite_%'"
)


def write_database(
    target: Path, begin: Callable[[], None], fill: Callable[[str], Rows | None]
) -> int:
    """Write a database to `target`, check it, and return its size.

    Until it is whole, what was there stays.

    Args:
        target: The file, not a link to it.
        begin: Called once the target is known to be free, before anything is written.
        fill: Fills an empty file, and returns how many rows of each table it must have, if that is
            known.

    Raises:
        ConflictError: The target is in use.
        CorruptStoreError: The new file does not read as it should.
    """
    claimed = _claimed(target)
    try:
        begin()
        sweep([target], old=True)
        with Temporary(target) as fresh:
            _check(fresh.path, target, fill(str(fresh.path)))
            size = os.path.getsize(fresh.path)
            claimed = claimed or _claimed(
                target
            )  # another process may have created the file meanwhile
            for suffix in SIDE_FILES:
                Path(f"{target}{suffix}").unlink(missing_ok=True)
            if claimed is not None and os.name == "nt":
                claimed.close()  # an open file cannot be replaced there
            fresh.publish(existing(target), is_database=True)
    finally:
        if claimed is not None:
            claimed.close()
    return size


def row_counts(db: apsw.Connection) -> Rows:
    """Return how many rows each table has."""
    names = [name for (name,) in db.execute(_TABLES)]
    return {name: db.execute(f'SELECT count(*) FROM "{name}"').get for name in names}


def _claimed(path: Path) -> apsw.Connection | None:
    """Lock a database exclusively, so that it can be replaced; None if there is no database.

    The file is left in rollback mode: a program that opened it just before gets an error from
    SQLite at its first write, because in this mode SQLite notices that its file was moved."""
    if not path.exists():
        # the program of a removed database that is still open would remove the new file's log
        if _is_locked(f"{path}-shm") and not path.exists():
            raise ConflictError(
                f"{path} was removed, but another program still has it open",
                "stop that program, or choose another file",
            )
        return None
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with translated(str(path)):
            return _exclusive(db, path)
    except BaseException:
        db.close()
        raise


def _exclusive(db: apsw.Connection, path: Path) -> apsw.Connection | None:
    try:
        db.execute("PRAGMA journal_mode=DELETE").fetchall()
        db.execute("BEGIN EXCLUSIVE")
        if db.execute("PRAGMA journal_mode").get == "delete":
            return db
    except (apsw.NotADBError, apsw.CorruptError):
        db.close()
        return None
    except (apsw.BusyError, apsw.LockedError):
        pass
    raise ConflictError(
        f"{path} is in use: another program has it open",
        "stop that program, or choose another file",
    )


def _is_locked(shm: str) -> bool:
    if os.name == "nt":
        return False  # an open file cannot be removed there
    import fcntl

    try:
        handle = os.open(shm, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _SHM_LOCK)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _check(path: Path, target: Path, expected: Rows | None) -> None:
    with translated(str(target)):
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            verdict = db.execute("PRAGMA quick_check(1)").get
            counts = row_counts(db) if expected is not None else None
        finally:
            db.close()
    if verdict != "ok":
        raise CorruptStoreError(
            f"the copy for {target} is damaged and was not kept: {verdict}",
            "check the disk, then try again",
        )
    if counts != expected:
        raise CorruptStoreError(
            f"the copy for {target} lacks rows and was not kept",
            "run `ghost check`, then try again",
        )
