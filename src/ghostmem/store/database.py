"""The interface between a table's class and an engine: one transaction, and the engine's dialect.

A table's class is written once. Its statements have `?` for a value, and are the same text for both
engines except for the parts that a `Dialect` gives. SQLite finds a row by its id; PostgreSQL needs
the namespace as well, so that a cluster asks one node: that of the transaction (`Transaction.of`),
or else that of the memories. `within` gives the condition for it, and `owner` the value."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from ghostmem.frozen import frozen
from ghostmem.store.tables import BY_NAME, Table

Part = tuple[str, list[Any]]  # a condition and its values


@frozen
class Dialect:
    """The SQL that differs between engines."""

    name: str
    array: Callable[[Iterable[Any]], Any]  # several values as the one that `among` binds
    among: str  # the rest of a condition that a column has one of the values of an `array`
    among_rows: str  # the rest of a condition that a column has one of the few values of a SELECT
    max_bound: int  # values that are bound one by one instead of as an `array`
    ns_name: str  # the column of `namespaces` with the name
    ns_column: str  # the column of chunks, vectors and threads with the namespace
    owner: tuple[str, ...]  # the column `ns` of tables that have none in SQLite
    in_namespace: str  # the condition that a row with a number is of a namespace, by name
    in_same_namespace: str  # the start of a join condition between two tables of namespaces
    has_row: str  # the condition that `m` has a row `x` in a table that passes some conditions
    starts: Callable[[str, str], Part]  # the condition that a column starts with a text
    given_memories: str  # memories `m` by the ids of an `array`, looked up by id
    chunk_text: str  # the text of a chunk `c` of a memory `m`, or NULL if it is too long for SQL
    like: str  # compares a text with a pattern
    any_text: str  # any text in such a pattern
    position: str  # the function that finds a text in another
    ordered_join: str  # a join whose order the planner keeps
    of_chunk: str  # joins the memory `m` of a chunk `c`, looked up after it in a namespace {}
    unindexed: str  # before a column whose index must not be used
    greatest: str
    least: str
    fill_words: str  # fills the table of words from the chunks
    no_limit: int | None
    path: str  # the condition that a row `x` names a file
    note_path: str  # the condition that a note has a path
    root: str  # the condition that a row `x` names a project
    tag_name: str  # the value of a row of `tag_values`
    tag_values: str  # the tags of `m` as rows `t` with a column `value`
    any_tag: str  # the condition that `m` has one of the tags of an `array`
    tagged: str  # the condition that `m` has a tag
    for_update: str = ""  # the end of a SELECT of a row that is about to be changed
    vector: str = "?"  # a bound vector
    as_vector: Callable[[bytes], bytes] = bytes  # float16 bytes as a vector that is bound
    computed: tuple[str, ...] = ()  # columns of `memories` that are computed from the content
    compute: Callable[[str], tuple[Any, ...]] = lambda _: ()  # their values

    def of_ns(self, alias: str = "") -> str:
        """Return the condition that a row with a number is of a namespace, by name."""
        return self.in_namespace.format(alias)

    def same_ns(self, left: str, right: str) -> str:
        """Return the start of a join condition between two tables of namespaces."""
        return self.in_same_namespace.format(left, right)

    def about(self, table: str, *conditions: str) -> str:
        """Return the condition that `m` has a row `x` in a table that passes some conditions."""
        return self.has_row.format(table, "".join(f" AND {condition}" for condition in conditions))

    def has_one_of(self, column: str, values: Iterable[Any]) -> Part:
        """Return the condition that a column has one of some values."""
        wanted = [str(value) for value in values]
        return (
            (f"{column} IN ({', '.join('?' * len(wanted))})", wanted)
            if len(wanted) <= self.max_bound
            else (f"{column} {self.among}", [self.array(wanted)])
        )

    def key(self, table: Table) -> tuple[str, ...]:
        """Return the columns that are unique in a table, for ON CONFLICT."""
        if self.owner and table.owned:
            return ("ns", *(table.unique or table.key))
        return ("ns", *table.key) if table.unique_in_ns else table.key

    def insert(self, table: str, names: tuple[str, ...], replace: bool = False) -> str:
        """Return an INSERT that ignores a row that exists, or replaces it."""
        return _insert(self, table, names, replace)


@lru_cache(256)
def _insert(dialect: Dialect, name: str, names: tuple[str, ...], replace: bool) -> str:
    table = BY_NAME[name]
    owner = dialect.owner if table.owned and not table.names_ns else ()
    marks = ", ".join("?" * (len(owner) + len(names)))
    sql = f"INSERT INTO {name} ({', '.join((*owner, *names))}) VALUES ({marks}) ON CONFLICT"
    if not replace:
        return f"{sql} DO NOTHING"
    unique = dialect.key(table)
    changed = (column for column in names if column not in {*unique, *table.key})
    sets = ", ".join(f"{column} = excluded.{column}" for column in changed)
    return f"{sql} ({', '.join(unique)}) DO UPDATE SET {sets}"


class Database(Protocol):
    """One connection inside one transaction.

    `run` and `run_many` give no result, so that PostgreSQL can send their statements together with
    the next one whose result is needed; `change` returns the number of rows."""

    dialect: Dialect

    def rows(self, sql: str, values: Sequence[Any] = (), /) -> list[Any]: ...
    def iterate(self, sql: str, values: Sequence[Any] = (), /) -> Iterable[Any]: ...
    def row(self, sql: str, values: Sequence[Any] = (), /) -> Any: ...
    def get(self, sql: str, values: Sequence[Any] = (), /) -> Any: ...
    def run(self, sql: str, values: Sequence[Any] = (), /) -> object: ...
    def change(self, sql: str, values: Sequence[Any] = (), /) -> int: ...
    def run_many(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object: ...
    def ahead(self, reads: Iterable[Callable[[], object]]) -> None: ...
    def lock(self, ns: str) -> None: ...
    def namespaces_of(self, ids: Iterable[Any], table: str) -> list[str]: ...


class StoreTable:
    """One table, or the few tables of one noun, inside a transaction."""

    ns: str | None = None  # the only namespace of the transaction, if it is bound to one

    def __init__(self, db: Database) -> None:
        self._db = db
        self._sql = db.dialect

    def _column(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        return [row[0] for row in self._db.rows(sql, values)]

    def _names(self, ids: Iterable[Any], table: str = "memories") -> list[str]:
        return [self.ns] if self.ns is not None else self._db.namespaces_of(ids, table)

    def _within(self, ids: Iterable[Any], alias: str = "", table: str = "memories") -> Part:
        """Return the start of a condition that rows belong to the namespaces of some ids.

        It is empty where an id is enough to find a row."""
        names = self._names(ids, table) if self._sql.owner else []
        return (
            (f"{alias}ns {self._sql.among} AND ", [self._sql.array(names)])
            if len(names) > 1
            else self._of("".join(names), alias)
        )

    def _scoped(
        self,
        sql: str,
        ids: Any,
        *after: Any,
        before: Sequence[Any] = (),
        alias: str = "",
        table: str = "memories",
    ) -> Part:
        """Return a statement about rows by an id or by several, and its values.

        `:ns` in it becomes the condition of `_within`, which stands before the ids; `before` and
        `after` are the other values."""
        is_several = not isinstance(ids, str | int)
        within, names = self._within(ids if is_several else [ids], alias, table)
        value = self._sql.array(ids) if is_several else ids
        return sql.replace(":ns ", within), [*before, *names, value, *after]

    def _of(self, ns: str, alias: str = "") -> Part:
        """Return the start of a condition that rows belong to a namespace, as `_within`."""
        return (f"{alias}ns = ? AND ", [ns]) if self._sql.owner else ("", [])

    def _inserted(
        self,
        table: str,
        names: tuple[str, ...],
        memory_id: str,
        row: Iterable[Any],
        replace: bool = False,
    ) -> Part:
        """Return the INSERT of a row that belongs to a memory, and its values."""
        return self._sql.insert(table, names, replace), [*self._owner(memory_id), *row]

    def _owner(self, row_id: Any, table: str = "memories") -> Sequence[str]:
        """Return the value of `Dialect.owner` for a row that belongs to another one."""
        return self._names([row_id], table) if self._sql.owner else ()


_MAX_CONTENTS = 8


class Pieces:
    """The long contents of a transaction, a few at a time, each read once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._contents: dict[str, str] = {}

    def text(self, piece: str | None, memory_id: str, start: int, stop: int) -> str:
        """Return the text of a chunk, as `Dialect.chunk_text` or from its content."""
        if piece is not None:
            return piece
        if memory_id not in self._contents:
            if len(self._contents) >= _MAX_CONTENTS:
                self._contents.clear()
            self._contents[memory_id] = self._db.get(
                "SELECT content FROM memories WHERE id = ?", (memory_id,)
            )
        return self._contents[memory_id][start:stop]
