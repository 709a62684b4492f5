"""Read a database that cannot be written, such as one on read-only media.

While a writer has the store open, its write-ahead log and index exist, and SQLite reads under
the writer's locks. Otherwise SQLite would have to create these files. Then the file is read as
it is, or copied with its log into memory, without locks: so a connection knows the state of the
file that it shows, and is replaced when there is a newer one."""

import os
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import apsw

_ATTEMPTS = 100  # to find a state that does not change meanwhile
_QUIET = 0.02  # seconds between them; a file changed later may change again with the same time


def read_pieces(path: str, size: int) -> Iterator[bytes]:
    """Read a database file through SQLite: closing another handle would drop its locks."""
    file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        position = 0
        while piece := file.xRead(size, position):
            yield piece
            position += len(piece)
    finally:
        file.xClose()


def _open_locking(path: str) -> apsw.Connection | None:
    """Open a file under SQLite's locks, or return None where their files cannot be created."""
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        return db
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        return None


def open_reading(path: str) -> apsw.Connection:
    """Open a database that cannot be written, under SQLite's locks or as its present state."""
    return _until_steady(path, lambda: _open_locking(path) or _freeze(path))


def open_frozen(path: str) -> apsw.Connection:
    """Open a database without writing anything, as it is or as a copy in memory with its log."""
    return _until_steady(path, lambda: _freeze(path))


def _until_steady(path: str, attempt: Callable[[], apsw.Connection | None]) -> apsw.Connection:
    """Retry while another process changes the file."""
    for _ in range(_ATTEMPTS):
        if (db := attempt()) is not None:
            return db
        time.sleep(_QUIET)
    raise apsw.BusyError(f"{path} changes all the time while it is being read")


class FileState(NamedTuple):
    """The state of a database: inode, size and time of the file and of its write-ahead log."""

    file: tuple[int, int, int]
    log: tuple[int, int, int] | None

    @classmethod
    def of(cls, path: str) -> "FileState":
        """Read the state of a file and its log."""
        return cls(
            _mark(os.stat(path)),
            _mark(os.stat(path + "-wal")) if os.path.exists(path + "-wal") else None,
        )


def _mark(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_ino, status.st_size, status.st_mtime_ns)


class FrozenConnection(apsw.Connection):
    """A connection to one state of a file that SQLite cannot lock here."""

    def __init__(self, name: str, flags: int, path: str, state: FileState) -> None:
        super().__init__(name, flags=flags)
        self._path = path
        self._state = state
        self._copied = name == ":memory:"

    def is_stale(self) -> bool:
        """Say whether the store has another state now."""
        return self._now() != self._state

    def is_torn(self) -> bool:
        """Say whether the file was rewritten under this connection, so that reads may not match."""
        now = self._now()
        return not self._copied and (now is None or now.file != self._state.file)

    def _now(self) -> FileState | None:
        try:
            return FileState.of(self._path)
        except OSError:
            return None


def _freeze(path: str) -> FrozenConnection | None:
    """Open the present state of a file; return None when it was changed meanwhile."""
    try:
        state = FileState.of(path)
    except OSError as error:
        raise apsw.CantOpenError(f"{path}: {error.strerror}") from None
    if 0 <= time.time_ns() - state.file[2] < _QUIET * 1e9:
        return None  # the next change might have the same time
    if not state.log or not state.log[1]:
        from pathlib import Path

        uri = f"{Path(path).resolve().as_uri()}?immutable=1"
        return FrozenConnection(uri, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, path, state)
    db = FrozenConnection(":memory:", apsw.SQLITE_OPEN_READWRITE, path, state)
    try:
        _copy_into(db, path)
    except apsw.CorruptError:
        if not db.is_stale():
            raise
    if not db.is_stale():
        return db
    db.close()
    return None


def _copy_into(db: apsw.Connection, path: str) -> None:
    """Copy a file with its log into memory."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="ghost-") as folder:
        copy = f"{folder}/copy.db"
        with open(copy, "wb") as target:
            target.writelines(read_pieces(path, 1 << 20))
        try:
            shutil.copyfile(path + "-wal", f"{copy}-wal")
        except FileNotFoundError:
            return  # the state has changed
        source = apsw.Connection(copy)
        try:
            with db.backup("main", source, "main") as backup:
                backup.step()
        finally:
            source.close()
