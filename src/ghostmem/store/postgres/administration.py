"""The administration of a PostgreSQL database, each operation on its own connection."""

from collections.abc import Iterable
from typing import Any

from ghostmem.store.administration import (
    ClusterNode,
    Distribution,
    Grant,
    Isolation,
    Progress,
    VectorIndex,
)
from ghostmem.store.postgres import cluster, grants, hnsw
from ghostmem.store.postgres.cluster import administered


class PostgresAdministration:
    """Grants, the cluster, and indexes of vectors."""

    def __init__(self, url: str, location: str) -> None:
        self._url, self._location = url, location

    def grant(self, role: str, ns: str, scope: str) -> Grant:
        """Let a role read a namespace, or write to it too."""
        with administered(self._url) as connection:
            return grants.grant(connection, role, ns, scope)

    def revoke(self, role: str, ns: str | None) -> list[Grant]:
        """Revoke the grant of a role in a namespace, or all of them."""
        with administered(self._url) as connection:
            return grants.revoke(connection, role, ns)

    def grants(self) -> list[Grant]:
        """List all grants."""
        with administered(self._url) as connection:
            return grants.grants(connection)

    def nodes(self) -> list[ClusterNode]:
        """List the servers of the cluster."""
        with administered(self._url) as connection:
            return cluster.nodes(connection, self._location)

    def distribute(self, shards: int, progress: Progress | None) -> Distribution:
        """Distribute the tables over the cluster by namespace."""
        with administered(self._url) as connection:
            return cluster.distribute(connection, self._location, shards, progress)

    def isolate(self, ns: str, to: tuple[str, int] | None) -> Isolation:
        """Give a namespace a shard to itself, optionally on another node."""
        with administered(self._url) as connection:
            return cluster.isolate(connection, self._location, ns, to)

    def index(self, drop: bool = False, progress: Progress | None = None) -> list[VectorIndex]:
        """Create an HNSW index for the vectors of each model, or drop the indexes."""
        with administered(self._url) as connection:
            return hnsw.drop(connection) if drop else hnsw.build(connection, progress)

    def shards(self, statements: Iterable[tuple[str, Any]]) -> list[int | None]:
        """Return the number of shards that each statement asks; None if the coordinator answers."""
        with administered(self._url) as connection:
            plans = (
                connection.execute(f"EXPLAIN {sql}", bound or None) for sql, bound in statements
            )
            return [cluster.tasks(plan.fetchall()) for plan in plans]
