"""Edges and the original Ghost's links."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.model import REASONING, Edge, Link, Memory, Rel, Tie
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.memories import PostgresMemories
from ghostmem.store.postgres.places import Places
from ghostmem.store.postgres.where import LIVE, UNEXPIRED
from ghostmem.store.records import EDGE, edge_of, edge_row

_COLUMNS = ", ".join(f"e.{name}" for name in EDGE.split(", "))
_RELS = {str(rel): rel for rel in Rel}
_THIS = "ns = %s AND from_id = %s AND to_id = %s AND rel = %s"
_LIVE_EDGES = (  # of one namespace, bound with its name and the time twice
    "FROM memories a JOIN memory_edges e ON e.ns = a.ns AND e.from_id = a.id JOIN memories "
    "b ON b.ns = e.ns AND b.id = e.to_id"
    " WHERE a.ns = %s AND "
    + " AND ".join(part.replace("m.", f"{side}.") for side in "ab" for part in (LIVE, UNEXPIRED))
)
_TYPED = ", ".join(f"'{rel}'" for rel in REASONING)


class PostgresGraph:
    """Edges and legacy links between memories."""

    def __init__(self, db: Db, places: Places, memories: PostgresMemories) -> None:
        self._db = db
        self._places = places
        self._memories = memories

    def edges(self, memory_id: str | None = None) -> Iterator[Edge]:
        """List edges in a stable order; with an id, those that touch that memory."""
        where, values = "", tuple[str | None, ...]()
        if memory_id is not None:
            where = "WHERE ns = %s AND (from_id = %s OR to_id = %s)"
            values = (self._places.one(memory_id), memory_id, memory_id)
        sql = f"SELECT {EDGE} FROM memory_edges {where} ORDER BY from_id, to_id, rel"
        yield from map(edge_of, self._db.rows(sql, values))

    def edge(self, from_id: str, to_id: str, rel: Rel) -> Edge | None:
        """Return one edge."""
        row = self._db.row(
            f"SELECT {EDGE} FROM memory_edges WHERE {_THIS}", self._key(from_id, to_id, rel)
        )
        return None if row is None else edge_of(row)

    def _key(self, from_id: str, to_id: str, rel: Rel) -> tuple[str | None, str, str, str]:
        return (self._places.one(from_id), from_id, to_id, rel.value)

    def touching(self, ids: Iterable[str], rels: Iterable[Rel] = ()) -> list[Tie]:
        """List the edges that start or end at one of these memories, in a stable order.

        With `rels`, only of those relations.
        """
        only = ", ".join(f"'{rel.value}'" for rel in rels)
        kind = f" AND rel IN ({only})" if only else ""
        sql = (
            "SELECT from_id, to_id, rel, weight FROM memory_edges WHERE ns = %s AND "
            f"from_id = ANY(%s){kind}"
            " UNION SELECT from_id, to_id, rel, weight FROM memory_edges WHERE ns = %s "
            f"AND to_id = ANY(%s){kind}"
        )
        found: list[Tie] = []
        for ns, given in self._places.of(ids).items():
            for start, to, rel, weight in self._db.rows(sql, (ns, given, ns, given)):
                self._places.saw(ns, (start, to))
                found.append(Tie(start, to, _RELS[rel], weight))
        return sorted(found, key=lambda tie: (tie.from_id, tie.to_id, str(tie.rel)))

    def of_namespace(self, ns: str, now: datetime, rel: Rel | None = None) -> list[Edge]:
        """List the edges between live memories of a namespace, in a stable order."""
        sql = f"SELECT {_COLUMNS} {_LIVE_EDGES} {'AND e.rel = %s' if rel else ''} ORDER BY 1, 2, 3"
        at = format_time(now)
        found = [
            edge_of(row) for row in self._db.rows(sql, [ns, at, at, *([rel.value] if rel else [])])
        ]
        self._places.saw(ns, (end for edge in found for end in (edge.from_id, edge.to_id)))
        return found

    def links(self) -> Iterator[Link]:
        """List legacy links in a stable order."""
        sql = (
            "SELECT from_id, to_id, rel, created_at FROM memory_links ORDER BY from_id, to_id, rel"
        )
        for start, to, rel, created in self._db.rows(sql):
            yield Link(start, to, Rel(rel), read_time(created))

    def add_edge(self, edge: Edge) -> bool:
        """Add an edge; False when the same one is already there."""
        marks = ", ".join(["%s"] * 9)
        sql = f"INSERT INTO memory_edges (ns, {EDGE}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        return self._db.run(sql, (self._places.one(edge.from_id), *edge_row(edge))) > 0

    def put_edge(self, edge: Edge) -> bool:
        """Add an edge, or give the same one this weight; False when it was there."""
        if self.add_edge(edge):
            return True
        sql = f"UPDATE memory_edges SET weight = %s, automatic = %s WHERE {_THIS}"
        self._db.run(
            sql, (edge.weight, int(edge.automatic), *self._key(edge.from_id, edge.to_id, edge.rel))
        )
        return False

    def remove_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge and the legacy link beside it; False when there is neither."""
        gone = self.drop_edge(from_id, to_id, rel)
        return (
            self._db.run(f"DELETE FROM memory_links WHERE {_THIS}", self._key(from_id, to_id, rel))
            > 0
            or gone
        )

    def drop_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge alone; False when there is none."""
        return (
            self._db.run(f"DELETE FROM memory_edges WHERE {_THIS}", self._key(from_id, to_id, rel))
            > 0
        )

    def add_link(self, link: Link) -> bool:
        """Add a legacy link; False when it is already there."""
        row = (
            self._places.one(link.from_id),
            link.from_id,
            link.to_id,
            link.rel.value,
            format_time(link.created_at),
        )
        sql = (
            "INSERT INTO memory_links (ns, from_id, to_id, rel, created_at) VALUES (%s, "
            "%s, %s, %s, %s) ON CONFLICT DO NOTHING"
        )
        return self._db.run(sql, row) > 0

    def relink(self, old_id: str, new_id: str) -> None:
        """Move everything that touches one version of a memory to the next."""
        ns = self._places.one(old_id)
        for table in ("memory_edges", "memory_links"):
            for column in ("from_id", "to_id"):
                self._db.run(
                    f"UPDATE {table} SET {column} = %s WHERE ns = %s AND {column} = %s",
                    (new_id, ns, old_id),
                )
        self.linked([old_id])

    def strengthen(self, ids: Iterable[str], rate: float, at: datetime) -> int:
        """Bring every edge between two of these memories nearer to 1 by a share of what is missing,
        and count it.
        """
        sql = (
            "UPDATE memory_edges SET weight = least(1.0, weight + %s * (1.0 - weight)), "
            "access_count = access_count + 1,"
            " last_accessed_at = %s WHERE ns = %s AND from_id = ANY(%s) AND to_id = "
            "ANY(%s) AND rel <> 'merged_into'"
        )
        by_ns = self._places.of(ids)
        return sum(
            self._db.run(sql, (rate, format_time(at), ns, by_ns[ns], by_ns[ns]))
            for ns in sorted(by_ns)
        )

    def alike(self, ns: str, now: datetime, seeds: Sequence[str] = ()) -> int:
        """Count the pairs of live memories of a namespace that relate."""
        where, values = _alike(ns, now, seeds)
        found: int = self._db.get(f"SELECT count(*) {where}", values)
        return found

    def undecided(
        self, ns: str, now: datetime, seeds: Sequence[str] = (), limit: int = -1, again: bool = True
    ) -> list[tuple[Memory, Memory, float]]:
        """List pairs that relate, heaviest first, and have no reasoning edge.

        Without `again`, only those never asked about.
        """
        where, values = _alike(ns, now, seeds)
        where += (
            " AND NOT EXISTS (SELECT 1 FROM memory_edges t WHERE t.ns = e.ns AND t.rel IN "
            f"({_TYPED}) AND"
            " ((t.from_id = e.from_id AND t.to_id = e.to_id) OR (t.from_id = e.to_id AND "
            "t.to_id = e.from_id)))"
        )
        if not again:
            where += (
                " AND NOT EXISTS (SELECT 1 FROM inferences i WHERE i.ns = e.ns AND "
                "((i.from_id = e.from_id AND i.to_id = e.to_id)"
                " OR (i.from_id = e.to_id AND i.to_id = e.from_id)))"
            )
        sql = (
            f"SELECT e.from_id, e.to_id, e.weight {where} ORDER BY e.weight DESC, a.key, "
            "b.key LIMIT %s"
        )
        rows = self._db.rows(sql, [*values, None if limit < 0 else limit])
        self._places.saw(ns, (end for start, to, _ in rows for end in (start, to)))
        found = self._memories.by_ids([end for start, to, _ in rows for end in (start, to)])
        return [(found[start], found[to], weight) for start, to, weight in rows]

    def waiting(self) -> set[str]:
        """Return which memories wait for their links."""
        rows = self._db.rows("SELECT ns, memory_id FROM unlinked")
        for ns, memory_id in rows:
            self._places.saw(ns, (memory_id,))
        return {memory_id for _, memory_id in rows}

    def waiting_chunks(self, ns: str) -> list[int]:
        """Return the chunks of a namespace's memories that wait for their links."""
        sql = (
            "SELECT c.id FROM unlinked u JOIN chunks c ON c.ns = u.ns AND c.memory_id = "
            "u.memory_id WHERE u.ns = %s"
        )
        found = [number for (number,) in self._db.rows(sql, (ns,))]
        self._places.saw_chunks(ns, found)
        return found

    def unlinked(self, limit: int, ns: str | None = None) -> list[Memory]:
        """List memories that wait for their links and have vectors, or are gone, oldest first.

        With `ns`, only of that.
        """
        sql = (
            "SELECT u.ns, u.memory_id FROM unlinked u JOIN memories m ON m.ns = u.ns AND "
            "m.id = u.memory_id"
            f" WHERE {'true' if ns is None else 'u.ns = %s'} AND (m.deleted_at IS NOT NULL "
            "OR EXISTS"
            " (SELECT 1 FROM chunks c JOIN vectors v ON v.ns = c.ns AND v.chunk_id = c.id "
            "WHERE c.ns = u.ns AND"
            " c.memory_id = u.memory_id)) ORDER BY u.memory_id LIMIT %s"
        )
        rows = self._db.rows(sql, (*([] if ns is None else [ns]), limit))
        for place, memory_id in rows:
            self._places.saw(place, (memory_id,))
        found = self._memories.by_ids([memory_id for _, memory_id in rows])
        return [found[id_] for id_ in sorted(found)]

    def linked(self, ids: Sequence[str]) -> None:
        """Say that memories have their links."""
        for ns, given in sorted(self._places.of(ids).items()):
            self._db.run("DELETE FROM unlinked WHERE ns = %s AND memory_id = ANY(%s)", (ns, given))

    def note_inference(
        self, from_id: str, to_id: str, answer: str, model: str, at: datetime
    ) -> None:
        """Remember what a model said about a pair, so that it is not asked again."""
        self._db.run(
            "INSERT INTO inferences (ns, from_id, to_id, answer, model, at) VALUES (%s, "
            "%s, %s, %s, %s, %s)"
            " ON CONFLICT (ns, from_id, to_id) DO UPDATE SET answer = excluded.answer, "
            "model = excluded.model, at = excluded.at",
            (self._places.one(from_id), from_id, to_id, answer, model, format_time(at)),
        )


def _alike(ns: str, now: datetime, seeds: Sequence[str]) -> tuple[str, list[Any]]:
    """Return which edges are pairs of live memories that relate.

    Of two that point at each other, only the heavier.
    """
    where = (
        f"{_LIVE_EDGES} AND e.rel = 'relates_to' AND NOT EXISTS"
        " (SELECT 1 FROM memory_edges r WHERE r.ns = e.ns AND r.from_id = e.to_id AND "
        "r.to_id = e.from_id"
        " AND r.rel = e.rel AND (r.weight, r.from_id) > (e.weight, e.from_id))"
    )
    at = format_time(now)
    values: list[Any] = [ns, at, at]
    if seeds:
        where += " AND (a.key = ANY(%s) OR b.key = ANY(%s))"
        values += [list(seeds), list(seeds)]
    return where, values
