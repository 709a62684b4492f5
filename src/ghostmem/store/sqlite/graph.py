"""Edges and the original Ghost's links."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from ghostmem.clock import format_time, read_time
from ghostmem.model import REASONING, Edge, Link, Memory, Rel, Tie
from ghostmem.store.records import EDGE, edge_of, edge_row
from ghostmem.store.sqlite.memories import SqliteMemories
from ghostmem.store.sqlite.where import LIVE, UNEXPIRED

_COLUMNS = ", ".join(f"e.{name}" for name in EDGE.split(", "))
_RELS = {str(rel): rel for rel in Rel}
_AMONG = "(SELECT value FROM json_each(?))"
_LIVE_EDGES = (  # of one namespace, bound with its name and the time twice
    "FROM memories a CROSS JOIN memory_edges e ON e.from_id = a.id JOIN memories b ON b.id "
    "= e.to_id AND b.ns = a.ns"
    " WHERE a.ns = ? AND "
    + " AND ".join(part.replace("m.", f"{side}.") for side in "ab" for part in (LIVE, UNEXPIRED))
)
_TYPED = ", ".join(f"'{rel}'" for rel in REASONING)


class SqliteGraph:
    """Edges and legacy links between memories."""

    def __init__(self, db: apsw.Connection, memories: SqliteMemories) -> None:
        self._db = db
        self._memories = memories

    def edges(self, memory_id: str | None = None) -> Iterator[Edge]:
        """List edges in a stable order; with an id, those that touch that memory."""
        where = "" if memory_id is None else "WHERE from_id = ?1 OR to_id = ?1"
        sql = f"SELECT {EDGE} FROM memory_edges {where} ORDER BY from_id, to_id, rel"
        yield from map(edge_of, self._db.execute(sql, () if memory_id is None else (memory_id,)))

    def edge(self, from_id: str, to_id: str, rel: Rel) -> Edge | None:
        """Return one edge."""
        sql = f"SELECT {EDGE} FROM memory_edges WHERE from_id = ? AND to_id = ? AND rel = ?"
        row = self._db.execute(sql, (from_id, to_id, rel.value)).fetchone()
        return None if row is None else edge_of(row)

    def touching(self, ids: Iterable[str], rels: Iterable[Rel] = ()) -> list[Tie]:
        """List the edges that start or end at one of these memories, in a stable order.

        With `rels`, only of those relations.
        """
        given = json.dumps(list(ids))
        only = ", ".join(f"'{rel.value}'" for rel in rels)
        kind = f" AND rel IN ({only})" if only else ""
        sql = (
            f"SELECT from_id, to_id, rel, weight FROM memory_edges WHERE from_id IN {_AMONG}{kind}"
            " UNION SELECT from_id, to_id, rel, weight FROM memory_edges WHERE to_id IN "
            f"{_AMONG}{kind} ORDER BY 1, 2, 3"
        )
        return [
            Tie(start, to, _RELS[rel], weight)
            for start, to, rel, weight in self._db.execute(sql, (given, given))
        ]

    def of_namespace(self, ns: str, now: datetime, rel: Rel | None = None) -> list[Edge]:
        """List the edges between live memories of a namespace, in a stable order."""
        sql = f"SELECT {_COLUMNS} {_LIVE_EDGES} {'AND e.rel = ?' if rel else ''} ORDER BY 1, 2, 3"
        at = format_time(now)
        return [
            edge_of(row)
            for row in self._db.execute(sql, [ns, at, at, *([rel.value] if rel else [])])
        ]

    def links(self) -> Iterator[Link]:
        """List legacy links in a stable order."""
        sql = (
            "SELECT from_id, to_id, rel, created_at FROM memory_links ORDER BY from_id, to_id, rel"
        )
        for start, to, rel, created in self._db.execute(sql):
            yield Link(start, to, Rel(rel), read_time(created))

    def add_edge(self, edge: Edge) -> bool:
        """Add an edge; False when the same one is already there."""
        sql = f"INSERT OR IGNORE INTO memory_edges ({EDGE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        self._db.execute(sql, edge_row(edge))
        return self._db.changes() > 0

    def put_edge(self, edge: Edge) -> bool:
        """Add an edge, or give the same one this weight; False when it was there."""
        if self.add_edge(edge):
            return True
        sql = (
            "UPDATE memory_edges SET weight = ?, automatic = ? WHERE from_id = ? AND "
            "to_id = ? AND rel = ?"
        )
        self._db.execute(
            sql, (edge.weight, int(edge.automatic), edge.from_id, edge.to_id, edge.rel.value)
        )
        return False

    def remove_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge and the legacy link beside it; False when there is neither."""
        gone = self.drop_edge(from_id, to_id, rel)
        self._db.execute(
            "DELETE FROM memory_links WHERE from_id = ? AND to_id = ? AND rel = ?",
            (from_id, to_id, rel.value),
        )
        return self._db.changes() > 0 or gone

    def drop_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge alone; False when there is none."""
        self._db.execute(
            "DELETE FROM memory_edges WHERE from_id = ? AND to_id = ? AND rel = ?",
            (from_id, to_id, rel.value),
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
                self._db.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new_id, old_id)
                )
        self.linked([old_id])

    def strengthen(self, ids: Iterable[str], rate: float, at: datetime) -> int:
        """Bring every edge between two of these memories nearer to 1 by a share of what is missing,
        and count it.
        """
        given = json.dumps(list(ids))
        self._db.execute(
            "UPDATE memory_edges SET weight = min(1.0, weight + ? * (1.0 - weight)), "
            "access_count = access_count + 1,"
            f" last_accessed_at = ? WHERE from_id IN {_AMONG} AND +to_id IN {_AMONG} AND "
            "rel <> 'merged_into'",
            (rate, format_time(at), given, given),
        )
        return self._db.changes()

    def alike(self, ns: str, now: datetime, seeds: Sequence[str] = ()) -> int:
        """Count the pairs of live memories of a namespace that relate."""
        where, values = _alike(ns, now, seeds)
        found: int = self._db.execute(f"SELECT count(*) {where}", values).get
        return found

    def undecided(
        self, ns: str, now: datetime, seeds: Sequence[str] = (), limit: int = -1, again: bool = True
    ) -> list[tuple[Memory, Memory, float]]:
        """List pairs that relate, heaviest first, and have no reasoning edge.

        Without `again`, only those never asked about.
        """
        where, values = _alike(ns, now, seeds)
        where += (
            f" AND NOT EXISTS (SELECT 1 FROM memory_edges t WHERE t.rel IN ({_TYPED}) AND"
            " ((t.from_id = e.from_id AND t.to_id = e.to_id) OR (t.from_id = e.to_id AND "
            "t.to_id = e.from_id)))"
        )
        if not again:
            where += (
                " AND NOT EXISTS (SELECT 1 FROM inferences i WHERE (i.from_id = e.from_id "
                "AND i.to_id = e.to_id)"
                " OR (i.from_id = e.to_id AND i.to_id = e.from_id))"
            )
        sql = (
            f"SELECT e.from_id, e.to_id, e.weight {where} ORDER BY e.weight DESC, a.key, "
            "b.key LIMIT ?"
        )
        rows = list(self._db.execute(sql, [*values, limit]))
        found = self._memories.by_ids([end for start, to, _ in rows for end in (start, to)])
        return [(found[start], found[to], weight) for start, to, weight in rows]

    def waiting(self) -> set[str]:
        """Return which memories wait for their links."""
        return {id_ for (id_,) in self._db.execute("SELECT memory_id FROM unlinked")}

    def waiting_chunks(self, ns: str) -> list[int]:
        """Return the chunks of a namespace's memories that wait for their links."""
        sql = (
            "SELECT c.id FROM unlinked u CROSS JOIN chunks c ON c.memory_id = u.memory_id"
            " WHERE c.ns_id = (SELECT id FROM namespaces WHERE name = ?)"
        )
        return [number for (number,) in self._db.execute(sql, (ns,))]

    def unlinked(self, limit: int, ns: str | None = None) -> list[Memory]:
        """List memories that wait for their links and have vectors, or are gone, oldest first.

        With `ns`, only of that.
        """
        sql = (
            "SELECT u.memory_id FROM unlinked u CROSS JOIN memories m ON m.id = u.memory_id"
            f" WHERE {'true' if ns is None else 'm.ns = ?'} AND (m.deleted_at IS NOT NULL OR EXISTS"
            " (SELECT 1 FROM chunks c JOIN vectors v ON v.chunk_id = c.id WHERE "
            "c.memory_id = u.memory_id))"
            " ORDER BY u.memory_id LIMIT ?"
        )
        rows = self._db.execute(sql, (*([] if ns is None else [ns]), limit))
        found = self._memories.by_ids([id_ for (id_,) in rows])
        return [found[id_] for id_ in sorted(found)]

    def linked(self, ids: Sequence[str]) -> None:
        """Say that memories have their links."""
        self._db.execute(
            f"DELETE FROM unlinked WHERE memory_id IN {_AMONG}", (json.dumps(list(ids)),)
        )

    def note_inference(
        self, from_id: str, to_id: str, answer: str, model: str, at: datetime
    ) -> None:
        """Remember what a model said about a pair, so that it is not asked again."""
        row = (from_id, to_id, answer, model, format_time(at))
        self._db.execute("INSERT OR REPLACE INTO inferences VALUES (?, ?, ?, ?, ?)", row)


def _alike(ns: str, now: datetime, seeds: Sequence[str]) -> tuple[str, list[Any]]:
    """Return which edges are pairs of live memories that relate.

    Of two that point at each other, only the heavier.
    """
    where = (
        f"{_LIVE_EDGES} AND e.rel = 'relates_to' AND NOT EXISTS (SELECT 1 FROM "
        "memory_edges r WHERE r.from_id = e.to_id"
        " AND r.to_id = e.from_id AND r.rel = e.rel AND (r.weight, r.from_id) > (e.weight, "
        "e.from_id))"
    )
    at = format_time(now)
    values: list[Any] = [ns, at, at]
    if seeds:
        where += f" AND (a.key IN {_AMONG} OR b.key IN {_AMONG})"
        values += [json.dumps(list(seeds))] * 2
    return where, values
