"""Other wordings of memories."""

from collections.abc import Iterable, Iterator

from ghostmem.model import Alias
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType

_ALIAS = RowType("aliases", Alias)
_SELECT = f"SELECT memory_id, {_ALIAS.columns} FROM aliases"
_ORDER = "ORDER BY memory_id, at, content"


class Aliases(StoreTable):
    """Wordings of restatements that were not stored as memories of their own."""

    def add(self, memory_id: str, alias: Alias) -> bool:
        """Add a wording; return False when it exists."""
        sql = self._sql.insert("aliases", ("memory_id", *_ALIAS.names))
        return (
            self._db.change(sql, (*self._db.place(memory_id), memory_id, *_ALIAS.write(alias))) > 0
        )

    def of(self, memory_ids: Iterable[str]) -> dict[str, tuple[Alias, ...]]:
        """Return the wordings of several memories, oldest first."""
        aliases: dict[str, tuple[Alias, ...]] = {}
        sql = f"{_SELECT} WHERE {self._sql.in_ns}memory_id {self._sql.among} {_ORDER}"
        for location, ids in self._db.located(memory_ids):
            for memory_id, *row in self._db.iterate(sql, (*location, ids)):
                aliases[memory_id] = (*aliases.get(memory_id, ()), _ALIAS.read(row))
        return aliases

    def all(self) -> Iterator[tuple[str, Alias]]:
        """List every wording with the memory it belongs to."""
        for memory_id, *row in self._db.iterate(f"{_SELECT} {_ORDER}"):
            yield memory_id, _ALIAS.read(row)

    def carry(self, old_id: str, new_id: str) -> None:
        """Move the wordings to the next version, except those that it has already."""
        sql = (
            f"UPDATE aliases SET memory_id = ? WHERE {self._sql.in_ns}memory_id = ? AND content"
            f" NOT IN (SELECT b.content FROM aliases b WHERE {self._sql.in_ns}b.memory_id = ?)"
        )
        place = self._db.place(old_id)
        self._db.run(sql, (new_id, *place, old_id, *place, new_id))

    def forget(self, memory_id: str, content: str) -> bool:
        """Remove one wording; return False when there is none."""
        sql = f"DELETE FROM aliases WHERE {self._sql.in_ns}memory_id = ? AND content = ?"
        return self._db.change(sql, (*self._db.place(memory_id), memory_id, content)) > 0
