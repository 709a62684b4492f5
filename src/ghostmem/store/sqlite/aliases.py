"""Other wordings of memories."""

import json
from collections.abc import Iterable, Iterator

import apsw

from ghostmem.model import Alias
from ghostmem.store.records import ALIAS, alias_of, alias_row


class SqliteAliases:
    """Other wordings of memories, kept beside them when a restatement was not stored again."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, memory_id: str, alias: Alias) -> bool:
        """Keep a wording; False when it is known."""
        row = alias_row(memory_id, alias)
        self._db.execute(
            f"INSERT OR IGNORE INTO aliases ({ALIAS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row
        )
        return self._db.changes() > 0

    def of(self, memory_ids: Iterable[str]) -> dict[str, tuple[Alias, ...]]:
        """Return the wordings of several memories, oldest first."""
        found: dict[str, tuple[Alias, ...]] = {}
        for memory_id, alias in self._read(
            "WHERE memory_id IN (SELECT value FROM json_each(?))", json.dumps(list(memory_ids))
        ):
            found[memory_id] = (*found.get(memory_id, ()), alias)
        return found

    def all(self) -> Iterator[tuple[str, Alias]]:
        """List every wording with the memory it belongs to."""
        yield from self._read("")

    def carry(self, old_id: str, new_id: str) -> None:
        """Hand the wordings to the next version."""
        self._db.execute(
            "UPDATE OR IGNORE aliases SET memory_id = ? WHERE memory_id = ?", (new_id, old_id)
        )

    def forget(self, memory_id: str, content: str) -> bool:
        """Remove one wording; False when there is none."""
        self._db.execute(
            "DELETE FROM aliases WHERE memory_id = ? AND content = ?", (memory_id, content)
        )
        return self._db.changes() > 0

    def _read(self, where: str, *values: str) -> Iterator[tuple[str, Alias]]:
        sql = f"SELECT {ALIAS} FROM aliases {where} ORDER BY memory_id, at, content"
        yield from map(alias_of, self._db.execute(sql, values))
