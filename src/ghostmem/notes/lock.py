"""A lock file per folder: one writer at a time, across threads and processes."""

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from ghostmem.errors import ConflictError, InvalidInputError

NAME = ".lock"
MAX_WAIT_SECONDS = 30.0  # seconds to wait for another writer
_POLL_SECONDS = 0.005
# The folders that the holder of a lock has cleared of files of killed writers; None without a lock.
SWEPT: ContextVar[set[str] | None] = ContextVar("swept", default=None)


@contextmanager
def locked(folder: Path, patience: float = MAX_WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of a folder, which is created if it is missing.

    The lock ends with the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(
            f"cannot make the folder {folder}: {error.strerror}",
            "check the path and its permissions",
        ) from None
    with lock_file(folder / NAME, patience):
        before = SWEPT.set(set())
        try:
            yield
        finally:
            SWEPT.reset(before)


@contextmanager
def locked_elsewhere(file: Path, patience: float = MAX_WAIT_SECONDS) -> Iterator[None]:
    """Hold a lock for a file in a folder of others, without a lock file there.

    The lock file is in the folder for temporary files, and is removed afterwards. Each user has
    their own, because another user's cannot be opened for writing."""
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else ""
    owned = f"{user}:{file.resolve()}".encode("utf-8", "surrogateescape")
    name = hashlib.sha256(owned).hexdigest()[:32]
    with lock_file(Path(tempfile.gettempdir()) / f"ghost-{name}.lock", patience, removed=True):
        yield


@contextmanager
def lock_file(path: Path, patience: float = 0.0, *, removed: bool = False) -> Iterator[int]:
    """Hold a lock on a file, which is created if it is missing, and yield its descriptor.

    Waits for `patience` seconds if another program has the lock. With `removed` the file is
    removed afterwards, except on Windows, where an open file cannot be removed."""
    handle = _acquire(path, time.monotonic() + patience)
    try:
        yield handle
    finally:
        if removed:
            with suppress(OSError):
                os.unlink(path)  # while the lock is held: no one else can have it on this file
        os.close(handle)


def _acquire(path: Path, until: float) -> int:
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
        except OSError as error:
            raise InvalidInputError(
                f"cannot open the lock {path}: {error.strerror}",
                "check the permissions of its folder",
            ) from None
        has_lock = _try_lock(handle)
        if has_lock and _is_at(handle, path):
            return handle
        os.close(handle)
        if has_lock:  # on a file that its last holder has removed
            continue
        if time.monotonic() >= until:
            raise ConflictError(
                f"another program holds the lock {path}", "try again when it is done"
            )
        time.sleep(_POLL_SECONDS)


def _is_at(handle: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False


def is_locked(path: Path) -> bool:
    """Say whether a process holds the lock on a file."""
    with suppress(OSError), open(path, "r+b") as file:
        return not _try_lock(file.fileno())
    return False


if sys.platform == "win32":
    import msvcrt

    # A lock on Windows blocks readers of the locked bytes, so this one is behind the end.
    _FAR = 1 << 30

    def _lock(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _try_lock(handle: int) -> bool:
    with suppress(OSError):
        _lock(handle)
        return True
    return False
