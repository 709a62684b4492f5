"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ghostmem.store.database import Part, StoreTable
from ghostmem.store.tables import BY_NAME, PARKED, Key, Row, Table


class Copy(StoreTable, ABC):
    """Rows of any table as they are, by table and namespace, in the order of their keys."""

    @abstractmethod
    def namespaces(self) -> list[str]:
        """Return every namespace that has rows."""

    @abstractmethod
    def counts(self, table: Table) -> dict[str, int]:
        """Return the number of rows by namespace.

        Rows of a table of the whole store are counted under an empty name."""

    @abstractmethod
    def rows(
        self,
        table: Table,
        ns: str,
        after: Key | None = None,
        upto: Key | None = None,
        limit: int = -1,
    ) -> list[Row]:
        """Return rows after a key, up to another one, in order."""

    @abstractmethod
    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        """Write rows, replacing those with the same keys."""

    @abstractmethod
    def drop(self, table: Table, ns: str, keys: Sequence[Key]) -> None:
        """Delete rows by their keys, with everything that depends on them."""

    @abstractmethod
    def mark(self, table: Table, ns: str) -> tuple[int, int]:
        """Return the number of rows of a logged table in a namespace, and the sum of their ids."""

    @abstractmethod
    def crossing(self) -> dict[str, int]:
        """Return the numbers of rows by table that join memories of two namespaces."""

    @abstractmethod
    def counters(self) -> dict[str, int]:
        """Return the highest number that each numbered table ever gave, as far as known."""

    @abstractmethod
    def count_from(self, counters: Mapping[str, int]) -> None:
        """Continue the numbers of another engine."""

    def _located(self, ns: str) -> tuple[str, ...]:
        """Return the values for `Dialect.in_ns`."""
        return (ns,) if self._sql.in_ns else ()

    def _texts(self, ns: str, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return the keys and contents of memories by id."""
        where = f"{self._sql.in_ns}id {self._sql.among}"
        sql = f"SELECT id, key, content FROM memories WHERE {where}"
        rows = self._db.rows(sql, (*self._located(ns), self._sql.array(sorted(ids))))
        return {id_: (key, content) for id_, key, content in rows}

    def _select(self, table: Table, where: str, values: Sequence[Any], tail: str = "") -> list[Row]:
        """Return the rows of a table that pass a condition, in the order of their keys."""
        columns, keys = ", ".join(table.columns), ", ".join(table.key)
        sql = f"SELECT {columns} FROM {table.name} WHERE {where} ORDER BY {keys}{tail}"
        return self._db.rows(sql, values)

    def _naming(self, table: Table, ns: str, ids: Sequence[str]) -> Part:
        """Return the condition that a row names one of some memories."""
        in_ns, among, location = self._sql.in_ns, self._sql.among, self._located(ns)
        array = self._sql.array(ids)
        if table.name == "vectors":
            chunks = f"SELECT id FROM chunks WHERE {in_ns}memory_id {among}"
            return f"{in_ns}chunk_id IN ({chunks})", [*location, *location, array]
        ends = " OR ".join(f"{end} {among}" for end in table.ends)
        return f"{in_ns}({ends})", [*location, *([array] * len(table.ends))]

    def of(self, table: Table, ns: str, ids: Sequence[str]) -> list[Row]:
        """Return the rows that name one of some memories, in order."""
        return self._select(table, *self._naming(table, ns, ids))

    def drop_of(self, table: Table, ns: str, ids: Sequence[str]) -> None:
        """Delete the rows that name one of some memories."""
        where, values = self._naming(table, ns, ids)
        self._db.run(f"DELETE FROM {table.name} WHERE {where}", values)

    def versions(self, ns: str, ids: Iterable[str], keys: Iterable[str] = ()) -> dict[str, str]:
        """Return the keys of all versions of these memories' keys, and of these keys, by id."""
        among = self._sql.among
        sql = (
            f"SELECT id, key FROM memories WHERE ns = ? AND (key {among} OR key IN"
            f" (SELECT key FROM memories WHERE ns = ? AND id {among}))"
        )
        values = (ns, self._sql.array(keys), ns, self._sql.array(ids))
        return dict(self._db.rows(sql, values))

    def park(self, ns: str, ids: Sequence[str]) -> None:
        """Rename memories to temporary keys until they get their own."""
        where = f"{self._sql.in_ns}id {self._sql.among}"
        values = (PARKED, *self._located(ns), self._sql.array(ids))
        self._db.run(f"UPDATE memories SET key = ? || id WHERE {where}", values)

    def present(self, table: str, column: str, ns: str, values: Iterable[Any]) -> set[Any]:
        """Return those of some values that a column has."""
        is_owned = BY_NAME[table].owned
        where = f"{self._sql.in_ns if is_owned else ''}{column} {self._sql.among}"
        given = (*(self._located(ns) if is_owned else ()), self._sql.array(sorted(values)))
        rows = self._db.rows(f"SELECT {column} FROM {table} WHERE {where}", given)
        return {value for (value,) in rows}

    def logs(self) -> dict[str, int]:
        """Return the length of each namespace's audit log."""
        return dict(self._db.rows(f"SELECT {self._sql.ns_name}, sequence FROM namespaces"))

    def _log_of(self, ns: str) -> Part:
        """Return the condition that a change is of a namespace."""
        return self._sql.of_ns, [ns]

    def logged(self, ns: str, after: int) -> tuple[set[str], bool]:
        """Return the memories changed after a line of the log, and whether vectors were added."""
        where, values = self._log_of(ns)
        sql = f"SELECT c.memory_id FROM changes c WHERE {where} AND c.seq > ?"
        rows = self._db.rows(sql, (*values, after))
        ids = {memory_id for (memory_id,) in rows}
        return ids - {""}, "" in ids


class MoveState(StoreTable):
    """The state of a store that is being filled, in a table that exists only meanwhile."""

    def get(self) -> dict[str, str] | None:
        """Return the recorded state, or None when no move is under way."""
        if not self._db.get(self._sql.is_moving):
            return None
        return dict(self._db.rows("SELECT name, value FROM moving"))

    def held(self, holder: str) -> bool:
        """Say whether a move is under way and has this holder."""
        return (self.get() or {}).get("holder") == holder

    def begin(self, marker: str, at: str, source: str) -> None:
        """Record that the store is being filled, and the source."""
        self._db.run("CREATE TABLE moving (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)")
        self._db.run("INSERT INTO migrations VALUES (?, ?, ?)", (marker, at, source))

    def note(self, values: Mapping[str, str]) -> None:
        """Record values by name."""
        sql = (
            "INSERT INTO moving (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        )
        for item in values.items():
            self._db.run(sql, item)

    def end(self, marker: str) -> None:
        """Finish the move: the store is like any other now."""
        self._db.run("DELETE FROM words")
        self._db.run(self._sql.fill_words)
        self._db.run("DROP TABLE moving")
        self._db.run("DELETE FROM migrations WHERE name = ?", (marker,))
