"""A PostgreSQL connection inside one transaction, as table classes see it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ghostmem.errors import EngineError
from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Dialect, Location
from ghostmem.store.postgres.connect import WRITERS
from ghostmem.store.postgres.dialect import DIALECT

if TYPE_CHECKING:
    import psycopg

MAX_NEARBY = 3  # namespaces in which a row is looked for by name before all are searched


class Places:
    """The namespaces of memories, chunks and numbers.

    What was never seen is looked for where others were, then everywhere.
    """

    def __init__(self, db: "Db") -> None:
        self._db = db
        self._memories: dict[str, str] = {}
        self._chunks: dict[int, str] = {}
        self._spaces: dict[int, str] = {}

    def saw(self, ns: str, memory_ids: Iterable[str]) -> None:
        """Note where memories live."""
        self._memories.update(dict.fromkeys(memory_ids, ns))

    def saw_chunks(self, ns: str, numbers: Iterable[int]) -> None:
        """Note where chunks live."""
        self._chunks.update(dict.fromkeys(numbers, ns))

    def saw_space(self, number: int, ns: str) -> None:
        """Note which namespace a number is."""
        self._spaces[number] = ns

    def forget(self) -> None:
        """Know nothing any more, because namespaces changed their names."""
        self._memories.clear()
        self._chunks.clear()
        self._spaces.clear()

    def of(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return memories by namespace, without those that are nowhere."""
        ids = list(memory_ids)
        self._look("memories", self._memories, ids)
        found: dict[str, list[str]] = {}
        for one in ids:
            if one in self._memories:
                found.setdefault(self._memories[one], []).append(one)
        return found

    def one(self, memory_id: str) -> str | None:
        """Return the namespace of a memory."""
        return next(iter(self.of([memory_id])), None)

    def of_chunks(self, numbers: Iterable[int], nearby: bool = False) -> dict[str, list[int]]:
        """Return chunks by namespace, without those that are nowhere.

        `nearby` looks only where this transaction has been.
        """
        wanted = list(numbers)
        self._look("chunks", self._chunks, wanted, nearby)
        found: dict[str, list[int]] = {}
        for one in wanted:
            if one in self._chunks:
                found.setdefault(self._chunks[one], []).append(one)
        return found

    def _look(
        self, table: str, known: dict[Any, str], wanted: list[Any], nearby: bool = False
    ) -> None:
        """Find out where rows live; a transaction mostly stays in one namespace, and asking there
        asks one node.
        """
        unknown = [one for one in wanted if one not in known]
        seen = dict.fromkeys((*self._db.locked, *self._spaces.values(), *self._memories.values()))
        for ns in seen if unknown and len(seen) <= MAX_NEARBY else ():
            rows = self._db.rows(
                f"SELECT id FROM {table} WHERE ns = %s AND id = ANY(%s)", (ns, unknown)
            )
            known.update((one, ns) for (one,) in rows)
            unknown = [one for one in unknown if one not in known]
            if not unknown:
                return
        if unknown and not (nearby and 0 < len(seen) <= MAX_NEARBY):
            known.update(
                (one, ns)
                for ns, one in self._db.rows(
                    f"SELECT ns, id FROM {table} WHERE id = ANY(%s)", (unknown,)
                )
            )

    def space(self, number: int) -> str:
        """Return the namespace with a number; an empty text when there is none."""
        if number not in self._spaces and len(self._db.locked) <= MAX_NEARBY:
            for ns in self._db.locked:
                known = self._db.get("SELECT id FROM namespaces WHERE ns = %s", (ns,))
                if known is not None:
                    self._spaces[known] = ns
        if number not in self._spaces:
            found = self._db.get("SELECT ns FROM namespaces WHERE id = %s", (number,))
            if found is None:
                return ""
            self._spaces[number] = found
        return self._spaces[number]


@lru_cache(4096)
def _translated(sql: str) -> str:
    """Return a statement with psycopg's placeholders: `%s` for `?`, and `?` for `??`."""
    return sql.replace("??", "\0").replace("?", "%s").replace("\0", "?")


class Db:
    """One connection inside one transaction.

    Values are always bound, never spelled into the statement."""

    dialect: Dialect = DIALECT

    def __init__(
        self,
        connection: "psycopg.Connection[Any]",
        writes: bool,
        watch: Callable[[str], None] | None = None,
    ) -> None:
        self.connection = connection
        self.places = Places(self)
        self.writes = writes
        self._watch = watch
        self._locked: set[str] = set()
        self.holds_all = False
        self.traced: list[tuple[str, Sequence[Any]]] | None = None

    def execute(
        self, sql: str, values: Sequence[Any] = (), binary: bool = False
    ) -> "psycopg.Cursor[Any]":
        """Run a statement and return its cursor."""
        sql = _translated(sql)
        if self._watch is not None:
            self._watch(sql)
        if self.traced is not None:
            self.traced.append((sql, values))
        return self.connection.execute(sql, values or None, binary=binary)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return everything that a statement finds."""
        return self.execute(sql, values).fetchall()

    iterate = rows

    def row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row that a statement finds, or None."""
        return self.execute(sql, values).fetchone()

    def get(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first value of the first row, or None."""
        found = self.execute(sql, values).fetchone()
        return None if found is None else found[0]

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Change rows and return how many."""
        return self.execute(sql, values).rowcount

    def stream(self, sql: str, values: Sequence[Any] = (), batch: int = 1000) -> Iterator[Any]:
        """Yield many rows without holding them all, from a cursor of the server."""
        sql = _translated(sql)
        if self._watch is not None:
            self._watch(sql)
        with self.connection.cursor(name="ghost_stream") as cursor:
            cursor.itersize = batch
            cursor.execute(sql, values or None)
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
        """Be the only one who writes in a namespace until the transaction ends.

        Who holds all needs no lock for it.
        """
        if ns in self._locked:
            return
        if not self.writes:
            raise EngineError(
                f"nothing can be written to {ns} in a transaction that reads",
                "open one that writes",
            )
        if not self.holds_all:
            self.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (WRITERS, ns))
        self._locked.add(ns)

    @property
    def locked(self) -> list[str]:
        """Return the namespaces that this transaction writes in, as far as it has said so."""
        return sorted(self._locked)

    def holds(self, names: Sequence[str]) -> None:
        """Note that namespaces are locked already."""
        self._locked.update(names)
