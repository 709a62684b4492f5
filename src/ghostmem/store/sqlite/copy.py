"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ghostmem.store.copy import Copy
from ghostmem.store.sqlite.database import SqliteDb, fill_checksums
from ghostmem.store.sqlite.index import namespaced
from ghostmem.store.sqlite.journal import LineCount
from ghostmem.store.tables import COUNTED, Row, Table, indexed

_NUMBERED = ("chunks", "note_folders", "mirrors")  # tables with AUTOINCREMENT
# The namespace of a row `t` by `Table.via`. The log of a deleted namespace has only a number.
_OWNERS = {
    "": "''",
    "name": "t.name",
    "ns": "t.ns",
    "number": "coalesce((SELECT name FROM namespaces WHERE id = t.ns_id), '#' || t.ns_id)",
    "folder": "(SELECT ns FROM note_folders WHERE id = t.folder_id)",
    "memory": "(SELECT ns FROM memories WHERE id = t.{})",
}


class SqliteCopy(Copy):
    """Rows of any table as they are, with the names of their namespaces."""

    _db: SqliteDb

    def __init__(self, db: SqliteDb, lines: LineCount | None) -> None:
        super().__init__(db)
        if lines is not None:
            lines.forget()

    def owner(self, table: Table) -> str:
        return _OWNERS[table.via].format(table.key[0])

    def _read(self, table: Table, sql: str) -> Iterator[Any]:
        yield from self._db.execute(sql)

    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        added = self._added(table, ns, rows)
        columns = (*table.columns, *added)
        marks = ", ".join("?" * len(columns))
        self._db.run_many(
            f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})",
            [(*row, *added.values()) for row in rows],
        )
        if table.name == "chunks":
            tokens = [namespaced(added["ns_id"], indexed(row[7])) for row in rows]
            plain = self._plain_texts(ns, rows)
            for index, texts in (("chunks_fts", tokens), ("chunks_tri", plain)):
                values = [(row[0], text) for row, text in zip(rows, texts, strict=True)]
                self._db.run_many(f"INSERT INTO {index} (rowid, text) VALUES (?, ?)", values)

    def _added(self, table: Table, ns: str, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the columns by which only SQLite knows the namespace."""
        if table.via == "name":
            return {"name": ns, "token": f"{rows[0][0]}q"}
        if table.via == "ns" or table.name == "memories":
            return {"ns": ns}
        return (
            {"ns_id": self._db.get("SELECT id FROM namespaces WHERE name = ?", (ns,))}
            if (table.via == "number" and table.name != "changes") or table.name == "chunks"
            else {}
        )

    def finish(self, counters: Mapping[str, int]) -> None:
        super().finish(counters)
        fill_checksums(self._db.connection)

    def crossing(self) -> dict[str, int]:
        ends = "JOIN memories a ON a.id = e.from_id JOIN memories b ON b.id = e.to_id"
        return {
            name: count
            for name in ("memory_edges", "memory_links", "inferences")
            if (count := self._db.get(f"SELECT count(*) FROM {name} e {ends} WHERE a.ns <> b.ns"))
        }

    def counters(self) -> dict[str, int]:
        last_numbers = dict(self._db.rows("SELECT name, seq FROM sqlite_sequence"))
        return {
            name: max(
                self._db.get(f"SELECT coalesce(max(id), 0) FROM {name}"), last_numbers.get(name, 0)
            )
            for name in COUNTED
        }

    def count_from(self, counters: Mapping[str, int]) -> None:
        for name in _NUMBERED:
            if counters[name]:
                self._db.run("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                self._db.run(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, counters[name])
                )
