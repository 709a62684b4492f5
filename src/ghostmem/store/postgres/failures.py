"""PostgreSQL's errors as Ghost's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolTimeout

from ghostmem.errors import (
    CorruptStoreError,
    EngineError,
    LostConnectionError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
)
from ghostmem.store.postgres.connect import SilentServerError

_WORDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], type[EngineError], str], ...] = (
    (PoolTimeout, StoreBusyError, "every connection to {where} is in use, or none can be made"),
    (
        (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure),
        StoreBusyError,
        "{where} is locked by another writer",
    ),
    (pg.QueryCanceled, StoreBusyError, "{where} took too long"),
    (SilentServerError, LostConnectionError, "{where} does not answer"),
    (pg.TooManyConnections, StoreBusyError, "{where} takes no more connections"),
    ((pg.DiskFull, pg.OutOfMemory), StoreFullError, "there is no space left for {where}"),
    (
        (pg.ReadOnlySqlTransaction, pg.InsufficientPrivilege),
        ReadOnlyStoreError,
        "{where} cannot be written",
    ),
    ((pg.DataCorrupted, pg.IndexCorrupted), CorruptStoreError, "{where} is damaged"),
)


def translate(error: Exception, where: str) -> Exception:
    """Return the Ghost error for an error of PostgreSQL, or the error itself."""
    reason = " ".join(str(error).split())
    for their_type, our_type, words in _WORDS:
        if isinstance(error, their_type):
            return our_type(f"{words.format(where=where)} ({reason})")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return LostConnectionError(
            f"the connection to {where} broke, and nothing of this was stored ({reason})"
        )
    return error


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Raise Ghost's errors instead of PostgreSQL's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise translate(error, where) from error
