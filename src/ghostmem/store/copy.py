"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ghostmem.store.database import StoreTable
from ghostmem.store.tables import BY_NAME, Row, Table, folded


class Copy(StoreTable, ABC):
    """Rows of any table as they are, with the names of their namespaces."""

    @abstractmethod
    def owner(self, table: Table) -> str:
        """Return the SQL of the namespace of a row `t`: empty in tables of the whole store."""

    @abstractmethod
    def _read(self, table: Table, sql: str) -> Iterator[Any]:
        """Yield the rows of a table one at a time."""

    @abstractmethod
    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        """Insert rows of a namespace into a table that has none of them."""

    @abstractmethod
    def counters(self) -> dict[str, int]:
        """Return the highest number that each numbered table ever gave, as far as known."""

    @abstractmethod
    def count_from(self, counters: Mapping[str, int]) -> None:
        """Continue the numbers of another engine."""

    def crossing(self) -> dict[str, int]:
        """Return the numbers of rows by table that join memories of two namespaces."""
        return {}

    def counts(self, table: Table) -> dict[str, int]:
        """Return the number of rows by namespace."""
        owner = self.owner(table)
        return dict(
            self._db.rows(
                f"SELECT {owner}, count(*) FROM {table.name} t WHERE {owner} IS NOT NULL GROUP BY 1"
            )
        )

    def rows(self, table: Table) -> Iterator[tuple[str, Row]]:
        """Yield every row after its namespace, ordered by namespace and key."""
        owner = self.owner(table)
        columns = ", ".join(f"t.{name}" for name in (*table.columns,))
        keys = ", ".join(f"t.{name}" for name in table.key)
        for ns, *row in self._read(
            table,
            f"SELECT {owner}, {columns} FROM {table.name} t"
            f" WHERE {owner} IS NOT NULL ORDER BY 1, {keys}",
        ):
            yield ns, tuple(row)

    def finish(self, counters: Mapping[str, int]) -> None:
        """Write the data that is derived from all rows, and continue the numbers of the source."""
        self._db.run(self._sql.fill_words)
        self.count_from(counters)

    def clear_rules(self) -> None:
        """Delete the rules that every store is created with."""
        self._db.run(f"DELETE FROM {BY_NAME['reflect_rules'].name}")

    def _plain_texts(self, ns: str, chunks: Iterable[Row]) -> list[str]:
        """Return the texts for substring search of chunks whose memories are written."""
        rows = list(chunks)
        within, names = self._of(ns)
        memories = self._db.rows(
            f"SELECT id, key, content FROM memories WHERE {within}id {self._sql.among}",
            (*names, self._sql.array({row[1] for row in rows})),
        )
        texts = {id_: (key, content) for id_, key, content in memories}
        return [folded(*texts[row[1]], *row[2:5]) for row in rows]
