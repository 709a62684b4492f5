"""Read a database that cannot be written, such as one on read-only media.

While a writer has the store open, its write-ahead log and index exist, and SQLite reads under the
writer's locks. Otherwise SQLite would have to create these files; then a copy is read. With
`immutable=1` there would be no copy, but a writer that begins meanwhile looks like damage."""

import os
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress

import apsw

_ATTEMPTS = 100  # to copy a state that does not change meanwhile
_QUIET = 0.02  # seconds between them; a file changed later may change again with the same time
FileState = tuple[tuple[int, int, int], ...]


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


def open_reading(path: str) -> apsw.Connection:
    """Open a database under SQLite's locks, or a copy where their files cannot be created."""
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        return db
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        return open_copy(path)


def _state(path: str) -> FileState:
    try:
        files = [os.stat(name) for name in (path, f"{path}-wal") if os.path.exists(name)]
    except FileNotFoundError:  # the log has just been removed
        return ()
    return tuple((file.st_ino, file.st_size, file.st_mtime_ns) for file in files)


class CopyConnection(apsw.Connection):
    """A connection to a copy of a database in a temporary folder, which it removes."""

    def __init__(self, path: str) -> None:
        import shutil
        import tempfile

        folder = tempfile.mkdtemp(prefix="ghost-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._path, self._state = path, _state(path)
        copy = os.path.join(folder, "copy.db")
        with open(copy, "wb") as target:
            target.writelines(read_pieces(path, 1 << 20))
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        super().__init__(copy)

    def is_stale(self) -> bool:
        """Say whether the database has another state now."""
        return not self._state or _state(self._path) != self._state

    def is_certain(self) -> bool:
        """Say whether no other process changed the database while it was copied."""
        return not self.is_stale() and not 0 <= time.time_ns() - self._state[0][2] < _QUIET * 1e9


def open_copy(path: str) -> apsw.Connection:
    """Open a copy of a database with its log, without writing anything next to it."""
    for _ in range(_ATTEMPTS):
        db = CopyConnection(path)
        if db.is_certain():
            return db
        db.close()
        time.sleep(_QUIET)
    raise apsw.BusyError(f"{path} changes all the time while it is being read")
