"""clusters: groups of memories that likeness connects."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.graph.components import components
from ghostmem.model import Memory, Record, Rel
from ghostmem.store import validate
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Cluster(Record):
    """Memories connected by `relates_to`, and how many of them a summary already stands for."""

    keys: tuple[str, ...]
    count: int
    est_tokens: int
    summarised: int


def clusters(store: Store, ns: str) -> list[Cluster]:
    """Return every group of at least two memories that `relates_to` edges connect, largest
    first.
    """
    with store.engine.read() as tx:
        return find_clusters(tx, validate.namespace(ns), store.clock())


def find_clusters(tx: "Transaction", ns: str, now: datetime) -> list[Cluster]:
    """Return the clusters of a namespace."""
    pairs = [(edge.from_id, edge.to_id) for edge in tx.graph.of_namespace(ns, now, Rel.RELATES_TO)]
    told = {edge.to_id for edge in tx.graph.of_namespace(ns, now, Rel.CONTAINS)}
    groups = components(pairs)
    memories = tx.memories.by_ids([id_ for group in groups for id_ in group])
    found = [_cluster([memories[id_] for id_ in group], told) for group in groups]
    return sorted(found, key=lambda cluster: (-cluster.count, cluster.keys))


def _cluster(members: list[Memory], told: set[str]) -> Cluster:
    keys = tuple(sorted(memory.key for memory in members))
    return Cluster(
        keys,
        len(keys),
        sum(memory.est_tokens for memory in members),
        sum(memory.id in told for memory in members),
    )
