"""expand: which summaries there are, and what one of them stands for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
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

DEEPEST = 200  # levels that are opened at most
SUMMARY = 200  # characters of a text in a list


@dataclass(frozen=True, eq=False, repr=False)
class Node(Record):
    """A memory in the tree of summaries: a child has its whole content, everything else the start
    of it.
    """

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
    """The summaries of a namespace with the groups that have none yet.

    Or one summary and what it stands for.
    """

    ns: str
    parent: Node | None = optional()
    children: tuple[Node, ...] = optional(())
    nodes: tuple[Node, ...] = optional(())
    clusters: tuple[Cluster, ...] = optional(())


def expand(store: Store, ns: str, key: str | None = None, *, depth: int = 1) -> Expanded:
    """List the summaries of a namespace, newest first.

    Or, with a key, return what that one stands for.

    `depth` is how many levels of summaries within summaries are opened. What is returned whole is
    counted as used."""
    validate.positive(depth, "depth")
    now = store.clock()
    with store.engine.read() as tx:
        if key is None:
            return _overview(tx, validate.namespace(ns), now)
        memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now)
        tree = _Tree(tx, now)
        tree.fetch([memory.id], depth)
        children = tree.below(memory.id, min(depth, DEEPEST), {memory.id})
        parent = _node(memory, len(tree.children(memory.id)), whole=False)
    count(store, [memory, *tree.shown.values()], now, used=True)
    return Expanded(ns, parent, children)


def _overview(tx: Transaction, ns: str, now: datetime) -> Expanded:
    kids: dict[str, list[str]] = defaultdict(list)
    for edge in tx.graph.of_namespace(ns, now, Rel.CONTAINS):
        kids[edge.from_id].append(edge.to_id)
    parents = sorted(
        tx.memories.by_ids(list(kids)).values(), key=lambda m: (-m.created_at.timestamp(), m.key)
    )
    loose = tuple(
        group for group in find_clusters(tx, ns, now) if group.summarised * 2 <= group.count
    )
    return Expanded(
        ns,
        nodes=tuple(_node(memory, len(kids[memory.id]), whole=False) for memory in parents),
        clusters=loose,
    )


class _Tree:
    """Summaries and what they contain, fetched level by level."""

    def __init__(self, tx: Transaction, now: datetime) -> None:
        self._tx, self._now = tx, now
        self._kids: dict[str, list[str]] = defaultdict(list)
        self._memories: dict[str, Memory] = {}
        self._fetched: set[str] = set()
        self.shown: dict[str, Memory] = {}

    def fetch(self, ids: list[str], depth: int) -> None:
        """Read the levels that are shown, and one more to count what is below them."""
        for _ in range(depth + 1):
            todo = [id_ for id_ in ids if id_ not in self._fetched]
            if not todo:
                return
            self._fetched.update(todo)
            found = [
                edge
                for edge in self._tx.graph.touching(todo)
                if edge.rel == Rel.CONTAINS and edge.from_id in set(todo)
            ]
            rows = self._tx.memories.by_ids([edge.to_id for edge in found])
            self._memories |= {
                id_: memory for id_, memory in rows.items() if memory.is_current(self._now)
            }
            for edge in found:
                if edge.to_id in self._memories:
                    self._kids[edge.from_id].append(edge.to_id)
            ids = [edge.to_id for edge in found]

    def children(self, id_: str) -> list[Memory]:
        """Return a summary's children by their keys."""
        return sorted(
            (self._memories[kid] for kid in self._kids[id_]), key=lambda memory: memory.key
        )

    def below(self, id_: str, depth: int, opened: set[str]) -> tuple[Node, ...]:
        """Return the nodes below a memory.

        One that stands in several places is opened in the first.
        """
        if depth == 0:
            return ()
        found = []
        for memory in self.children(id_):
            self.shown[memory.id] = memory
            inner: tuple[Node, ...] = ()
            if memory.id not in opened:
                opened.add(memory.id)
                inner = self.below(memory.id, depth - 1, opened)
            found.append(_node(memory, len(self.children(memory.id)), whole=True, nodes=inner))
        return tuple(found)


def _node(memory: Memory, children: int, whole: bool, nodes: tuple[Node, ...] = ()) -> Node:
    text: Mapping[str, str] = (
        {"content": memory.content} if whole else {"summary": first_line(memory.content, SUMMARY)}
    )
    return Node(
        memory.key,
        memory.kind,
        memory.tier,
        memory.importance,
        memory.est_tokens,
        children,
        nodes=nodes,
        **text,
    )
