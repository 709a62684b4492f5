"""Replace a file completely or not at all.

The new content is written to a temporary file next to the target, synced, and renamed over it. A
temporary file is named `.NAME.PID.RANDOM.tmp` and locked as long as its writer lives, so that one
left by a killed process can be told from one in use."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

SIDE_FILES = ("-journal", "-wal", "-shm")  # the files that SQLite keeps next to a database
SQLITE_HEADER = b"SQLite format 3\x00"  # the first bytes of a database
_MAX_NAME = 50  # characters of the target's name in that of its temporary file
# Patterns are texts here, compiled when first used, because most commands never use them.
_TEMPORARY = r"\.(?P<target>.+?)\.\d+\.[0-9a-f]{8}\.tmp(?P<side>-journal|-wal|-shm)?"
# Ghost 0.1 named unfinished backups `.NAME.PID.tmp`, and unfinished copies before a migration
# `NAME.before-….bak.PID.tmp`.
_OLD_TEMPORARY = (
    r"(?:\.|(?=.+\.before-.+\.bak\.))(?P<target>.+?)\.\d+\.tmp(?P<side>-journal|-wal|-shm)?"
)
_OPEN_FILE = r"/dev/(?P<name>stdin|stdout|stderr)|/(?:dev|proc/self)/fd/(?P<number>\d+)"
_STANDARD = {"stdin": 0, "stdout": 1, "stderr": 2}
_MAX_LINKS = 40


class Temporary:
    """A new private file in the folder of `target`.

    It is removed at the end of the `with` block unless `publish` was called.
    """

    def __init__(self, target: Path, mode: int = 0o600) -> None:
        self.target = target
        self.path, self.handle = _create(target, mode)
        self._is_open = True

    def __enter__(self) -> Temporary:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        _remove(self.path)

    def write(self, raw: bytes) -> None:
        """Append bytes."""
        with open(self.handle, "ab", closefd=False) as stream:
            stream.write(raw)

    def publish(self, like: os.stat_result | None = None, is_database: bool = False) -> None:
        """Sync the file and rename it over its target, with mode and owner of the file `like`.

        Its lock is held until it has its final name, unless it is a database: closing any
        descriptor of a database drops SQLite's locks on it in this process."""
        if like is not None and sys.platform != "win32":
            with suppress(OSError):  # only root may give a file away
                os.fchown(self.handle, like.st_uid, like.st_gid)
            os.fchmod(self.handle, stat.S_IMODE(like.st_mode))
        os.fsync(self.handle)
        if is_database or sys.platform == "win32":  # an open file cannot be renamed there
            self._close()
        os.replace(self.path, self.target)
        self._close()
        sync_folder(self.target.parent)

    def _close(self) -> None:
        if self._is_open:
            self._is_open = False
            os.close(self.handle)


def _create(target: Path, mode: int) -> tuple[Path, int]:
    """Create a locked file; one that another process swept before it was locked is made again."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = target.with_name(
            f".{target.name[:_MAX_NAME]}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
        )
        handle = os.open(path, flags, mode)
        _lock(handle)
        if os.path.lexists(path):
            return path, handle
        os.close(handle)


@contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o600) -> Iterator[BinaryIO]:
    """Yield a stream whose content replaces a file when the block ends.

    When the block fails, nothing is changed.

    A symbolic link stays and its target is replaced. An existing file keeps its mode, a new one
    gets `mode`. Whatever is not a plain file (a device, a FIFO, an open file such as /dev/stdout)
    is written to directly."""
    if not is_plain(path):
        number = _descriptor(os.fspath(path))
        with open(path if number is None else os.dup(number), "wb") as stream:
            yield stream
        return
    from pathlib import Path  # a cold command that only opens a store does without it

    target = Path(os.path.realpath(path) if os.path.islink(path) else path)
    sweep([target])
    with Temporary(target, mode) as fresh:
        with open(fresh.handle, "wb", closefd=False) as stream:
            yield stream
        fresh.publish(existing(target))


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a plain file, missing, or unreachable."""
    try:
        status = existing(path)
    except OSError:
        return True
    return _descriptor(os.fspath(path)) is None and (status is None or stat.S_ISREG(status.st_mode))


def existing(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return the status of the file that a path leads to, or None if there is none."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _descriptor(path: str) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout names.

    Links to such a path are followed.
    """
    for _ in range(_MAX_LINKS):
        if match := re.fullmatch(_OPEN_FILE, path):
            return _STANDARD[match["name"]] if match["name"] else int(match["number"])
        try:
            path = os.path.join(os.path.dirname(path), os.readlink(path))
        except OSError:
            return None
    return None


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until a folder's entries are on disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse it
            os.fsync(handle)
    finally:
        os.close(handle)


def sweep(targets: Iterable[Path], old: bool = False) -> None:
    """Remove the temporary files of these targets that a killed process left.

    With `old`, also those of Ghost 0.1.
    """
    for path in _temporaries(targets, old):
        _remove_abandoned(path)


def sweep_folder(folder: Path) -> None:
    """Remove every temporary file in a folder that a killed process left."""
    for path in _found_in(folder, None, _TEMPORARY):
        _remove_abandoned(path)


def unfinished(targets: Iterable[Path]) -> list[Path]:
    """Return temporary files that `sweep` leaves, because they are in use or not removable."""
    return [
        path
        for path in _temporaries(targets, old=True)
        if not (os.access(path.parent, os.W_OK) and _is_abandoned(path))
    ]


def _remove_abandoned(path: Path) -> None:
    with _abandoned(path) as is_abandoned:
        if is_abandoned:
            _remove(path)


def _is_abandoned(path: Path) -> bool:
    with _abandoned(path) as is_abandoned:
        return is_abandoned


def _temporaries(targets: Iterable[Path], old: bool) -> list[Path]:
    names: dict[Path, set[str]] = {}
    for target in targets:
        names.setdefault(target.parent, set()).add(target.name[:_MAX_NAME])
    patterns = (_TEMPORARY, _OLD_TEMPORARY) if old else (_TEMPORARY,)
    return [
        path
        for folder in names
        for pattern in patterns
        for path in _found_in(folder, names[folder], pattern)
    ]


def _found_in(folder: Path, names: set[str] | None, pattern: str) -> list[Path]:
    """Return the temporary files in a folder, each once, also if only a side file is left."""
    files = set()
    with suppress(OSError):
        for name in os.listdir(folder):
            match = re.fullmatch(pattern, name)
            if match and (names is None or match["target"][:_MAX_NAME] in names):
                files.add(folder / name.removesuffix(match["side"] or ""))
    return sorted(files)


def _remove(path: Path) -> None:
    for suffix in (*SIDE_FILES, ""):
        with suppress(OSError):
            os.unlink(f"{path}{suffix}")


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        """Do nothing: an open file cannot be removed there."""

    @contextmanager
    def _abandoned(path: Path) -> Iterator[bool]:  # noqa: ARG001
        yield True

else:
    import fcntl

    def _lock(handle: int) -> None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)

    @contextmanager
    def _abandoned(path: Path) -> Iterator[bool]:
        """Yield whether no process uses a temporary file, with its lock held.

        The lock of a writer ends with its process. A writer that has created the file, but not
        locked it yet, waits for this lock and then finds out whether the file was removed."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            yield not os.path.lexists(path)
            return
        try:
            yield _try_lock(handle)
        finally:
            os.close(handle)

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
