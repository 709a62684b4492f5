"""Other wordings of memories, and other spellings of a person."""

from collections.abc import Iterator

from ghostmem.model import Alias, NsFilter, SourceAlias
from ghostmem.store.database import StoreTable
from ghostmem.store.filters import ns_part
from ghostmem.store.records import RowType

_ALIAS = RowType("aliases", Alias)
_SELECT = f"SELECT memory_id, {_ALIAS.columns} FROM aliases"
_ORDER = "ORDER BY memory_id, at, content"


class Aliases(StoreTable):
    """Wordings of restatements that were not stored as memories of their own."""

    def add(self, memory_id: str, alias: Alias) -> bool:
        """Add a wording; return False when it exists."""
        names, row = ("memory_id", *_ALIAS.names), (memory_id, *_ALIAS.write(alias))
        return self._db.change(*self._inserted("aliases", names, memory_id, row)) > 0

    def of(self, memory_id: str) -> tuple[Alias, ...]:
        """Return the wordings of a memory, oldest first."""
        rows = self._db.iterate(
            *self._scoped(f"{_SELECT} WHERE :ns memory_id = ? {_ORDER}", memory_id)
        )
        return tuple(_ALIAS.read(row[1:]) for row in rows)

    def texts(self, memory_id: str) -> tuple[str, ...]:
        """Return the texts of a memory's wordings, oldest first."""
        return tuple(alias.content for alias in self.of(memory_id))

    def all(self) -> Iterator[tuple[str, Alias]]:
        """List every wording with the memory it belongs to."""
        for memory_id, *row in self._db.iterate(f"{_SELECT} {_ORDER}"):
            yield memory_id, _ALIAS.read(row)

    def carry(self, old_id: str, new_id: str) -> None:
        """Move the wordings to the next version, except those that it has already."""
        within, names = self._within([old_id])
        self._db.run(
            f"UPDATE aliases SET memory_id = ? WHERE {within}memory_id = ? AND content"
            f" NOT IN (SELECT b.content FROM aliases b WHERE {within}b.memory_id = ?)",
            (new_id, *names, old_id, *names, new_id),
        )

    def forget(self, memory_id: str, content: str) -> bool:
        """Remove one wording; return False when there is none."""
        sql = "DELETE FROM aliases WHERE :ns memory_id = ? AND content = ?"
        return self._db.change(*self._scoped(sql, memory_id, content)) > 0


_SOURCE_ALIAS = RowType("source_aliases", SourceAlias)


class SourceAliases(StoreTable):
    """The canonical name of a person for each other spelling, by namespace."""

    def all(self, ns: NsFilter) -> list[SourceAlias]:
        """List the aliases of some namespaces in order."""
        condition, values = ns_part(ns, "ns")
        return _SOURCE_ALIAS.select(
            self._db, f"WHERE {condition} ORDER BY ns, canonical, alias", values
        )

    def put(self, alias: SourceAlias) -> None:
        """Write an alias, replacing the one with this spelling."""
        _SOURCE_ALIAS.put(self._db, alias)

    def drop(self, alias: SourceAlias) -> bool:
        """Delete an alias; return False when there is none."""
        sql = "DELETE FROM source_aliases WHERE ns = ? AND alias = ?"
        return self._db.change(sql, (alias.ns, alias.alias)) > 0
