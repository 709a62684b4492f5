"""The cache of code outlines in PostgreSQL."""

from ghostmem.store.outline import OutlineTables, Rows
from ghostmem.store.postgres.database import Db


class PostgresOutline(OutlineTables):
    """The tables of the code outline.

    A shared store holds the projects of several machines, under their roots there."""

    _db: Db

    def _insert(self, table: str, project: int, columns: str, rows: Rows) -> None:
        with (
            self._db.connection.cursor() as cursor,
            cursor.copy(f"COPY {table} (project, {columns}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row((project, *map(_storable, row)))

    def _is_gone(self, root: str) -> bool:
        """Return False: a missing folder may be on another machine."""
        return False


def _storable(value: object) -> object:
    """Return a value that PostgreSQL can store: a text without NUL."""
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
