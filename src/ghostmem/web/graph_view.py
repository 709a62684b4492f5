"""A namespace, or the neighbourhood of a memory, as nodes and edges to draw."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from ghostmem.grouping import components, grouped
from ghostmem.model import Edge, Memory, NsFilter, Rel
from ghostmem.store import Filter, Store, Transaction, find, validate
from ghostmem.text.excerpt import summary_line
from ghostmem.web.rows import Row, nonempty, picked

MAX_SUMMARY = 100
EDGES_PER_NODE = 6  # drawn on average; the heaviest are kept


def graph(
    store: Store, ns: str, key: str | None = None, *, depth: int = 1, limit: int = 500
) -> Row:
    """Return the best connected memories of a namespace, or those within `depth` steps of `key`.

    The answer has nodes and edges, whose ends are positions in the list of nodes, and their total
    numbers. The least connected nodes and the lightest edges are left out first.
    """
    name = validate.namespace(ns)
    validate.positive(limit, "limit")
    now = store.clock()
    with store.engine.read() as tx:
        every = list(tx.graph.of_namespace(name, now))
        degree = Counter(end for edge in every for end in (edge.from_id, edge.to_id))
        ids = (
            sorted(degree, key=lambda id_: (-degree[id_], id_))[:limit]
            if key is None
            else _around(every, find(tx, name, validate.text(key, "key"), now).id, depth, limit)
        )
        found = tx.memories.by_ids(ids)
        rows = {id_: found[id_] for id_ in ids if id_ in found}
        if key is None:
            rows |= _unlinked(tx, name, now, rows, limit - len(rows))
        total = tx.listing.count(Filter(ns=NsFilter(name), now=now))
    group = _groups(every, rows)
    order = {id_: place for place, id_ in enumerate(rows)}
    lines = [
        {
            "source": order[edge.from_id],
            "target": order[edge.to_id],
            "rel": edge.rel,
            "weight": round(edge.weight, 3),
            **({"automatic": True} if edge.automatic else {}),
        }
        for edge in sorted(every, key=lambda edge: -edge.weight)
        if edge.from_id in order and edge.to_id in order
    ]
    return {
        "ns": name,
        "nodes": [_node(row, degree[id_], group.get(id_)) for id_, row in rows.items()],
        "edges": lines[: limit * EDGES_PER_NODE],
        "total_nodes": total,
        "total_edges": len(every),
        "clusters": len(set(group.values())),
    }


def _unlinked(
    tx: Transaction, ns: str, now: datetime, rows: Iterable[str], room: int
) -> dict[str, Memory]:
    """Return the newest memories without edges, at most `room`."""
    if room <= 0:
        return {}
    drawn = set(rows)
    newest = tx.listing.select(Filter(ns=NsFilter(ns), now=now), room + len(drawn))
    return {memory.id: memory for memory in [m for m in newest if m.id not in drawn][:room]}


def _around(edges: list[Edge], start: str, depth: int, limit: int) -> list[str]:
    """Return the memories around one, breadth first, heaviest edges first."""
    beside = grouped(
        (start, (-edge.weight, end))
        for edge in edges
        for start, end in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id))
    )
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
    groups = sorted(components(alike), key=lambda ids: (-len(ids), min(ids)))
    return {id_: number for number, group in enumerate(groups) for id_ in group}


def _node(memory: Memory, degree: int, cluster: int | None) -> Row:
    """Return a memory to draw; `cluster` numbers its group, `degree` counts all its edges."""
    source = memory.source_user or memory.source_client or memory.source_kind
    return {
        "key": memory.key,
        "summary": summary_line(memory.content, MAX_SUMMARY),
        **picked(memory, "kind tier"),
        "importance": round(memory.importance, 3),
        "degree": degree,
        **({} if cluster is None else {"cluster": cluster}),
        **nonempty(memory, "pinned tags"),
        **({"source": source} if source else {}),
    }
