"""expand: list summaries, or show the memories that one contains."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.graph.clusters import Cluster, find_clusters
from ghostmem.model import Kind, Memory, Record, Rel, Tier, optional
from ghostmem.store import validate
from ghostmem.store.lookup import count, find
from ghostmem.store.store import Store
from ghostmem.text.excerpt import first_line

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

MAX_DEPTH = 200  # levels that are opened
SUMMARY_LENGTH = 200  # characters of a text in a list


@dataclass(frozen=True, eq=False, repr=False)
class Node(Record):
    """A memory in the tree of summaries: a child with its content, others with a first line."""

    key: str
    kind: Kind
    tier: Tier
    importance: float
    est_tokens: int
    children: int
    content: str = optional("")
    summary: str = optional("")
    nodes: tuple[Node, ...] = optional(())


@dataclass(frozen=True, eq=False, repr=False)
class Expanded(Record):
    """The summaries of a namespace and clusters without one, or one summary with its children."""

    ns: str
    parent: Node | None = optional()
    children: tuple[Node, ...] = optional(())
    nodes: tuple[Node, ...] = optional(())
    clusters: tuple[Cluster, ...] = optional(())


def expand(store: Store, ns: str, key: str | None = None, *, depth: int = 1) -> Expanded:
    """List the summaries of a namespace, newest first, or return the contents of one summary.

    `depth` is the number of levels of nested summaries to open. Memories that are returned whole
    are counted as used."""
    validate.positive(depth, "depth")
    now = store.clock()
    with store.engine.read() as tx:
        if key is None:
            return _overview(tx, validate.namespace(ns), now)
        memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now)
        tree = _Tree(tx, now)
        tree.fetch([memory.id], depth)
        children = tree.below(memory.id, min(depth, MAX_DEPTH), {memory.id})
        parent = _stub(memory, len(tree.children(memory.id)))
    count(store, [memory, *tree.shown.values()], now, used=True)
    return Expanded(ns, parent, children)


def _overview(tx: Transaction, ns: str, now: datetime) -> Expanded:
    counts = Counter(edge.from_id for edge in tx.graph.of_namespace(ns, now, Rel.CONTAINS))
    parents = sorted(
        tx.memories.by_ids(list(counts)).values(), key=lambda m: (-m.created_at.timestamp(), m.key)
    )
    unsummarised = tuple(
        cluster for cluster in find_clusters(tx, ns, now) if cluster.summarised * 2 <= cluster.count
    )
    nodes = tuple(_stub(memory, counts[memory.id]) for memory in parents)
    return Expanded(ns, nodes=nodes, clusters=unsummarised)


class _Tree:
    """Summaries and their contents, fetched level by level."""

    def __init__(self, tx: Transaction, now: datetime) -> None:
        self._tx, self._now = tx, now
        self._children: dict[str, list[Memory]] = defaultdict(list)
        self._fetched: set[str] = set()
        self.shown: dict[str, Memory] = {}

    def fetch(self, ids: list[str], depth: int) -> None:
        """Read the levels that are shown, and one more to count the children of the last."""
        for _ in range(depth + 1):
            todo = {id_ for id_ in ids if id_ not in self._fetched}
            if not todo:
                return
            self._fetched |= todo
            edges = [
                edge
                for edge in self._tx.graph.touching(sorted(todo))
                if edge.rel == Rel.CONTAINS and edge.from_id in todo
            ]
            ids = [edge.to_id for edge in edges]
            rows = self._tx.memories.by_ids(ids)
            for edge in edges:
                if edge.to_id in rows and rows[edge.to_id].is_current(self._now):
                    self._children[edge.from_id].append(rows[edge.to_id])

    def children(self, id_: str) -> list[Memory]:
        """Return the children of a summary, sorted by key."""
        return sorted(self._children[id_], key=lambda memory: memory.key)

    def below(self, id_: str, depth: int, opened: set[str]) -> tuple[Node, ...]:
        """Return the nodes below a memory; one with several parents is opened only once."""
        if depth == 0:
            return ()
        nodes = []
        for memory in self.children(id_):
            self.shown[memory.id] = memory
            inner: tuple[Node, ...] = ()
            if memory.id not in opened:
                opened.add(memory.id)
                inner = self.below(memory.id, depth - 1, opened)
            node = _stub(memory, len(self.children(memory.id)))
            nodes.append(replace(node, content=memory.content, summary="", nodes=inner))
        return tuple(nodes)


def _stub(memory: Memory, children: int) -> Node:
    return Node(
        memory.key,
        memory.kind,
        memory.tier,
        memory.importance,
        memory.est_tokens,
        children,
        summary=first_line(memory.content, SUMMARY_LENGTH),
    )
