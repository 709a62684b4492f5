"""Reading and writing rows of any table as they are, to move a store.

See `ghostmem.store.tables`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.store.copy import CopyTable
from ghostmem.store.postgres.connect import as_vec, numbers_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.tables import COUNTED, Key, Row, Table, folded, indexed

_SEQUENCES = {
    "namespaces": "namespace_numbers",
    "threads": "thread_numbers",
    "chunks": "chunk_numbers",
}


class PostgresCopy(CopyTable):
    """Rows of one transaction, by table and namespace, in the order of their keys."""

    _db: Db

    def namespaces(self) -> list[str]:
        """Return every namespace that a row belongs to."""
        names = ("namespaces", "memories", "quarantine", "audit", "notes", "changes")
        sql = " UNION ".join(f"SELECT DISTINCT ns FROM {name}" for name in names)
        return sorted(name for (name,) in self._db.rows(sql))

    def counts(self, table: Table) -> dict[str, int]:
        """Return how many rows each namespace has.

        Of a table of the whole store, under an empty name.
        """
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
        """Return rows behind a key, up to another one, in order."""
        where, values = (["ns = %s"], [ns]) if table.owned else ([], [])
        keys, marks = ", ".join(table.key), ", ".join(["%s"] * len(table.key))
        for sign, key in ((">", after), ("<=", upto)):
            if key is not None:
                where.append(f"({keys}) {sign} ({marks})")
                values += key
        tail = f" LIMIT {int(limit)}" if limit >= 0 else ""
        return self._select(table, " AND ".join(where) or "true", values, tail)

    def _select(self, table: Table, where: str, values: Sequence[Any], tail: str = "") -> list[Row]:
        columns, keys = ", ".join(table.columns), ", ".join(table.key)
        sql = f"SELECT {columns} FROM {table.name} WHERE {where} ORDER BY {keys}{tail}"
        if table.name == "vectors":
            found = self._db.execute(sql, values, binary=True).fetchall()
            return [
                (model, chunk, numbers_of([vector], -1).tobytes()) for model, chunk, vector in found
            ]
        rows: list[Row] = self._db.rows(sql, values)
        if table.name == "notes":  # an inode may be larger than a BIGINT, so it is a NUMERIC
            at = table.at("inode")
            rows = [(*row[:at], int(row[at]), *row[at + 1 :]) for row in rows]
        return rows

    def of(self, table: Table, ns: str, ids: Sequence[str]) -> list[Row]:
        """Return the rows that name one of these memories, in order."""
        where, values = _naming(table, ns, ids)
        return self._select(table, where, values)

    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        """Write rows, in the place of those with the same keys."""
        refuse_nul(table, ns, rows)
        owner = (ns,) if table.owned else ()
        columns = [*(["ns"] if owner else []), *table.columns]
        marks = ["%s"] * len(columns)
        given: list[Row]
        if table.name == "chunks":
            columns, marks = (
                [*columns, "plain", "codes"],
                [*marks, "%s", "array_to_tsvector(%s::text[])"],
            )
            said = self._texts(ns, {row[1] for row in rows})
            given = [
                (ns, *row, folded(*said[row[1]], *row[2:5]), sorted(set(indexed(row[7]).split())))
                for row in rows
            ]
        elif table.name == "vectors":
            given = [(ns, model, chunk, as_vec(vector)) for model, chunk, vector in rows]
        else:
            given = [(*owner, *row) for row in rows]
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
        self._many(sql, given)

    def _many(self, sql: str, rows: Sequence[Row]) -> None:
        if rows:
            with self._db.connection.cursor() as cursor:
                cursor.executemany(sql, rows)

    def drop(self, table: Table, ns: str, keys: Sequence[Key]) -> None:
        """Delete rows by their keys, with all that hangs on them."""
        owner = (ns,) if table.owned else ()
        names = [*(["ns"] if owner else []), *table.key]
        where = " AND ".join(f"{name} = %s" for name in names)
        self._many(f"DELETE FROM {table.name} WHERE {where}", [(*owner, *key) for key in keys])

    def drop_of(self, table: Table, ns: str, ids: Sequence[str]) -> None:
        """Delete the rows that name one of these memories."""
        where, values = _naming(table, ns, ids)
        self._db.run(f"DELETE FROM {table.name} WHERE {where}", values)

    def mark(self, table: Table, ns: str) -> tuple[int, int]:
        """Return how many rows a namespace has of a table that is logged, and the sum of their
        numbers.
        """
        column = {"chunks": "id", "vectors": "chunk_id"}.get(table.name, "seq")
        count, total = self._db.row(
            f"SELECT count(*), coalesce(sum({column}), 0) FROM {table.name} WHERE ns = %s", (ns,)
        )
        return count, int(total)

    def crossing(self) -> dict[str, int]:
        """Return what joins memories of two namespaces: nothing, the tables do not allow it."""
        return {}

    def counters(self) -> dict[str, int]:
        """Return the highest number that each table that numbers its rows ever gave, as far as it
        is known.
        """
        found: dict[str, int] = {}
        for name in COUNTED:
            given = self._db.get(
                f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {self._sequence(name)}"
            )
            found[name] = max(given, self._db.get(f"SELECT coalesce(max(id), 0) FROM {name}"))
        return found

    def count_from(self, counters: Mapping[str, int]) -> None:
        """Give no number again that another engine gave already."""
        for name, last in counters.items():
            if last:
                self._db.get("SELECT setval(%s::regclass, %s)", (self._sequence(name), last))

    def _sequence(self, name: str) -> str:
        return _SEQUENCES.get(name) or str(
            self._db.get("SELECT pg_get_serial_sequence(%s, 'id')", (name,))
        )


def _naming(table: Table, ns: str, ids: Sequence[str]) -> tuple[str, list[Any]]:
    given = list(ids)
    if table.name == "vectors":
        return (
            "ns = %s AND chunk_id IN (SELECT id FROM chunks WHERE ns = %s AND memory_id = ANY(%s))",
            [ns, ns, given],
        )
    ends = " OR ".join(f"{end} = ANY(%s)" for end in table.ends)
    return f"ns = %s AND ({ends})", [ns, *([given] * len(table.ends))]


def refuse_nul(table: Table, ns: str, rows: Sequence[Row]) -> None:
    """Say which row has a character that PostgreSQL's texts cannot hold."""
    for row in rows:
        for name, value in zip(table.columns, row, strict=True):
            if isinstance(value, str) and "\0" in value:
                told = (
                    row[table.at("key")]
                    if "key" in table.columns
                    else " ".join(map(str, table.key_of(row)))
                )
                where = f"{ns}/{told}" if table.owned else told
                raise InvalidInputError(
                    f"{where!r} has a NUL character in {table.name}.{name}, which "
                    "PostgreSQL cannot hold",
                    "put it again without that character, or remove it for good with "
                    "`ghost rm --hard`; then run this again",
                )
