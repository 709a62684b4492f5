"""Edges and the original Ghost's links."""

from collections.abc import Iterator

import apsw

from ghostmem.edges import Edge, Link
from ghostmem.model import Rel
from ghostmem.times import format_time, read_time

_EDGE = "from_id, to_id, rel, weight, access_count, last_accessed_at, created_at"


class SqliteGraph:
    """Edges and legacy links between memories."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def edges(self, memory_id: str | None = None) -> Iterator[Edge]:
        """List edges in a stable order; with an id, those that touch that memory."""
        where = "" if memory_id is None else "WHERE from_id = ?1 OR to_id = ?1"
        sql = f"SELECT {_EDGE} FROM memory_edges {where} ORDER BY from_id, to_id, rel"
        for start, to, rel, weight, count, last, created in self._db.execute(sql, () if memory_id is None else (memory_id,)):
            yield Edge(start, to, Rel(rel), weight, read_time(created), count, read_time(last) if last else None)

    def links(self) -> Iterator[Link]:
        """List legacy links in a stable order."""
        sql = "SELECT from_id, to_id, rel, created_at FROM memory_links ORDER BY from_id, to_id, rel"
        for start, to, rel, created in self._db.execute(sql):
            yield Link(start, to, Rel(rel), read_time(created))

    def add_edge(self, edge: Edge) -> bool:
        """Add an edge; False when the same one is already there."""
        self._db.execute(
            f"INSERT OR IGNORE INTO memory_edges ({_EDGE}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                edge.from_id,
                edge.to_id,
                edge.rel.value,
                edge.weight,
                edge.access_count,
                format_time(edge.last_accessed_at) if edge.last_accessed_at else None,
                format_time(edge.created_at),
            ),
        )
        return self._db.changes() > 0

    def add_link(self, link: Link) -> bool:
        """Add a legacy link; False when it is already there."""
        row = (link.from_id, link.to_id, link.rel.value, format_time(link.created_at))
        self._db.execute("INSERT OR IGNORE INTO memory_links VALUES (?, ?, ?, ?)", row)
        return self._db.changes() > 0

    def relink(self, old_id: str, new_id: str) -> None:
        """Move everything that touches one version of a memory to the next."""
        for table in ("memory_edges", "memory_links"):
            for column in ("from_id", "to_id"):
                self._db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new_id, old_id))
