"""The quarantine."""

from typing import Any

from ghostmem.model import Held, NsFilter
from ghostmem.store.database import StoreTable
from ghostmem.store.filters import LAST, ns_part
from ghostmem.store.records import RowType

_HELD = RowType("quarantine", Held)


class Quarantine(StoreTable):
    """Texts that are not trusted, in a table that no index and no retrieval reads."""

    def add(self, held: Held) -> None:
        """Add an item."""
        sql = self._sql.insert("quarantine", _HELD.names, replace=True)
        self._db.run(sql, _HELD.write(held))

    def get(self, held_id: str) -> Held | None:
        """Return the item with an id, from any namespace."""
        return next(iter(self._read("id = ?", [held_id])), None)

    def all(self, ns: NsFilter) -> list[Held]:
        """List the items of some namespaces, oldest first."""
        return self._read(*ns_part(ns, "ns"))

    def at_key(self, ns: str, key: str) -> list[Held]:
        """List the items for one key, oldest first."""
        return self._read("ns = ? AND key = ?", [ns, key])

    def under_key(self, ns: str, prefix: str) -> list[Held]:
        """List the items for keys with a prefix, oldest first."""
        return self._read("ns = ? AND key >= ? AND key < ?", [ns, prefix, prefix + LAST])

    def drop(self, held_id: str) -> bool:
        """Delete an item for good; return False when there is none."""
        ns = self._db.get("SELECT ns FROM quarantine WHERE id = ?", (held_id,))
        sql = "DELETE FROM quarantine WHERE ns = ? AND id = ?"
        return ns is not None and self._db.run(sql, (ns, held_id)) > 0

    def _read(self, where: str, values: list[Any]) -> list[Held]:
        sql = f"SELECT {_HELD.columns} FROM quarantine WHERE {where} ORDER BY at, id"
        return [_HELD.read(row) for row in self._db.rows(sql, values)]
