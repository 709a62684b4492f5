"""The SQL dialect of PostgreSQL, and a connection as table classes see it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from ghostmem.errors import EngineError
from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Dialect, Location, Part
from ghostmem.store.postgres.connect import WRITERS
from ghostmem.store.postgres.pipeline import Answer, BoundStatement
from ghostmem.store.postgres.schema import CHUNK_WORDS
from ghostmem.store.postgres.trips import RoundTrips
from ghostmem.store.tables import Table

if TYPE_CHECKING:
    import psycopg

MAX_NEARBY = 3  # namespaces in which a row is looked for by name before all are searched
Id = TypeVar("Id", str, int)


class PostgresDialect(Dialect):
    """The SQL that only PostgreSQL understands; `??` is its operator `?`."""

    name = "postgresql"
    among = "= ANY(?)"
    in_ns = "ns = ? AND "
    ns_name = ns_value = "ns"
    of_ns = "c.ns = ?"
    given_memories = "unnest(?::text[]) AS j (value) JOIN memories m ON m.id = j.value"
    in_space = "ns = ?"
    chunk_text = "substr(m.content, (c.start + 1)::int, (c.stop - c.start)::int)"
    like, any_text, position = "LIKE", "%", "strpos"
    ordered_join = "JOIN"
    # OFFSET keeps a server without statistics of a new table from reading all memories first; with
    # ns = c.ns instead of a value inside it, Citus would ask all shards
    of_chunk = (
        "CROSS JOIN LATERAL (SELECT * FROM memories WHERE ns = ? AND id = c.memory_id OFFSET 0) m"
    )
    unindexed = ""
    greatest, least = "greatest", "least"
    fill_words = f"INSERT INTO words (ns, word) {CHUNK_WORDS}"
    no_limit = None
    note_path = "digest = md5(?)"
    path, root = "x.digest = md5(?)", "md5(x.root) = md5(?)"
    tag_name = 't.value COLLATE "C"'
    tag_values = "jsonb_array_elements_text(m.tags::jsonb) t(value)"
    any_tag = "m.tags::jsonb ??| ?"
    tagged = "m.tags::jsonb ?? ?"

    def array(self, values: Iterable[Any]) -> list[Any]:
        """Return several values as a list, which is bound as an array."""
        return list(values)

    def among_rows(self, select: str) -> str:
        """Return the rest of a condition; the values are selected once, and then looked up.

        With IN, a server without statistics of a new table reads all rows of a namespace."""
        return f"= ANY(ARRAY({select}))"

    def same_ns(self, left: str, right: str) -> str:
        """Return the condition that two rows are of one namespace."""
        return f"{left}.ns = {right}.ns AND "

    def starts(self, column: str, prefix: str) -> Part:
        """Return the condition that a column starts with a text."""
        return f"starts_with({column}, ?)", [prefix]

    def about(self, table: str, *conditions: str) -> str:
        """Return the condition that `m` has a row `x` in a table that passes some conditions."""
        where = " AND ".join(("x.ns = m.ns", "x.memory_id = m.id", *conditions))
        return f"EXISTS (SELECT 1 FROM {table} x WHERE {where})"

    def key(self, table: Table) -> tuple[str, ...]:
        """Return the columns that are unique in a table, for ON CONFLICT."""
        return ("ns", *(table.unique or table.key)) if table.owned else table.key


DIALECT = PostgresDialect()


class Places:
    """The namespaces of memories, chunks and numbers that a transaction has seen.

    Every statement names its namespace, so that a cluster asks one node. An unknown row is
    looked up in the namespaces seen so far, then in all."""

    def __init__(self, db: "Db") -> None:
        self._db = db
        self._memories: dict[str, str] = {}
        self._chunks: dict[int, str] = {}
        self._spaces: dict[int, str] = {}

    def saw(self, ns: str, memory_ids: Iterable[str]) -> None:
        """Record the namespace of memories."""
        self._memories.update(dict.fromkeys(memory_ids, ns))

    def saw_chunks(self, ns: str, numbers: Iterable[int]) -> None:
        """Record the namespace of chunks."""
        self._chunks.update(dict.fromkeys(numbers, ns))

    def saw_space(self, number: int, ns: str) -> None:
        """Record the namespace with a number."""
        self._spaces[number] = ns

    def forget(self) -> None:
        """Forget everything, because namespaces changed their names."""
        self._memories.clear()
        self._chunks.clear()
        self._spaces.clear()

    def of(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return memories by namespace, without those that do not exist."""
        ids = list(memory_ids)
        self._look("memories", self._memories, ids)
        return _by_namespace(ids, self._memories)

    def one(self, memory_id: str) -> str | None:
        """Return the namespace of a memory."""
        return self._memories.get(memory_id) or next(iter(self.of([memory_id])), None)

    def of_chunks(self, numbers: Iterable[int], nearby: bool = False) -> dict[str, list[int]]:
        """Return chunks by namespace, without those that do not exist.

        With `nearby`, only the namespaces seen so far are searched."""
        wanted = list(numbers)
        self._look("chunks", self._chunks, wanted, nearby)
        return _by_namespace(wanted, self._chunks)

    def _look(
        self, table: str, namespaces: dict[Any, str], wanted: list[Any], nearby: bool = False
    ) -> None:
        """Look up the namespaces of rows; a transaction mostly stays in one, on one node."""
        unknown = [row_id for row_id in wanted if row_id not in namespaces]
        if not unknown:
            return
        seen = dict.fromkeys((*self._db.locked, *self._spaces.values(), *self._memories.values()))
        for ns in seen if len(seen) <= MAX_NEARBY else ():
            rows = self._db.rows(
                f"SELECT id FROM {table} WHERE ns = ? AND id = ANY(?)", (ns, unknown)
            )
            namespaces.update((row_id, ns) for (row_id,) in rows)
            unknown = [row_id for row_id in unknown if row_id not in namespaces]
            if not unknown:
                return
        if not (nearby and 0 < len(seen) <= MAX_NEARBY):
            namespaces.update(
                (row_id, ns)
                for ns, row_id in self._db.rows(
                    f"SELECT ns, id FROM {table} WHERE id = ANY(?)", (unknown,)
                )
            )

    def space(self, number: int) -> str:
        """Return the namespace with a number, or an empty text."""
        if number not in self._spaces and len(self._db.locked) <= MAX_NEARBY:
            for ns in self._db.locked:
                locked = self._db.get("SELECT id FROM namespaces WHERE ns = ?", (ns,))
                if locked is not None:
                    self._spaces[locked] = ns
        if number not in self._spaces:
            name = self._db.get("SELECT ns FROM namespaces WHERE id = ?", (number,))
            if name is None:
                return ""
            self._spaces[number] = name
        return self._spaces[number]


def _by_namespace(ids: list[Id], namespaces: Mapping[Id, str]) -> dict[str, list[Id]]:
    """Return ids by namespace, without those of unknown namespaces."""
    seen = set(map(namespaces.get, ids))
    if None not in seen and len(seen) == 1:  # as in most transactions
        return {namespaces[ids[0]]: ids}
    by_ns: dict[str, list[Id]] = {}
    for id_ in ids:
        if id_ in namespaces:
            by_ns.setdefault(namespaces[id_], []).append(id_)
    return by_ns


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
        self, trips: RoundTrips, writes: bool, watch: Callable[[str], None] | None = None
    ) -> None:
        self.trips = trips
        self.places = Places(self)
        self.writes = writes
        self._watch = watch
        self._locked: set[str] = set()
        self.holds_all = False
        self.traced: list[tuple[str, Sequence[Any]]] | None = None
        self._answers: dict[tuple[str, str], list[Any]] = {}  # of statements that were read ahead
        self._wanted: dict[tuple[str, str], BoundStatement] | None = None  # while reading ahead

    @property
    def connection(self) -> "psycopg.Connection[Any]":
        """Return the connection, after everything that waited was sent."""
        return self.trips.connection

    def _told(self, statement: BoundStatement) -> BoundStatement:
        """Tell those who watch about a statement that is to be run."""
        if self._watch is not None:
            self._watch(statement.sql)
        if self.traced is not None:
            self.traced.append((statement.sql, statement.values))
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
                self._answers[key] = answer.rows

    def forget(self) -> None:
        """Forget everything that was read."""
        self.places.forget()
        self._answers.clear()

    def _is_answered(self, read: Callable[[], object]) -> bool:
        """Call a function, and say whether all its statements had answers."""
        try:
            read()
        except _UnansweredError:
            return False
        return True

    def rows(self, sql: str, values: Sequence[Any] = (), binary: bool = False) -> list[Any]:
        """Return all rows of a statement."""
        if self._wanted is None and not self._answers:
            return self.execute(sql, values, binary).rows
        statement = BoundStatement(_translated(sql), values, binary)
        key = (statement.sql, repr(values))
        if key in self._answers:
            is_final = self.writes and self._wanted is None
            return self._answers.pop(key) if is_final else self._answers[key]
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

    def run_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
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

    def place(self, memory_id: str) -> Location:
        """Return the namespace of a memory, which statements name."""
        return (self.places.one(memory_id),)

    def located(
        self, memory_ids: Iterable[str], lock: bool = False, within: NsFilter | None = None
    ) -> Iterator[tuple[Location, Any]]:
        """Yield ids by namespace, optionally locked, or only those of some namespaces."""
        if within and not within.is_prefix:  # a memory of another namespace would not pass
            yield (str(within),), list(memory_ids)
            return
        for ns, ids in sorted(self.places.of(memory_ids).items()):
            if lock:
                self.lock(ns)
            if within is None or within.matches(ns):
                yield (ns,), ids

    def saw(self, ns: str, memory_ids: Iterable[str]) -> None:
        """Remember the namespace of memories."""
        self.places.saw(ns, memory_ids)

    def saw_all(self, memories: Iterable[Memory]) -> None:
        """Remember the namespaces of memories."""
        for memory in memories:
            self.places.saw(memory.ns, (memory.id,))

    def saw_chunks(self, ns: str, numbers: Iterable[int]) -> None:
        """Remember the namespace of chunks."""
        self.places.saw_chunks(ns, numbers)

    def lock(self, ns: str) -> None:
        """Lock a namespace for writing until the transaction ends.

        A transaction that has locked all namespaces needs no further lock."""
        if ns in self._locked:
            return
        if not self.writes:
            raise EngineError(
                f"nothing can be written to {ns} in a transaction that reads",
                "open one that writes",
            )
        if not self.holds_all:
            self.run("SELECT pg_advisory_xact_lock(?, hashtext(?))", (WRITERS, ns))
        self._locked.add(ns)

    @property
    def locked(self) -> list[str]:
        """Return the namespaces that this transaction has locked by name."""
        return sorted(self._locked)

    def holds(self, names: Sequence[str]) -> None:
        """Record that namespaces are locked already."""
        self._locked.update(names)
