"""The administration of a PostgreSQL database, each operation on its own connection."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ghostmem.store.postgres import cluster, grants, hnsw
from ghostmem.store.postgres.cluster import AdminConnection, administered

P = ParamSpec("P")
T = TypeVar("T")


def _connected(
    work: Callable[Concatenate[AdminConnection, P], T],
) -> "Callable[Concatenate[Administration, P], T]":
    """Return a function of a connection as a method of `Administration`."""

    @wraps(work)
    def method(self: "Administration", /, *args: P.args, **kwargs: P.kwargs) -> T:
        with administered(self.url) as connection:
            return work(connection, *args, **kwargs)

    return method


class Administration:
    """Grants, the cluster, and indexes of vectors."""

    def __init__(self, url: str) -> None:
        self.url = url

    grant = _connected(grants.grant)
    revoke = _connected(grants.revoke)
    grants = _connected(grants.grants)
    nodes = _connected(cluster.nodes)
    distribute = _connected(cluster.distribute)
    isolate = _connected(cluster.isolate)
    shards = _connected(cluster.shards)
    index = _connected(hnsw.index)
