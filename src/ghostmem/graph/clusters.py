"""clusters: groups of similar memories."""

from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.grouping import components
from ghostmem.model import Record, Rel
from ghostmem.store import Store, Transaction, validate


@frozen
class Cluster(Record):
    """Memories connected by `relates_to`; `summarised` of them have a summary."""

    keys: tuple[str, ...]
    count: int
    est_tokens: int
    summarised: int


def clusters(store: Store, ns: str) -> list[Cluster]:
    """Return groups of similar memories, largest first.

    Args:
        ns: Namespace of the memories.
    """
    with store.engine.read(validate.namespace(ns)) as tx:
        return find_clusters(tx, validate.namespace(ns), store.clock())


def find_clusters(tx: Transaction, ns: str, now: datetime) -> list[Cluster]:
    """Return the clusters of a namespace, largest first."""
    ties = list(tx.graph.ties(ns, now, (Rel.RELATES_TO, Rel.CONTAINS)))
    summarised = {tie.to_id for tie in ties if tie.rel == Rel.CONTAINS}
    groups = components([(tie.from_id, tie.to_id) for tie in ties if tie.rel == Rel.RELATES_TO])
    sizes = tx.memories.sizes([id_ for group in groups for id_ in group])
    clusters = [
        Cluster(
            tuple(sorted(sizes[id_].key for id_ in group)),
            len(group),
            sum(sizes[id_].est_tokens for id_ in group),
            len(summarised.intersection(group)),
        )
        for group in groups
    ]
    return sorted(clusters, key=lambda cluster: (-cluster.count, cluster.keys))
