"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.store.copy import Copy
from ghostmem.store.postgres.connect import as_vec, numbers_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.tables import COUNTED, Key, Row, Table, folded, indexed

_SEQUENCES = {
    "namespaces": "namespace_numbers",
    "threads": "thread_numbers",
    "chunks": "chunk_numbers",
}


class PostgresCopy(Copy):
    """Rows of one transaction, by table and namespace, in the order of their keys."""

    _db: Db

    def namespaces(self) -> list[str]:
        """Return every namespace that has rows."""
        names = (
            "namespaces",
            "memories",
            "quarantine",
            "source_aliases",
            "audit",
            "notes",
            "changes",
        )
        sql = " UNION ".join(f"SELECT DISTINCT ns FROM {name}" for name in names)
        return sorted(name for (name,) in self._db.rows(sql))

    def counts(self, table: Table) -> dict[str, int]:
        """Return the number of rows by namespace.

        Rows of a table of the whole store are counted under an empty name."""
        if table.owned:
            return dict(self._db.rows(f"SELECT ns, count(*) FROM {table.name} GROUP BY ns"))
        return dict(self._db.rows(f"SELECT '', count(*) FROM {table.name} HAVING count(*) > 0"))

    def rows(
        self,
        table: Table,
        ns: str,
        after: Key | None = None,
        upto: Key | None = None,
        limit: int = -1,
    ) -> list[Row]:
        """Return rows after a key, up to another one, in order."""
        where, values = (["ns = %s"], [ns]) if table.owned else ([], [])
        keys, marks = ", ".join(table.key), ", ".join(["%s"] * len(table.key))
        for sign, key in ((">", after), ("<=", upto)):
            if key is not None:
                where.append(f"({keys}) {sign} ({marks})")
                values += key
        tail = f" LIMIT {int(limit)}" if limit >= 0 else ""
        return self._select(table, " AND ".join(where) or "true", values, tail)

    def _select(self, table: Table, where: str, values: Sequence[Any], tail: str = "") -> list[Row]:
        if table.name == "vectors":
            columns = ", ".join(table.columns)
            order = f"ORDER BY {', '.join(table.key)}{tail}"
            sql = f"SELECT {columns} FROM vectors WHERE {where} {order}"
            rows = self._db.rows(sql, values, binary=True)
            return [(*key, numbers_of([vector], -1).tobytes()) for *key, vector in rows]
        rows = super()._select(table, where, values, tail)
        if table.name == "notes":  # an inode may be larger than a BIGINT, so it is a NUMERIC
            inode = table.at("inode")
            rows = [(*row[:inode], int(row[inode]), *row[inode + 1 :]) for row in rows]
        return rows

    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        """Write rows, replacing those with the same keys."""
        refuse_nul(table, ns, rows)
        owner = (ns,) if table.owned else ()
        columns = [*(["ns"] if owner else []), *table.columns]
        marks = ["%s"] * len(columns)
        values: list[Row]
        if table.name == "chunks":
            columns, marks = (
                [*columns, "plain", "codes"],
                [*marks, "%s", "array_to_tsvector(%s::text[])"],
            )
            texts = self._texts(ns, {row[1] for row in rows})
            values = [
                (ns, *row, folded(*texts[row[1]], *row[2:5]), sorted(set(indexed(row[7]).split())))
                for row in rows
            ]
        elif table.name == "vectors":
            values = [(ns, model, chunk, as_vec(vector)) for model, chunk, vector in rows]
        else:
            values = [(*owner, *row) for row in rows]
        sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(marks)})"
        if table.name != "chunks":
            conflict = [
                *(["ns"] if owner else []),
                *(() if table.via == "name" else table.unique or table.key),
            ]
            sets = ", ".join(
                f"{name} = excluded.{name}"
                for name in table.columns
                if name not in (*conflict, *table.key)
            )
            sql += (
                f" ON CONFLICT ({', '.join(conflict)}) DO "
                f"{f'UPDATE SET {sets}' if sets else 'NOTHING'}"
            )
        self._many(sql, values)

    def _many(self, sql: str, rows: Sequence[Row]) -> None:
        if rows:
            with self._db.connection.cursor() as cursor:
                cursor.executemany(sql, rows)

    def drop(self, table: Table, ns: str, keys: Sequence[Key]) -> None:
        """Delete rows by their keys, with everything that depends on them."""
        owner = (ns,) if table.owned else ()
        names = [*(["ns"] if owner else []), *table.key]
        where = " AND ".join(f"{name} = %s" for name in names)
        self._many(f"DELETE FROM {table.name} WHERE {where}", [(*owner, *key) for key in keys])

    def mark(self, table: Table, ns: str) -> tuple[int, int]:
        """Return the number of rows of a logged table in a namespace, and the sum of their ids."""
        column = {"chunks": "id", "vectors": "chunk_id"}.get(table.name, "seq")
        count, total = self._db.row(
            f"SELECT count(*), coalesce(sum({column}), 0) FROM {table.name} WHERE ns = %s", (ns,)
        )
        return count, int(total)

    def crossing(self) -> dict[str, int]:
        """Return nothing: the tables allow no edge between namespaces."""
        return {}

    def counters(self) -> dict[str, int]:
        """Return the highest number that each numbered table ever gave, as far as known."""
        counters: dict[str, int] = {}
        for name in COUNTED:
            last = self._db.get(
                f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {self._sequence(name)}"
            )
            counters[name] = max(last, self._db.get(f"SELECT coalesce(max(id), 0) FROM {name}"))
        return counters

    def count_from(self, counters: Mapping[str, int]) -> None:
        """Continue the numbers of another engine."""
        for name, last in counters.items():
            if last:
                self._db.get("SELECT setval(%s::regclass, %s)", (self._sequence(name), last))

    def _sequence(self, name: str) -> str:
        return _SEQUENCES.get(name) or str(
            self._db.get("SELECT pg_get_serial_sequence(%s, 'id')", (name,))
        )


def refuse_nul(table: Table, ns: str, rows: Sequence[Row]) -> None:
    """Refuse rows with a NUL character, which PostgreSQL cannot store."""
    for row in rows:
        for name, value in zip(table.columns, row, strict=True):
            if isinstance(value, str) and "\0" in value:
                subject = (
                    row[table.at("key")]
                    if "key" in table.columns
                    else " ".join(map(str, table.key_of(row)))
                )
                where = f"{ns}/{subject}" if table.owned else subject
                raise InvalidInputError(
                    f"{where!r} has a NUL character in {table.name}.{name}, which "
                    "PostgreSQL cannot hold",
                    "put it again without that character, or remove it for good with "
                    "`ghost rm --hard`; then run this again",
                )
