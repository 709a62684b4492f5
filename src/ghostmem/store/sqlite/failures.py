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
from ghostmem.store.sqlite.frozen import FrozenConnection

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
)


def translate(error: Exception, path: str) -> Exception:
    """Return the Ghost error that says what an SQLite error means, or the error itself if it is
    none of those.
    """
    for theirs, ours, words in _WORDS:
        if isinstance(error, theirs):
            return ours(f"{words.format(path=path)} ({error})")
    return error


@contextmanager
def translated(path: str, db: apsw.Connection | None = None) -> Iterator[None]:
    """Raise Ghost's errors instead of SQLite's, and one error for everything read from a file that
    changed meanwhile.
    """
    try:
        yield
    except Exception as error:
        _refuse_torn(path, db, error)
        if isinstance(error, apsw.Error):
            raise translate(error, path) from error
        if isinstance(error, UnicodeDecodeError):
            raise CorruptStoreError(
                f"{path} is damaged: it holds a text that is not UTF-8 ({error})"
            ) from error
        raise
    _refuse_torn(path, db)


def _refuse_torn(path: str, db: apsw.Connection | None, error: Exception | None = None) -> None:
    if isinstance(db, FrozenConnection) and db.is_torn():
        raise StoreBusyError(
            f"{path} was changed by another process while it was being read", "try again"
        ) from error
