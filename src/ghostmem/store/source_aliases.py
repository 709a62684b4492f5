"""Spellings of the same person."""

from ghostmem.model import NsFilter, SourceAlias
from ghostmem.store.database import StoreTable
from ghostmem.store.filters import ns_part
from ghostmem.store.records import RowType

_ALIAS = RowType("source_aliases", SourceAlias)


class SourceAliases(StoreTable):
    """The canonical name of a person for each other spelling, by namespace."""

    def all(self, ns: NsFilter) -> list[SourceAlias]:
        """List the aliases of some namespaces in order."""
        condition, values = ns_part(ns, "ns")
        return _ALIAS.select(self._db, f"WHERE {condition} ORDER BY ns, canonical, alias", values)

    def put(self, alias: SourceAlias) -> None:
        """Write an alias, replacing the one with this spelling."""
        _ALIAS.put(self._db, alias)

    def drop(self, alias: SourceAlias) -> bool:
        """Delete an alias; return False when there is none."""
        sql = "DELETE FROM source_aliases WHERE ns = ? AND alias = ?"
        return self._db.change(sql, (alias.ns, alias.alias)) > 0
