"""SQLite's errors in Ghost's words."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from ghostmem.errors import (
    CorruptStoreError,
    EngineError,
    NotADatabaseError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
)

_WORDS: tuple[tuple[type[Exception], type[EngineError], str], ...] = (
    (apsw.FullError, StoreFullError, "there is no space left for {path}"),
    (apsw.ReadOnlyError, ReadOnlyStoreError, "{path} cannot be written"),
    (apsw.PermissionsError, ReadOnlyStoreError, "{path} cannot be written"),
    (apsw.CantOpenError, ReadOnlyStoreError, "{path} cannot be opened or created"),
    (apsw.BusyError, StoreBusyError, "{path} is locked by another process"),
    (apsw.LockedError, StoreBusyError, "{path} is locked by another connection"),
    (apsw.NotADBError, NotADatabaseError, "{path} is not a Ghost store: the file is not an SQLite database"),
    (apsw.CorruptError, CorruptStoreError, "{path} is damaged"),
    (apsw.IOError, EngineError, "reading or writing {path} failed"),
)


def translate(error: Exception, path: str) -> Exception:
    """Return the Ghost error that says what an SQLite error means, or the error itself if it is none of those."""
    for theirs, ours, words in _WORDS:
        if isinstance(error, theirs):
            return ours(f"{words.format(path=path)} ({error})")
    return error


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise Ghost's errors instead of SQLite's."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
