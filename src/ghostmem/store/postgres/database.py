"""The SQL dialect of PostgreSQL, and a connection as table classes see it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ghostmem.errors import EngineError
from ghostmem.store.database import Dialect
from ghostmem.store.postgres.connect import WRITERS, as_vec
from ghostmem.store.postgres.pipeline import Answer, BoundStatement
from ghostmem.store.postgres.schema import CHUNK_WORDS
from ghostmem.store.postgres.trips import RoundTrips

if TYPE_CHECKING:
    import psycopg


DIALECT = Dialect(  # `??` is the operator `?`
    name="postgresql",
    array=list,
    among="= ANY(?)",
    # the values are selected once, and then looked up: with IN, a server without statistics of a
    # new table reads all rows of a namespace
    among_rows="= ANY(ARRAY({}))",
    max_bound=0,
    ns_name="ns",
    ns_column="ns",
    owner=("ns",),
    in_namespace="{}ns = ?",
    in_same_namespace="{}.ns = {}.ns AND ",
    has_row="EXISTS (SELECT 1 FROM {} x WHERE x.ns = m.ns AND x.memory_id = m.id{})",
    starts=lambda column, prefix: (f"starts_with({column}, ?)", [prefix]),
    given_memories="unnest(?::text[]) AS j (value) JOIN memories m ON m.id = j.value",
    chunk_text="substr(m.content, (c.start + 1)::int, (c.stop - c.start)::int)",
    like="LIKE",
    any_text="%",
    position="strpos",
    ordered_join="JOIN",
    # OFFSET keeps a server without statistics of a new table from reading all memories first; with
    # c.ns instead of a value inside it, Citus asks all shards
    of_chunk="CROSS JOIN LATERAL (SELECT * FROM memories WHERE ns = {} AND id = c.memory_id"
    " OFFSET 0) m",
    unindexed="",
    greatest="greatest",
    least="least",
    fill_words=f"INSERT INTO words (ns, word) {CHUNK_WORDS}",
    no_limit=None,
    path="x.digest = md5(?)",
    note_path="digest = md5(?)",
    root="md5(x.root) = md5(?)",
    tag_name='t.value COLLATE "C"',
    tag_values="jsonb_array_elements_text(m.tags::jsonb) t(value)",
    any_tag="m.tags::jsonb ??| ?",
    tagged="m.tags::jsonb ?? ?",
    for_update=" FOR NO KEY UPDATE",
    vector="?::vector",
    as_vector=as_vec,
)


@lru_cache(4096)
def _translated(sql: str) -> str:
    """Return a statement with psycopg's placeholders: `%s` for `?`, and `?` for `??`."""
    return sql.replace("??", "\0").replace("?", "%s").replace("\0", "?")


class _UnansweredError(BaseException):
    """A statement has no answer yet; no handler of ordinary errors may catch this."""


class Db:
    """One connection inside one transaction.

    Values are always bound, never spelled into the statement."""

    dialect: Dialect = DIALECT

    def __init__(
        self, trips: RoundTrips, writes: bool, watch: Callable[[BoundStatement], None] | None = None
    ) -> None:
        self.trips = trips
        self.writes = writes
        self.watch = watch
        self.locked: set[str] = set()  # namespaces
        self.holds_all = False
        self.owes_scrub = False  # text was deleted for good
        # chunks, by which the engine knows when the planner's statistics are out of date
        self.added = 0
        self.answers: dict[tuple[str, str], list[Any]] = {}  # of statements that were read ahead
        self._wanted: dict[tuple[str, str], BoundStatement] | None = None  # while reading ahead

    @property
    def connection(self) -> "psycopg.Connection[Any]":
        """Return the connection, after everything that waited was sent."""
        return self.trips.connection

    def _told(self, statement: BoundStatement) -> BoundStatement:
        """Tell those who watch about a statement that is to be run."""
        if self.watch is not None:
            self.watch(statement)
        return statement

    def execute(self, sql: str, values: Sequence[Any] = (), binary: bool = False) -> Answer:
        """Run a statement and return its answer."""
        return self.trips.ask([self._told(BoundStatement(_translated(sql), values, binary))])[0]

    def ahead(self, reads: Iterable[Callable[[], object]]) -> None:
        """Read what some functions read, in as few round trips as the longest of them needs.

        Each is called until it needs a statement that has no answer yet. The statements of all
        are sent together, and the functions are called again with the answers. Later the
        transaction finds the answers without a round trip; one that writes finds each once."""
        unfinished = list(reads)
        if self._wanted is not None:  # inside another call, which sends the statements
            if sum(self._is_answered(read) for read in unfinished) < len(unfinished):
                raise _UnansweredError
            return
        while unfinished:
            wanted: dict[tuple[str, str], BoundStatement] = {}
            self._wanted = wanted
            try:
                unfinished = [read for read in unfinished if not self._is_answered(read)]
            finally:
                self._wanted = None
            answers = self.trips.ask([self._told(statement) for statement in wanted.values()])
            for key, answer in zip(wanted, answers, strict=True):
                self.answers[key] = answer.rows

    def _is_answered(self, read: Callable[[], object]) -> bool:
        """Call a function, and say whether all its statements had answers."""
        try:
            read()
        except _UnansweredError:
            return False
        return True

    def rows(self, sql: str, values: Sequence[Any] = (), binary: bool = False) -> list[Any]:
        """Return all rows of a statement."""
        if self._wanted is None and not self.answers:
            return self.execute(sql, values, binary).rows
        statement = BoundStatement(_translated(sql), values, binary)
        key = (statement.sql, repr(values))
        if key in self.answers:
            is_final = self.writes and self._wanted is None
            return self.answers.pop(key) if is_final else self.answers[key]
        if self._wanted is None:
            return self.execute(sql, values, binary).rows
        self._wanted[key] = statement
        raise _UnansweredError

    iterate = rows

    def row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a statement, or None."""
        return next(iter(self.rows(sql, values)), None)

    def get(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first value of the first row, or None."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run a statement with the next round trip."""
        self.later(sql, values)

    def later(self, sql: str, values: Sequence[Any]) -> BoundStatement:
        """Run a statement with the next round trip, and return it for `trips.replace`."""
        statement = self._told(BoundStatement(_translated(sql), values))
        self.trips.send(statement)
        return statement

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Change rows and return their number."""
        return self.execute(sql, values).affected

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values, with the next round trip."""
        for values in rows:
            self.run(sql, values)

    def stream(self, sql: str, values: Sequence[Any] = (), batch: int = 1000) -> Iterator[Any]:
        """Yield many rows from a server-side cursor without holding them all."""
        statement = self._told(BoundStatement(_translated(sql), values))
        with self.connection.cursor(name="ghost_stream") as cursor:
            cursor.itersize = batch
            cursor.execute(statement.sql, values or None)
            yield from cursor

    def namespaces_of(self, ids: Iterable[Any], table: str) -> list[str]:
        """Return the namespaces of rows, which a transaction of several namespaces looks up."""
        sql = f"SELECT DISTINCT ns FROM {table} WHERE id = ANY(?) ORDER BY ns"
        return [ns for (ns,) in self.rows(sql, (list(ids),))]

    def lock(self, ns: str) -> None:
        """Lock a namespace for writing until the transaction ends.

        A transaction that has locked all namespaces needs no further lock."""
        if ns in self.locked:
            return
        if not self.writes:
            raise EngineError(
                f"nothing can be written to {ns} in a transaction that reads",
                "open one that writes",
            )
        if not self.holds_all:
            self.run("SELECT pg_advisory_xact_lock(?, hashtext(?))", (WRITERS, ns))
        self.locked.add(ns)
