"""SQLite's errors as Ghost's errors."""

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
    (
        apsw.NotADBError,
        NotADatabaseError,
        "{path} is not a Ghost store: the file is not an SQLite database",
    ),
    (apsw.CorruptError, CorruptStoreError, "{path} is damaged"),
    (apsw.IOError, EngineError, "reading or writing {path} failed"),
    # Ghost's statements fit its schema: the schema or the values that they refer to have changed
    (apsw.SQLError, CorruptStoreError, "{path} is damaged: it is not as Ghost wrote it"),
    (apsw.ConstraintError, CorruptStoreError, "{path} is damaged: its rows contradict each other"),
    (apsw.MismatchError, CorruptStoreError, "{path} is damaged: it is not as Ghost wrote it"),
)


def translate(error: Exception, path: str) -> Exception:
    """Return the Ghost error for an error of SQLite, or the error itself."""
    # the first reader creates the index of the write-ahead log, which needs space
    if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHMSIZE:
        error = apsw.FullError(str(error))
    for their_type, our_type, words in _WORDS:
        if isinstance(error, their_type):
            return our_type(f"{words.format(path=path)} ({error})")
    return error


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise Ghost's errors instead of SQLite's."""
    try:
        yield
    except Exception as error:
        raise_translated(error, path)
        raise


def raise_translated(error: Exception, path: str) -> None:
    """Raise Ghost's error for one of SQLite's; return if there is none for it."""
    if isinstance(error, apsw.Error):
        raise translate(error, path) from error
    if isinstance(error, UnicodeDecodeError):
        raise CorruptStoreError(
            f"{path} is damaged: it holds a text that is not UTF-8 ({error})"
        ) from error
