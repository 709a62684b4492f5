"""A SQLite connection inside one transaction, as table classes see it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from ghostmem.model import Memory, NsFilter
from ghostmem.store.database import Dialect, Location
from ghostmem.store.sqlite.dialect import DIALECT


class SqliteDb:
    """One connection inside one transaction; ids are enough to find rows."""

    dialect: Dialect = DIALECT

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return all rows of a statement."""
        return self.execute(sql, values).fetchall()

    def iterate(self, sql: str, values: Sequence[Any] = ()) -> Iterable[Any]:
        """Return the rows of a statement one at a time."""
        return self.execute(sql, values)

    def row(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a statement, or None."""
        return self.execute(sql, values).fetchone()

    def get(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first value of the first row, or None."""
        return self.execute(sql, values).get

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Change rows and return their number."""
        self.execute(sql, values)
        return self.connection.changes()

    def place(self, memory_id: str) -> Location:
        """Return no values: a memory is found by its id."""
        return ()

    def located(
        self, memory_ids: Iterable[str], lock: bool = False, within: NsFilter | None = None
    ) -> Iterator[tuple[Location, Any]]:
        """Yield all ids as one array."""
        yield (), json.dumps(list(memory_ids))

    def saw(self, ns: str, memory_ids: Iterable[str]) -> None:
        """Do nothing: the namespaces of memories need not be known."""

    def saw_all(self, memories: Iterable[Memory]) -> None:
        """Do nothing: the namespaces of memories need not be known."""

    def saw_chunks(self, ns: str, numbers: Iterable[int]) -> None:
        """Do nothing: the namespaces of chunks need not be known."""
