"""Edges, and the links of the original Ghost."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import REASONING, Edge, Link, Memory, Rel, Tie
from ghostmem.store.database import Database, Part, StoreTable
from ghostmem.store.filters import LIVE, OPEN, UNEXPIRED
from ghostmem.store.memories import Memories
from ghostmem.store.records import RowType

_EDGE = RowType("memory_edges", Edge)
_LINK = RowType("memory_links", Link)
_COLUMNS = ", ".join(f"e.{name}" for name in _EDGE.names)
_RELS = {str(rel): rel for rel in Rel}
_CURRENT = " AND ".join(
    part.replace("m.", f"{side}.") for side in "ab" for part in (LIVE, UNEXPIRED)
)
_BOTH_OPEN = " AND ".join(OPEN.replace("m.", f"{side}.") for side in "ab")
_TYPED = ", ".join(f"'{rel}'" for rel in REASONING)
_TIE = "SELECT from_id, to_id, rel, weight, automatic FROM memory_edges WHERE"
_EITHER_WAY = (
    "(({0}.from_id = e.from_id AND {0}.to_id = e.to_id)"
    " OR ({0}.from_id = e.to_id AND {0}.to_id = e.from_id))"
)


class EdgeTable(StoreTable):
    """Edges and legacy links between memories."""

    def __init__(self, db: Database, memories: Memories) -> None:
        super().__init__(db)
        self._memories = memories
        # the edges between live memories of one namespace, bound with its name and the time twice
        self._live_edges = (
            f"FROM memories a {self._sql.ordered_join} memory_edges e"
            f" ON {self._sql.same_ns('e', 'a')}e.from_id = a.id"
            f" {self._sql.ordered_join} memories b ON b.ns = a.ns AND b.id = e.to_id"
            f" WHERE a.ns = ? AND {_CURRENT}"
        )

    def _about_edge(
        self, sql: str, from_id: str, to_id: str, rel: Rel, before: Sequence[Any] = ()
    ) -> Part:
        condition = ":ns from_id = ? AND to_id = ? AND rel = ?"
        return self._scoped(f"{sql} WHERE {condition}", from_id, to_id, rel.value, before=before)

    def edges(self, memory_id: str | None = None) -> Iterator[Edge]:
        """List edges in a stable order; with an id, those that touch that memory."""
        touching = "WHERE :ns (from_id = ? OR to_id = ?)"
        condition, values = (
            self._scoped(touching, memory_id, memory_id) if memory_id is not None else ("", [])
        )
        sql = f"SELECT {_EDGE.columns} FROM memory_edges {condition} ORDER BY from_id, to_id, rel"
        yield from map(_EDGE.read, self._db.iterate(sql, values))

    def edge(self, from_id: str, to_id: str, rel: Rel) -> Edge | None:
        """Return one edge."""
        return next(iter(_EDGE.select(self._db, *self._about_edge("", from_id, to_id, rel))), None)

    def touching(self, ids: Iterable[str], rels: Iterable[Rel] = ()) -> list[Tie]:
        """List the edges that start or end at one of these memories, in a stable order.

        With `rels`, only edges of those relations are listed."""
        only = ", ".join(f"'{rel.value}'" for rel in rels)
        kind = f" AND rel IN ({only})" if only else ""
        if not (wanted := sorted(set(ids))):
            return []
        condition, values = self._scoped(f":ns {{}} {self._sql.among}{kind}", wanted)
        starting, ending = (f"{_TIE} {condition.format(end)}" for end in ("from_id", "to_id"))
        rows = self._db.rows(f"{starting} UNION ALL {ending}", [*values, *values])
        return [
            Tie(start, to, _RELS[rel], weight, bool(automatic))
            for start, to, rel, weight, automatic in sorted(set(rows))  # each has two ends
        ]

    def of_namespace(self, ns: str, now: datetime, rel: Rel | None = None) -> Iterator[Edge]:
        """Yield the edges between live memories of a namespace, in a stable order."""
        only, values = ("AND e.rel = ?", [rel.value]) if rel else ("", [])
        sql = f"SELECT {_COLUMNS} {self._live_edges} {only} ORDER BY 1, 2, 3"
        return map(_EDGE.read, self._db.iterate(sql, [ns, *[format_time(now)] * 2, *values]))

    def contradicting(self, now: datetime) -> Iterator[tuple[str, str, str]]:
        """Yield (namespace, from, to) of current memories that contradict, in all namespaces.

        It reads the edges first: few of them contradict, and most memories have no such edge."""
        yield from self._db.iterate(
            f"SELECT a.ns, e.from_id, e.to_id FROM memory_edges e {self._sql.ordered_join}"
            f" memories a ON {self._sql.same_ns('e', 'a')}a.id = e.from_id"
            f" {self._sql.ordered_join} memories b ON b.ns = a.ns AND b.id = e.to_id"
            f" WHERE e.rel = ? AND {_CURRENT} AND {_BOTH_OPEN}",
            [Rel.CONTRADICTS.value, *[format_time(now)] * 4],
        )

    def ties(self, ns: str, now: datetime, rels: Iterable[Rel] = ()) -> Iterator[Tie]:
        """Yield the edges between live memories of a namespace, in no order.

        With `rels`, only edges of those relations are yielded."""
        only = ", ".join(f"'{rel.value}'" for rel in rels)
        kind = f" AND e.rel IN ({only})" if only else ""
        for start, to, rel, weight, automatic in self._db.iterate(
            f"SELECT e.from_id, e.to_id, e.rel, e.weight, e.automatic {self._live_edges}{kind}",
            (ns, *[format_time(now)] * 2),
        ):
            yield Tie(start, to, _RELS[rel], weight, bool(automatic))

    def links(self) -> Iterator[Link]:
        """List legacy links in a stable order."""
        sql = f"SELECT {_LINK.columns} FROM memory_links ORDER BY from_id, to_id, rel"
        yield from map(_LINK.read, self._db.iterate(sql))

    def add_edge(self, edge: Edge) -> bool:
        """Add an edge; return False when it exists."""
        row = _EDGE.write(edge)
        return self._db.change(*self._inserted("memory_edges", _EDGE.names, edge.from_id, row)) > 0

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Add edges that do not exist."""
        rows = [(*self._owner(edge.from_id), *_EDGE.write(edge)) for edge in edges]
        self._db.run_many(self._sql.insert("memory_edges", _EDGE.names), rows)

    def put_edge(self, edge: Edge) -> bool:
        """Add an edge, or set the weight of the existing one and return False."""
        if self.add_edge(edge):
            return True
        self._db.run(
            *self._about_edge(
                "UPDATE memory_edges SET weight = ?, automatic = ?",
                edge.from_id,
                edge.to_id,
                edge.rel,
                before=(edge.weight, int(edge.automatic)),
            )
        )
        return False

    def remove_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge and its legacy link; return False when there is neither."""
        gone = self.drop_edge(from_id, to_id, rel)
        link = self._about_edge("DELETE FROM memory_links", from_id, to_id, rel)
        return self._db.change(*link) > 0 or gone

    def drop_edge(self, from_id: str, to_id: str, rel: Rel) -> bool:
        """Remove an edge but not its legacy link; return False when there is none."""
        edge = self._about_edge("DELETE FROM memory_edges", from_id, to_id, rel)
        return self._db.change(*edge) > 0

    def add_link(self, link: Link) -> bool:
        """Add a legacy link; return False when it exists."""
        row = _LINK.write(link)
        return self._db.change(*self._inserted("memory_links", _LINK.names, link.from_id, row)) > 0

    def relink(self, old_id: str, new_id: str) -> None:
        """Move the edges and links of one version of a memory to the next."""
        for table in ("memory_edges", "memory_links"):
            for column in ("from_id", "to_id"):
                sql = f"UPDATE {table} SET {column} = ? WHERE :ns {column} = ?"
                self._db.run(*self._scoped(sql, old_id, before=[new_id]))
        self.linked([old_id])

    def strengthen(self, ids: Iterable[str], rate: float, at: datetime) -> int:
        """Move the weight of every edge between these memories towards 1 and count its use."""
        wanted = list(ids)
        sql = (
            f"UPDATE memory_edges SET weight = {self._sql.least}(1.0, weight + ? * (1.0 - weight)),"
            " access_count = access_count + 1, last_accessed_at = ?"
            f" WHERE :ns from_id {self._sql.among}"
            f" AND {self._sql.unindexed}to_id {self._sql.among} AND rel <> 'merged_into'"
        )
        return self._db.change(
            *self._scoped(sql, wanted, self._sql.array(wanted), before=[rate, format_time(at)])
        )

    def _alike(self, ns: str, now: datetime, seeds: Sequence[str]) -> tuple[str, list[Any]]:
        """Return the condition for pairs of live memories that relate, and its values.

        Of two edges that point at each other, only the heavier counts."""
        condition = (
            f"{self._live_edges} AND e.rel = 'relates_to' AND NOT EXISTS (SELECT 1 FROM"
            f" memory_edges r WHERE {self._sql.same_ns('r', 'e')}r.from_id = e.to_id"
            " AND r.to_id = e.from_id AND r.rel = e.rel"
            " AND (r.weight, r.from_id) > (e.weight, e.from_id))"
        )
        only = f" AND (a.key {self._sql.among} OR b.key {self._sql.among})" if seeds else ""
        keys = [self._sql.array(seeds)] * 2 if seeds else []
        return condition + only, [ns, *[format_time(now)] * 2, *keys]

    def alike(self, ns: str, now: datetime, seeds: Sequence[str] = ()) -> int:
        """Count the pairs of live memories of a namespace that relate."""
        condition, values = self._alike(ns, now, seeds)
        return int(self._db.get(f"SELECT count(*) {condition}", values))

    def undecided(
        self, ns: str, now: datetime, seeds: Sequence[str] = (), limit: int = -1, again: bool = True
    ) -> list[tuple[Memory, Memory, float]]:
        """List related pairs without a reasoning edge, heaviest first.

        Without `again`, pairs that a model was asked about are left out."""
        condition, values = self._alike(ns, now, seeds)
        condition += (
            f" AND NOT EXISTS (SELECT 1 FROM memory_edges t WHERE {self._sql.same_ns('t', 'e')}"
            f"t.rel IN ({_TYPED}) AND {_EITHER_WAY.format('t')})"
        )
        if not again:
            condition += (
                f" AND NOT EXISTS (SELECT 1 FROM inferences i"
                f" WHERE {self._sql.same_ns('i', 'e')}{_EITHER_WAY.format('i')})"
            )
        order = "ORDER BY e.weight DESC, a.key, b.key LIMIT ?"
        rows = self._db.rows(
            f"SELECT e.from_id, e.to_id, e.weight {condition} {order}",
            [*values, self._sql.no_limit if limit < 0 else limit],
        )
        memories = self._memories.by_ids([end for start, to, _ in rows for end in (start, to)])
        return [(memories[start], memories[to], weight) for start, to, weight in rows]

    def waiting(self) -> set[str]:
        """Return the ids of memories that wait for their links."""
        return set(self._column("SELECT memory_id FROM unlinked"))

    def waiting_chunks(self, ns: str) -> list[int]:
        """Return the chunks of a namespace's memories that wait for their links."""
        return self._column(
            f"SELECT c.id FROM unlinked u {self._sql.ordered_join} chunks c"
            f" ON {self._sql.same_ns('c', 'u')}c.memory_id = u.memory_id"
            f" WHERE {self._sql.of_ns('c.')}",
            (ns,),
        )

    def unlinked(self, limit: int, ns: str | None = None) -> list[Memory]:
        """List memories that wait for their links and have vectors, or are removed, oldest first.

        With `ns`, only memories of that namespace are listed."""
        same_ns = self._sql.same_ns
        rows = self._db.rows(
            f"SELECT u.memory_id FROM unlinked u {self._sql.ordered_join} memories m"
            f" ON {same_ns('m', 'u')}m.id = u.memory_id"
            f" WHERE {'true' if ns is None else 'm.ns = ?'} AND (m.deleted_at IS NOT NULL"
            f" OR EXISTS (SELECT 1 FROM chunks c JOIN vectors v ON {same_ns('v', 'c')}"
            f"v.chunk_id = c.id WHERE {same_ns('c', 'u')}c.memory_id = u.memory_id))"
            " ORDER BY u.memory_id LIMIT ?",
            (*([] if ns is None else [ns]), limit),
        )
        memories = self._memories.by_ids([memory_id for (memory_id,) in rows])
        return [memories[memory_id] for memory_id in sorted(memories)]

    def linked(self, ids: Sequence[str]) -> None:
        """Record that memories have their links."""
        self._db.run(
            *self._scoped(f"DELETE FROM unlinked WHERE :ns memory_id {self._sql.among}", ids)
        )

    def note_inference(
        self, from_id: str, to_id: str, answer: str, model: str, at: datetime
    ) -> None:
        """Record a model's answer about a pair, so that it is not asked again."""
        names = ("from_id", "to_id", "answer", "model", "at")
        row = (from_id, to_id, answer, model, format_time(at))
        self._db.run(*self._inserted("inferences", names, from_id, row, replace=True))
