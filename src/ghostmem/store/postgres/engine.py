"""A PostgreSQL database as a store: a pool of connections, transactions, and namespace locks."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress

import psycopg
from psycopg.errors import DivisionByZero
from psycopg_pool import ConnectionPool, PoolTimeout

from ghostmem.clock import Clock
from ghostmem.errors import (
    EngineError,
    LostConnectionError,
)
from ghostmem.settings import masked
from ghostmem.store.engine import COUNT_MIGRATIONS, BaseEngine
from ghostmem.store.postgres.check import problems, repair, tidy
from ghostmem.store.postgres.connect import (
    WRITERS,
    Connection,
    Timeouts,
    checked_url,
    is_lost,
    make_pool,
    translate,
    translated,
    unlimited,
    unreachable,
)
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.migrate import applied, migrate
from ghostmem.store.postgres.pipeline import BoundStatement
from ghostmem.store.postgres.schema import MIGRATIONS, OF_NAMESPACE
from ghostmem.store.postgres.transaction import PostgresTransaction
from ghostmem.store.postgres.trips import RoundTrips
from ghostmem.store.postgres.vectors import RecentViews
from ghostmem.store.postgres.work import present
from ghostmem.store.rows import Reindex, StoreCopies
from ghostmem.store.sqlite.scrub import holders
from ghostmem.store.vectors import Views

_AWAKE = BoundStatement("SELECT 1")  # begins no transaction; tests whether a connection works
_READ = BoundStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
_WRITE = BoundStatement("BEGIN")
_AT_LEISURE = BoundStatement("SET LOCAL statement_timeout TO 0")
_NEVER_IDLE = BoundStatement("SET LOCAL idle_in_transaction_session_timeout = 0")
_POOL_WAIT = 1.0  # seconds until the pool is asked again for a connection
_MAX_AGE = 1800.0  # seconds after which a connection goes back to the pool, which may replace it
_SOON = (
    "starting up",
    "shutting down",
    "not yet accepting",
    "recovery",
    "too many",
    "remaining connection slots",
)
# refusals of the driver that do not change while a program waits
_FINAL = ("FATAL", "no password supplied", "does not support SSL", "invalid ", "certificate")


class PostgresEngine(BaseEngine):
    """A store in a PostgreSQL database that other processes and machines may use too."""

    name = "postgresql"
    shared = True  # workers on several machines may do one job together

    def __init__(
        self,
        url: str,
        clock: Clock,
        synchronous: str = "full",
        busy_timeout: float = 30.0,
        connections: int = 8,
        hnsw: bool = False,
    ) -> None:
        self.url = checked_url(url)
        super().__init__(masked(url), synchronous, busy_timeout)
        self.watch: Callable[[BoundStatement], None] | None = None  # for tests: of every statement
        self._limits = Timeouts.of(busy_timeout)
        self._connections = connections
        self._hnsw = hnsw
        self._owes = False
        self._added = 0  # chunks written since the last ANALYZE
        self._enough = 250  # chunks after which ANALYZE runs
        self._pool: ConnectionPool[Connection] | None = None
        self._views = RecentViews()
        self._kept: Connection | None = None  # the last one used, for the next transaction
        self._queued = 0  # threads that wait for a connection of the pool
        try:
            self._start(clock)
        except BaseException:
            self.close()
            raise

    def _start(self, clock: Clock) -> None:
        with self._begun(_AWAKE) as connection, translated(self.location):
            standby = connection.execute(
                "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool"
            ).fetchone()
            self.read_only = bool(standby and standby[0])
            names = applied(connection)
            if self._must_migrate(names, MIGRATIONS):
                with unlimited(connection, self._limits):
                    migrate(connection, self.location, clock())
                names = applied(connection)
        if self.read_only:
            self.read_only_reason = f"{self.location} is a standby or read-only"
        self._adopt(names, MIGRATIONS)

    def _ready(self) -> "ConnectionPool[Connection]":
        self._refuse_closed()
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._process = os.getpid()  # a child does not use its parent's connections
                self._kept, self._queued = None, 0
                self._pool = make_pool(self.url, self._connections, self._limits)
            return self._pool

    def _lent(self, deadline: float) -> Connection:
        """Return the connection that was used last, or another one of the pool."""
        pool = self._ready()
        with self._lock:
            connection, self._kept = self._kept, None
            if connection is None:
                self._queued += 1  # the next connection that is given back goes to the pool
        if connection is None:
            try:
                return self._from_pool(pool, deadline)
            finally:
                with self._lock:
                    self._queued -= 1
        if connection.is_usable():
            return connection
        pool.putconn(connection)
        return self._lent(deadline)

    def _from_pool(self, pool: "ConnectionPool[Connection]", deadline: float) -> Connection:
        """Take a connection from the pool, retrying until a deadline.

        A refusal of the server is raised at once."""
        while True:
            left = deadline - time.monotonic()
            try:
                connection = pool.getconn(timeout=max(min(left, _POOL_WAIT), 0.1))
            except (PoolTimeout, psycopg.Error) as error:
                is_full = pool.get_stats().get("pool_size", 0) >= self._connections
                reason = "" if is_full and left > _POOL_WAIT else self._reason()
                is_final = any(word in reason for word in _FINAL)
                if left <= _POOL_WAIT or (is_final and not any(word in reason for word in _SOON)):
                    if reason:
                        raise unreachable(self.location, reason) from error
                    raise translate(error, self.location) from error
            else:
                if connection.is_usable():
                    return connection
                pool.putconn(connection)

    def _give_back(self, connection: Connection) -> None:
        """Keep a connection for the next transaction, or give it back to the pool.

        A transaction that has not ended is rolled back, and a connection whose round trip failed
        is closed."""
        if connection.has_failed:
            connection.close()
        if connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except psycopg.Error:
                connection.close()
        pool = self._pool
        if pool is None or self._process != os.getpid():
            connection.close()
            return
        with self._lock:
            is_free = self._kept is None and not self._queued and not self._closed
            if is_free and not connection.closed and time.monotonic() - connection.made < _MAX_AGE:
                self._kept = connection
                return
        connection.is_usable()  # reads an answer that is still due
        pool.putconn(connection)

    def _reason(self) -> str:
        """Return the server's reason for refusing a connection, or an empty text."""
        try:
            psycopg.connect(self.url, connect_timeout=3).close()
        except psycopg.Error as reason:
            return " ".join(str(reason).split())
        return ""

    def _trips(
        self, begin: Sequence[BoundStatement], patience: float | None, limit: float | None
    ) -> RoundTrips:
        deadline = time.monotonic() + (self._busy_timeout if patience is None else patience)
        return RoundTrips(begin, self._lent, self._give_back, deadline, limit)

    @contextmanager
    def _begun(self, *begin: BoundStatement, patience: float | None = None) -> Iterator[Connection]:
        """Lend a connection on which some statements were run."""
        trips = self._trips(begin, patience, self._limits.statement)
        with translated(self.location):
            connection = trips.connection
        try:
            yield connection
        finally:
            trips.close()

    @contextmanager
    def read(self, within: str = "") -> "Iterator[PostgresTransaction]":
        """Read one consistent state of the store, or only of a namespace."""
        yield from self._transact([_READ], "COMMIT", (), False, self._views, None, within)

    @contextmanager
    def snapshot(self) -> "Iterator[PostgresTransaction]":
        """Read one consistent state on its own connection, while others write."""
        yield from self._transact([_READ, _NEVER_IDLE, _AT_LEISURE], "COMMIT", (), False, {}, None)

    @contextmanager
    def write(
        self,
        durable: bool = True,
        dry_run: bool = False,
        patience: float | None = None,
        within: Iterable[str] | None = None,
    ) -> "Iterator[PostgresTransaction]":
        """Change the store in one transaction.

        `durable` waits until the change survives a power cut, `dry_run` rolls everything back
        at the end, and `patience` is the seconds to wait for a lock instead of the setting.
        With `within`, only these namespaces are written and locked; otherwise the whole store
        is locked."""
        self._refuse_read_only()
        names = None if within is None else tuple(sorted(set(within)))
        calls = []  # in the order in which the server makes them
        if patience is not None:
            calls.append(f"set_config('lock_timeout', '{max(1, int(patience * 1000))}', true)")
        if not durable or self._synchronous == "normal":
            calls.append("set_config('synchronous_commit', 'off', true)")
        calls.append(f"pg_advisory_xact_lock{'' if names is None else '_shared'}({WRITERS}, 0)")
        calls += [f"pg_advisory_xact_lock({WRITERS}, hashtext(%s))"] * len(names or ())
        # fails with a division by zero after an upgrade, without a round trip of its own
        calls.append(f"1 / (({COUNT_MIGRATIONS}) = {self._migrations})::int")
        locks = BoundStatement(f"SELECT {', '.join(calls)}", names or ())
        begin = [_WRITE, *([_AT_LEISURE] if names is None else []), locks]
        end, only = (
            "ROLLBACK" if dry_run else "COMMIT",
            names[0] if names and len(names) == 1 else "",
        )
        yield from self._transact(begin, end, names, True, dict(self._views), patience, only)

    def _transact(
        self,
        begin: Sequence[BoundStatement],
        end: str,
        names: tuple[str, ...] | None,
        writes: bool,
        views: Views,
        patience: float | None,
        within: str = "",
    ) -> "Iterator[PostgresTransaction]":
        is_at_leisure = _AT_LEISURE in begin
        trips = self._trips(begin, patience, None if is_at_leisure else self._limits.statement)
        try:
            if is_at_leisure:  # its first statement may take longer than a lock is waited for
                trips.ask([])
            db = Db(trips, writes, self.watch)
            db.holds_all = names is None
            db.locked.update(names or ())
            yield PostgresTransaction(db, views, self._hnsw, None if writes else self._cache).of(
                within
            )
            if db.owes_scrub:
                tidy(db, sorted(db.locked))
            if not writes:
                trips.leave()
                return
            trips.end(end)
            self._owes = self._owes or (db.owes_scrub and end == "COMMIT")
            self._look_again(trips, db.added)
        except psycopg.Error as error:
            if trips.is_committing and is_lost(error):
                raise LostConnectionError(
                    f"the connection to {self.location} broke during the commit: the "
                    "change may or may not be stored",
                    "read it back before you try again; the same put twice is one memory",
                    stored=None,
                ) from error
            if isinstance(error, DivisionByZero):
                self._refuse_upgraded()
            raise translate(error, self.location) from error
        finally:
            trips.close()

    def _refuse_upgraded(self) -> None:
        """Refuse to write a store that a newer Ghost has upgraded since it was opened."""
        with self._begun(_AWAKE) as connection, translated(self.location):
            self._adopt(applied(connection), MIGRATIONS)
        self._refuse_read_only()

    def _look_again(self, trips: RoundTrips, added: int) -> None:
        """Refresh the planner's statistics after many writes: with old ones it scans namespaces."""
        self._added += added
        if self._added >= self._enough:
            self._added, self._enough = 0, self._enough * 2
            with suppress(psycopg.Error):  # the writes are committed either way
                trips.connection.execute(
                    "ANALYZE (SKIP_LOCKED) memories, chunks, vectors, memory_edges"
                )

    def present(self) -> AbstractContextManager[str]:
        """Be present for other workers until the block ends; gives the name of the worker."""
        return present(self.url, self.location)

    def answers(self, seconds: float) -> bool:
        """Say whether the database can be read within some seconds."""
        try:
            wait = BoundStatement(f"SET LOCAL lock_timeout TO {max(1, int(seconds * 1000))}")
            with self._begun(_READ, wait, patience=seconds) as connection:
                connection.limit(seconds)
                connection.execute("SELECT 1 FROM namespaces LIMIT 1")
        except (EngineError, psycopg.Error):
            return False
        return True

    def size(self) -> int:
        """Return the bytes of the tables and their indexes."""
        with self.read() as tx:
            return int(
                tx.db.get(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
                    " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = "
                    "current_schema() AND c.relkind = 'r'"
                )
            )

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the server, its extensions, the driver and the schema."""
        with self.read() as tx:
            names = sorted(applied(tx.db.connection) or ())
            server = str(tx.db.get("SELECT current_setting('server_version')"))
            extensions = dict(
                tx.db.rows(
                    "SELECT extname, extversion FROM pg_extension WHERE extname IN "
                    "('vector', 'pg_trgm', 'citus') ORDER BY 1"
                )
            )
        return {
            "postgresql": server,
            **extensions,
            "psycopg": psycopg.__version__,
            "schema": names[-1],
        }

    def check(self) -> list[str]:
        """Return all problems of the rows and their indexes."""
        with self.snapshot() as tx:
            return problems(tx)

    def repair(self, reindex: Reindex) -> Mapping[str, int]:
        """Remove orphans and rebuild every index from the rows."""
        with self.write() as tx:
            return repair(tx, reindex)

    def backup(self, target: str, begin: Callable[[], None]) -> int:
        """Refuse: PostgreSQL has its own backups, and `ghost migrate` writes a copy as a file."""
        raise EngineError(
            f"a store in PostgreSQL is not copied to {target} by `ghost backup`",
            "use pg_dump or your server's backups, or `ghost migrate --from "
            f"{self.location} --to {target}`",
        )

    def scrub(self, force: bool = False) -> str:
        """Return a message about deleted bytes that PostgreSQL may still keep, or an empty text.

        Ghost cannot remove them from here."""
        if force:  # lets PostgreSQL reuse the space of deleted rows
            with (
                self._begun(_AWAKE) as connection,
                translated(self.location),
                unlimited(connection, self._limits),
            ):
                connection.execute(f"VACUUM (ANALYZE) {', '.join(OF_NAMESPACE)}")
        elif not self._owes:
            return ""
        self._owes = False
        return (
            "PostgreSQL may keep deleted bytes in freed pages, its write-ahead log, "
            "replicas and backups: run VACUUM FULL,"
            " and let old logs and backups expire"
        )

    def copies_holding(
        self, paths: Iterable[str], ids: Sequence[str], texts: Sequence[str] = ()
    ) -> StoreCopies:
        """Return the copies that hold some memories.

        Backups of PostgreSQL itself are unknown here."""
        return holders(list(paths), ids, texts)

    def flush(self) -> None:
        """Do nothing: committed data is safe in PostgreSQL."""

    def close(self) -> None:
        """Close every connection."""
        self._closed = True
        if self._pool is not None and self._process == os.getpid():
            with self._lock:
                connection, self._kept = self._kept, None
            if connection is not None:
                connection.is_usable()
                self._pool.putconn(connection)
            self._pool.close(timeout=5)
        self._pool = None
