"""Reads for ranking: namespaces, postings, substrings, candidates and their neighbours."""

from collections.abc import Iterable

from ghostmem.store.database import StoreTable
from ghostmem.store.rows import Space

CANDIDATE = (  # the columns of a candidate except its text, which stands in the place of {}
    "SELECT c.id, c.memory_id, c.seq, c.start, c.stop, c.start_line, c.end_line, c.terms,"
    " c.thread_id, c.place, {}, m.created_at, m.source_user, m.kind, m.key, m.priority, m.tags"
)


class SearchTable(StoreTable):
    """The reads for ranking that are the same in every engine; see `protocol.Search`."""

    def spaces(self, names: Iterable[str]) -> list[Space]:
        """Return the numbers of namespaces that ranking needs."""
        name = self._sql.ns_name
        sql = f"SELECT id, {name}, sequence, chunks, length FROM namespaces WHERE {name}"
        given = list(names)
        if len(given) == 1:
            rows = self._db.rows(f"{sql} = ?", given)
        else:
            array = self._sql.array(given)
            rows = self._db.rows(f"{sql} {self._sql.among} ORDER BY {name}", (array,))
        return [Space(*row) for row in rows]

    def names(self, prefix: str) -> list[str]:
        """Return the namespaces with a prefix that hold chunks."""
        name = self._sql.ns_name
        starts, values = self._sql.starts(name, prefix)
        sql = f"SELECT {name} FROM namespaces WHERE chunks > 0 AND {starts} ORDER BY {name}"
        return [row[0] for row in self._db.rows(sql, values)]

    def sources(self, ns: str, limit: int = 200) -> list[str]:
        """Return the source users of a namespace, by stepping from one name to the next."""
        given = "FROM memories WHERE ns = ? AND source_user IS NOT NULL AND deleted_at IS NULL"
        sql = (
            f"WITH RECURSIVE s(name) AS (SELECT min(source_user) {given} UNION ALL"
            f" SELECT (SELECT min(source_user) {given} AND source_user > s.name)"
            " FROM s WHERE s.name IS NOT NULL)"
            " SELECT name FROM s WHERE name IS NOT NULL LIMIT ?"
        )
        return [name for (name,) in self._db.rows(sql, (ns, ns, limit))]
