"""expand: list summaries, or show the memories that one contains."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.graph.clusters import Cluster, find_clusters
from ghostmem.model import Kind, Memory, Record, Rel, Tier, optional
from ghostmem.store import Store, Transaction, count, find, validate
from ghostmem.text.excerpt import first_line

MAX_DEPTH = 200  # levels that are opened
SUMMARY_LENGTH = 200  # characters of a text in a list


@frozen
class SummaryNode(Record):
    """A memory in the tree of summaries: a child with its content, others with a first line."""

    key: str
    kind: Kind
    tier: Tier
    importance: float
    est_tokens: int
    children: int
    content: str = optional("")
    summary: str = optional("")
    nodes: "tuple[SummaryNode, ...]" = optional(())


@frozen
class Expanded(Record):
    """The summaries of a namespace and clusters without one, or one summary with its children."""

    ns: str
    parent: SummaryNode | None = optional()
    children: tuple[SummaryNode, ...] = optional(())
    nodes: tuple[SummaryNode, ...] = optional(())
    clusters: tuple[Cluster, ...] = optional(())


def expand(store: Store, ns: str, key: str | None = None, *, depth: int = 1) -> Expanded:
    """List the summaries of a namespace, or return the memories that one summarises.

    Args:
        ns: Namespace.
        key: Key of a summary.
        depth: Levels of nested summaries to open.
    """
    depth = validate.positive(depth, "depth")
    now = store.clock()
    with store.engine.read(validate.text(ns, "namespace")) as tx:
        if key is None:
            return _overview(tx, validate.namespace(ns), now)
        memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now)
        children = _fetch(tx, memory.id, depth, now)
    opened = {memory.id: memory}
    nodes = _nodes(children, memory.id, min(depth, MAX_DEPTH), opened)
    count(store, list(opened.values()), now, used=True)
    return Expanded(ns, _stub(memory, len(children[memory.id])), nodes)


def _overview(tx: Transaction, ns: str, now: datetime) -> Expanded:
    counts = Counter(edge.from_id for edge in tx.graph.of_namespace(ns, now, Rel.CONTAINS))
    parents = sorted(
        tx.memories.by_ids(list(counts)).values(), key=lambda m: (-m.created_at.timestamp(), m.key)
    )
    return Expanded(
        ns,
        nodes=tuple(_stub(memory, counts[memory.id]) for memory in parents),
        clusters=tuple(
            cluster
            for cluster in find_clusters(tx, ns, now)
            if cluster.summarised * 2 <= cluster.count
        ),
    )


def _fetch(tx: Transaction, id_: str, depth: int, now: datetime) -> dict[str, list[Memory]]:
    """Return the children of a memory and of its descendants, by the ids of these.

    One level more than is shown is read, to count the children of the last."""
    children: dict[str, list[Memory]] = defaultdict(list)
    todo, fetched = {id_}, set[str]()
    for _ in range(depth + 1):
        if not todo:
            break
        fetched |= todo
        edges = tx.graph.touching(sorted(todo), [Rel.CONTAINS])
        edges = [edge for edge in edges if edge.from_id in todo]
        rows = tx.memories.by_ids([edge.to_id for edge in edges])
        for edge in edges:
            if edge.to_id in rows and rows[edge.to_id].is_current(now):
                children[edge.from_id].append(rows[edge.to_id])
        todo = {edge.to_id for edge in edges} - fetched
    return children


def _nodes(
    children: dict[str, list[Memory]], id_: str, depth: int, opened: dict[str, Memory]
) -> tuple[SummaryNode, ...]:
    """Return the nodes below a memory; one with several parents is opened only once."""
    nodes = []
    for memory in sorted(children[id_], key=lambda m: m.key) if depth else ():
        inner: tuple[SummaryNode, ...] = ()
        if memory.id not in opened:
            opened[memory.id] = memory
            inner = _nodes(children, memory.id, depth - 1, opened)
        nodes.append(
            replace(
                _stub(memory, len(children[memory.id])),
                content=memory.content,
                summary="",
                nodes=inner,
            )
        )
    return tuple(nodes)


def _stub(memory: Memory, children: int) -> SummaryNode:
    return SummaryNode(
        memory.key,
        memory.kind,
        memory.tier,
        memory.importance,
        memory.est_tokens,
        children,
        summary=first_line(memory.content, SUMMARY_LENGTH),
    )
