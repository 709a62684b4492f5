"""Other wordings of memories."""

from collections.abc import Iterable, Iterator

from ghostmem.model import Alias
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.places import Places
from ghostmem.store.records import ALIAS, alias_of, alias_row

_ORDER = "ORDER BY memory_id, at, content"


class PostgresAliases:
    """Other wordings of memories, kept beside them when a restatement was not stored again."""

    def __init__(self, db: Db, places: Places) -> None:
        self._db = db
        self._places = places

    def add(self, memory_id: str, alias: Alias) -> bool:
        """Keep a wording; False when it is known."""
        sql = (
            f"INSERT INTO aliases (ns, {ALIAS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) "
            "ON CONFLICT DO NOTHING"
        )
        return self._db.run(sql, (self._places.one(memory_id), *alias_row(memory_id, alias))) > 0

    def of(self, memory_ids: Iterable[str]) -> dict[str, tuple[Alias, ...]]:
        """Return the wordings of several memories, oldest first."""
        found: dict[str, tuple[Alias, ...]] = {}
        sql = f"SELECT {ALIAS} FROM aliases WHERE ns = %s AND memory_id = ANY(%s) {_ORDER}"
        for ns, ids in self._places.of(memory_ids).items():
            for memory_id, alias in map(alias_of, self._db.rows(sql, (ns, ids))):
                found[memory_id] = (*found.get(memory_id, ()), alias)
        return found

    def all(self) -> Iterator[tuple[str, Alias]]:
        """List every wording with the memory it belongs to."""
        yield from map(alias_of, self._db.rows(f"SELECT {ALIAS} FROM aliases {_ORDER}"))

    def carry(self, old_id: str, new_id: str) -> None:
        """Hand the wordings to the next version; one that it has already stays where it is."""
        sql = (
            "UPDATE aliases a SET memory_id = %s WHERE a.ns = %s AND a.memory_id = %s AND "
            "NOT EXISTS"
            " (SELECT 1 FROM aliases b WHERE b.ns = a.ns AND b.ns = %s AND b.memory_id = "
            "%s AND b.digest = a.digest)"
        )
        ns = self._places.one(old_id)
        self._db.run(sql, (new_id, ns, old_id, ns, new_id))

    def forget(self, memory_id: str, content: str) -> bool:
        """Remove one wording; False when there is none."""
        sql = "DELETE FROM aliases WHERE ns = %s AND memory_id = %s AND digest = md5(%s)"
        return self._db.run(sql, (self._places.one(memory_id), memory_id, content)) > 0
