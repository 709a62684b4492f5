"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.store.copy import Copy
from ghostmem.store.postgres.connect import as_vec, numbers_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.tables import COUNTED, Row, Table, indexed

_ROWS_PER_READ = 500
_SEQUENCES = {
    "namespaces": "namespace_numbers",
    "threads": "thread_numbers",
    "chunks": "chunk_numbers",
}


class PostgresCopy(Copy):
    """Rows of any table as they are, with the names of their namespaces."""

    _db: Db

    def owner(self, table: Table) -> str:
        return "t.ns" if table.owned else "CAST('' AS text)"

    def _read(self, table: Table, sql: str) -> Iterator[Any]:
        with self._db.connection.cursor(name="ghost_copy") as cursor:
            cursor.itersize = _ROWS_PER_READ
            cursor.execute(sql.encode(), binary=table.name == "vectors")
            for row in cursor:
                if table.name == "vectors":
                    row = (*row[:-1], numbers_of([row[-1]], -1).tobytes())
                elif table.name == "notes":  # an inode may be larger than a BIGINT: a NUMERIC
                    inode = table.at("inode") + 1
                    row = (*row[:inode], int(row[inode]), *row[inode + 1 :])
                yield row

    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        refuse_nul(table, ns, rows)
        owner = {"ns": ns} if table.owned else {}
        columns, values = [*owner, *table.columns], [(*owner.values(), *row) for row in rows]
        marks = ["%s"] * len(columns)
        if table.name == "chunks":
            columns += ["plain", "codes"]
            marks += ["%s", "array_to_tsvector(%s::text[])"]
            codes = (sorted(set(indexed(row[7]).split())) for row in rows)
            rows_with_codes = zip(values, self._plain_texts(ns, rows), codes, strict=True)
            values = [(*row, plain, tokens) for row, plain, tokens in rows_with_codes]
        elif table.name == "vectors":
            values = [(*row, as_vec(vector)) for *row, vector in values]
        sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(marks)})"
        with self._db.connection.cursor() as cursor:
            cursor.executemany(sql.encode(), values)

    def counters(self) -> dict[str, int]:
        last = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM"
        return {
            name: max(
                self._db.get(f"{last} {self._sequence(name)}"),
                self._db.get(f"SELECT coalesce(max(id), 0) FROM {name}"),
            )
            for name in COUNTED
        }

    def count_from(self, counters: Mapping[str, int]) -> None:
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
                fields = ("key",) if "key" in table.columns else table.key
                subject = " ".join(str(row[table.at(field)]) for field in fields)
                name_shown = f"{ns}/{subject}" if table.owned else subject
                raise InvalidInputError(
                    f"{name_shown!r} has a NUL character in {table.name}.{name}, which "
                    "PostgreSQL cannot hold",
                    "put it again without that character, or remove it for good with "
                    "`ghost rm --hard`; then run this again",
                )
