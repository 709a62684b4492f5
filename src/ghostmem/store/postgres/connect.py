"""Connections to PostgreSQL: the pool, timeouts, errors, and vectors in pgvector's format."""

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg import errors as pg
from psycopg import generators
from psycopg.adapt import Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format, TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from ghostmem.errors import (
    CorruptStoreError,
    EngineError,
    InvalidInputError,
    LostConnectionError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreFullError,
)
from ghostmem.lazy import NDArray, np
from ghostmem.settings import check_url, masked
from ghostmem.store.postgres.pipeline import Answer, BoundStatement, Pipeline
from ghostmem.store.transaction import ChangedMeanwhileError

WRITERS = 0x47686F73  # the class of Ghost's advisory locks
_MIN_STATEMENT = 5.0  # seconds; statements need not be as quick as a short wait for locks
_MARGIN = 1.0  # seconds in which the server can report a timeout itself


class Timeouts(NamedTuple):
    """The seconds a statement may wait for a lock, and may take in all."""

    lock: float
    statement: float

    @classmethod
    def of(cls, busy_timeout: float) -> "Timeouts":
        """Return the timeouts for a busy timeout: a statement may work as long as it may wait."""
        return cls(busy_timeout, max(2 * busy_timeout, _MIN_STATEMENT))

    @property
    def sql(self) -> str:
        """Return the statement that sets them for a session."""
        lock, statement = (max(1, int(seconds * 1000)) for seconds in self)
        return f"SET statement_timeout TO {statement}; SET lock_timeout TO {lock}"


class SilentServerError(psycopg.OperationalError):
    """The server keeps the connection open and sends nothing."""


_ENCODING = (pg.UntranslatableCharacter, pg.CharacterNotInRepertoire)
_WORDS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], type[EngineError], str], ...] = (
    (PoolTimeout, StoreBusyError, "every connection to {location} is in use, or none can be made"),
    (
        (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure),
        StoreBusyError,
        "{location} is locked by another writer",
    ),
    (pg.QueryCanceled, StoreBusyError, "{location} took too long"),
    (SilentServerError, LostConnectionError, "{location} does not answer"),
    (pg.TooManyConnections, StoreBusyError, "{location} takes no more connections"),
    (
        (pg.UniqueViolation, pg.DivisionByZero),
        ChangedMeanwhileError,
        "another writer has changed {location}",
    ),
    ((pg.DiskFull, pg.OutOfMemory), StoreFullError, "there is no space left for {location}"),
    (pg.ReadOnlySqlTransaction, ReadOnlyStoreError, "{location} cannot be written"),
    (pg.InsufficientPrivilege, ReadOnlyStoreError, "{location} refuses this role"),
    ((pg.DataCorrupted, pg.IndexCorrupted), CorruptStoreError, "{location} is damaged"),
    (_ENCODING, EngineError, "{location} has an encoding that cannot store this text"),
)


_HINTS: dict[object, str] = {
    PoolTimeout: "try again, or raise GHOST_PG_CONNECTIONS, or GHOST_BUSY_TIMEOUT (seconds)",
    pg.ReadOnlySqlTransaction: "connect to a server that accepts writes, not to a standby",
    _ENCODING: "move the store to a database with UTF-8 (createdb -E UTF8 -T template0 NAME) with "
    "`ghost migrate`",
    pg.InsufficientPrivilege: "connect as the role that owns the tables; other roles use tokens "
    "of `ghost serve`, or SQL after `ghost admin grant`",
}


class Connection(psycopg.Connection[Any]):
    """A connection that is closed when the server sends nothing for too long.

    A server that was stopped, or a machine that hangs, cannot cancel a statement, and a socket
    alone waits forever."""

    silence: float | None = None  # seconds to wait for the next bytes; None means forever
    # psycopg may believe that statements were prepared which the server has skipped after an error
    has_failed = False
    _left = False  # the server was told to commit, and its answer was not read yet
    made = 0.0  # when it was made
    _statements: Pipeline | None = None

    @property
    def in_transaction(self) -> bool:
        """Say whether a transaction is open that has not been told to end."""
        idle = (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)
        return not self.closed and not self._left and self.info.transaction_status not in idle

    def wait(self, gen: "Generator[Any, Any, Any]", *args: Any, **kwargs: Any) -> Any:
        """Wait until a statement or a part of it is done."""
        if self.silence is None:
            return super().wait(gen, *args, **kwargs)
        try:
            return super().wait(_while_heard(gen, self.silence), *args, **kwargs)
        except SilentServerError:
            self.pgconn.finish()
            raise

    def round_trip(self, statements: Sequence[BoundStatement]) -> list[Answer]:
        """Run statements in order in one round trip, and return their answers."""
        if self._statements is None:
            self._statements = Pipeline(self)
        try:
            answers: list[Answer] = self.wait(self._statements.exchange(statements))
        except BaseException:
            self.has_failed = True
            raise
        return answers

    def leave(self) -> None:
        """Commit a transaction that only read; the server's answer is read by `is_usable`."""
        self.pgconn.send_query(b"COMMIT")
        self.pgconn.flush()
        self._left = True

    def is_usable(self) -> bool:
        """Say whether a connection can begin a transaction: it is open and has answered."""
        try:
            if self._left:
                self._left = False
                self.wait(generators.fetch_many(self.pgconn))
            elif not self.closed:
                # the first call reads the last words of a server that has gone, the second the end
                self.pgconn.consume_input()
                self.pgconn.consume_input()
        except psycopg.Error:
            self.close()
        return not self.closed and self.info.transaction_status == TransactionStatus.IDLE

    def limit(self, seconds: float | None) -> None:
        """Wait no longer than these seconds and a margin for the server's next bytes."""
        self.silence = None if seconds is None else max(seconds, 0.0) + _MARGIN


def _while_heard(gen: "Generator[Any, Any, Any]", seconds: float) -> "Generator[Any, Any, Any]":
    """Drive a generator of psycopg until nothing came for some seconds."""
    heard = time.monotonic()
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            now = time.monotonic()
            if ready:
                heard = now
            elif now - heard > seconds:
                raise SilentServerError(f"the server sent nothing for {seconds:g} seconds")
            wanted = gen.send(ready)
    except StopIteration as stop:
        return stop.value


@contextmanager
def unlimited(connection: Connection, limits: Timeouts) -> Iterator[None]:
    """Let the statements of a block take as long as they need: migrations and VACUUM."""
    connection.limit(None)
    connection.execute("SET statement_timeout TO 0; SET lock_timeout TO 0")
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute(limits.sql)
            connection.limit(limits.statement)


class Vec(bytes):
    """A vector in pgvector's binary form."""


class _VecDumper(Dumper):
    """Sends vectors without a type, so that no connection has to look up its number."""

    format = Format.BINARY

    def dump(self, obj: Vec) -> bytes:
        """Return the bytes as they are."""
        return bytes(obj)


def vec_of(numbers: "NDArray[np.floating[Any]]") -> Vec:
    """Turn a vector into pgvector's format: dimension, two unused bytes, float32 numbers."""
    return Vec(len(numbers).to_bytes(2, "big") + b"\0\0" + numbers.astype(">f4").tobytes())


def as_vec(half: bytes) -> Vec:
    """Turn a stored float16 vector into pgvector's format without rounding."""
    return vec_of(np.frombuffer(half, np.float16))


def numbers_of(raw: Sequence[bytes], width: int) -> "NDArray[np.float16]":
    """Read vectors in pgvector's format.

    Their numbers were float16 before they were stored, so nothing is rounded."""
    return (
        np.frombuffer(b"".join(vector[4:] for vector in raw), ">f4")
        .reshape(len(raw), width)
        .astype(np.float16)
    )


def configure(connection: "psycopg.Connection[Any]") -> None:
    """Set the encoding, time zone and idle timeout of a new connection."""
    connection.autocommit = True
    # others wait no longer than this for a program that hangs inside a transaction
    connection.execute(
        "SET client_encoding TO 'UTF8'; SET timezone TO 'UTC'; SET "
        "idle_in_transaction_session_timeout TO '10min'"
    )
    connection.adapters.register_dumper(Vec, _VecDumper)


def make_pool(url: str, size: int, limits: Timeouts) -> "ConnectionPool[Connection]":
    """Return an open pool that connects on demand and replaces broken connections."""
    log = logging.getLogger("psycopg.pool")
    if not log.handlers:  # its messages stay off the terminal; configured handlers get them
        log.addHandler(logging.NullHandler())

    def prepare(connection: Connection) -> None:
        connection.made = time.monotonic()
        connection.limit(limits.statement)
        configure(connection)
        connection.execute(limits.sql)

    return ConnectionPool(
        url,
        connection_class=Connection,
        min_size=1,
        max_size=size,
        configure=prepare,
        kwargs={"application_name": "ghost", "connect_timeout": 10, "keepalives_idle": 30},
        max_idle=300,
        # callers retry themselves, so that the pool need not wait ever longer between attempts
        reconnect_timeout=1,
        open=True,
        name="ghost",
    )


def checked_url(url: str) -> str:
    """Return a database URL, or refuse one that cannot be read, without showing its password."""
    check_url(url)
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        reason = str(error).partition('"')[0].rstrip(" :")  # the rest may quote the password
        raise InvalidInputError(
            f"{masked(url)} cannot be read as a URL ({reason})",
            "check it, and write special characters as %20 (space), %25 (%) or %40 (@)",
        ) from None
    return url


def unreachable(location: str, reason: str) -> LostConnectionError:
    """Return the error for a database to which no connection can be made."""
    hint = (
        "create it, for example with `createdb`, or correct the URL"
        if "database" in reason and "does not exist" in reason
        else "check the role and the password in the URL, in ~/.pgpass or in PGPASSWORD"
        if "password" in reason
        else "check that the server runs and the URL is right"
    )
    return LostConnectionError(f"{location} cannot be reached ({reason})", hint)


def is_lost(error: psycopg.Error) -> bool:
    """Say whether an error ended the connection, so that later answers of the server are unknown.

    A server that shuts down says so in an error that may follow the answer to a COMMIT."""
    return error.diag.severity_nonlocalized in ("FATAL", "PANIC") or error.sqlstate is None


def translate(error: Exception, location: str) -> Exception:
    """Return the Ghost error for an error of PostgreSQL, or the error itself."""
    diagnosis = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    reason = " ".join((diagnosis or str(error)).split())  # without the statement
    for their_type, our_type, words in _WORDS:
        if isinstance(error, their_type):
            return our_type(f"{words.format(location=location)} ({reason})", _HINTS.get(their_type))
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return LostConnectionError(
            f"the connection to {location} broke, and nothing of this was stored ({reason})"
        )
    return error


@contextmanager
def translated(location: str) -> Iterator[None]:
    """Raise Ghost's errors instead of PostgreSQL's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise translate(error, location) from error
