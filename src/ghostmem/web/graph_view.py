"""graph: a namespace, or the surroundings of one memory, as nodes and edges that can be drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.graph.components import components
from ghostmem.model import Kind, Memory, NsFilter, Record, Rel, Tier, optional
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.excerpt import summary_line

if TYPE_CHECKING:
    from ghostmem.model import Edge
    from ghostmem.store.protocol import Transaction

SUMMARY = 100  # characters of a node's first line
PER_NODE = 6  # edges drawn for each node, on average; the heaviest are kept


@dataclass(frozen=True, eq=False, repr=False)
class Node(Record):
    """A memory to be drawn; `cluster` numbers the group of alike ones it is in, `degree` counts all
    its edges.
    """

    key: str
    summary: str
    kind: Kind
    tier: Tier
    importance: float
    degree: int
    cluster: int | None = optional()
    pinned: bool = optional(False)
    tags: tuple[str, ...] = optional(())


@dataclass(frozen=True, eq=False, repr=False)
class Line(Record):
    """An edge between the nodes that stand at these places in the list."""

    source: int
    target: int
    rel: Rel
    weight: float
    automatic: bool = optional(False)


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Record):
    """Nodes and edges, and how many there are in all.

    What is left out is what has the fewest edges, and the lightest edges.
    """

    ns: str
    nodes: tuple[Node, ...]
    edges: tuple[Line, ...]
    total_nodes: int
    total_edges: int
    clusters: int


def graph(
    store: Store, ns: str, key: str | None = None, *, depth: int = 1, limit: int = 500
) -> Graph:
    """Return the best connected memories of a namespace with their edges, or with `key` those
    within so many steps of it.
    """
    name = validate.namespace(ns)
    validate.positive(limit, "limit")
    now = store.clock()
    with store.engine.read() as tx:
        every = tx.graph.of_namespace(name, now)
        degree = Counter(end for edge in every for end in (edge.from_id, edge.to_id))
        if key is None:
            ids = [
                id_ for id_, _ in sorted(degree.items(), key=lambda one: (-one[1], one[0]))[:limit]
            ]
        else:
            ids = _around(every, find(tx, name, validate.text(key, "key"), now).id, depth, limit)
        found = tx.memories.by_ids(ids)
        rows = {id_: found[id_] for id_ in ids if id_ in found}
        if key is None:
            rows |= _unlinked(tx, name, now, rows, limit - len(rows))
        total = tx.listing.count(Filter(ns=NsFilter(name), now=now))
    group = _groups(every, rows)
    order = {id_: place for place, id_ in enumerate(rows)}
    nodes = tuple(
        _node(memory, degree[memory.id], group.get(memory.id)) for memory in rows.values()
    )
    lines = [
        Line(
            order[edge.from_id], order[edge.to_id], edge.rel, round(edge.weight, 3), edge.automatic
        )
        for edge in sorted(every, key=lambda one: -one.weight)
        if edge.from_id in order and edge.to_id in order
    ]
    return Graph(
        name, nodes, tuple(lines[: limit * PER_NODE]), total, len(every), len(set(group.values()))
    )


def _unlinked(
    tx: Transaction, ns: str, now: datetime, rows: Iterable[str], room: int
) -> dict[str, Memory]:
    """Return the newest memories that no edge touches, as far as there is room for them."""
    known = set(rows)
    if room <= 0:
        return {}
    found = tx.listing.select(Filter(ns=NsFilter(ns), now=now), room + len(known))
    return {memory.id: memory for memory in [one for one in found if one.id not in known][:room]}


def _around(edges: list[Edge], start: str, depth: int, limit: int) -> list[str]:
    """Walk from one memory, heaviest edges first, and return what is reached in that order."""
    beside: dict[str, list[tuple[float, str]]] = {}
    for edge in edges:
        beside.setdefault(edge.from_id, []).append((-edge.weight, edge.to_id))
        beside.setdefault(edge.to_id, []).append((-edge.weight, edge.from_id))
    seen, rim = {start: None}, [start]
    for _ in range(depth):
        fresh = dict.fromkeys(
            other for id_ in rim for _, other in sorted(beside.get(id_, ())) if other not in seen
        )
        rim = list(fresh)[: max(0, limit - len(seen))]
        seen |= dict.fromkeys(rim)
    return list(seen)


def _groups(edges: list[Edge], rows: Iterable[str]) -> dict[str, int]:
    """Number the groups of alike memories that are drawn, largest first."""
    drawn = set(rows)
    alike = [
        (e.from_id, e.to_id)
        for e in edges
        if e.rel == Rel.RELATES_TO and e.from_id in drawn and e.to_id in drawn
    ]
    groups = sorted(components(alike), key=lambda one: (-len(one), min(one)))
    return {id_: number for number, group in enumerate(groups) for id_ in group}


def _node(memory: Memory, degree: int, cluster: int | None) -> Node:
    summary = summary_line(memory.content, SUMMARY)
    fields = (
        memory.kind,
        memory.tier,
        round(memory.importance, 3),
        degree,
        cluster,
        memory.pinned,
        memory.tags,
    )
    return Node(memory.key, summary, *fields)
