"""The administration of a database that several machines share: grants, clusters, indexes."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ghostmem.frozen import frozen
from ghostmem.model import Record

Progress = Callable[[int], None]


@frozen
class Grant(Record):
    """The right of a database role in a namespace, or in all with a prefix."""

    role: str
    ns: str
    scope: str


@frozen
class ClusterNode(Record):
    """One server of a cluster."""

    host: str
    port: int
    role: str
    active: bool
    shards: int
    bytes: int


@frozen
class Distribution(Record):
    """The tables that were distributed over a cluster, and those that were already."""

    shards: int
    distributed: tuple[str, ...]
    copied: tuple[str, ...]
    already: tuple[str, ...]


@frozen
class Isolation(Record):
    """The shard of a namespace that has it to itself."""

    ns: str
    shard: int
    host: str
    port: int
    isolated: bool
    moved: bool


@frozen
class VectorIndex(Record):
    """The index of one model's vectors."""

    model: str
    dimension: int
    name: str
    vectors: int
    bytes: int
    state: str


class Administration(Protocol):
    """The administration of a database, on a connection of its own."""

    def grant(self, role: str, ns: str, scope: str) -> Grant: ...
    def revoke(self, role: str, ns: str | None) -> list[Grant]: ...
    def grants(self) -> list[Grant]: ...
    def nodes(self) -> list[ClusterNode]: ...
    def distribute(self, shards: int, progress: Progress | None) -> Distribution: ...
    def isolate(self, ns: str, to: tuple[str, int] | None) -> Isolation: ...
    def index(self, drop: bool = False, progress: Progress | None = None) -> list[VectorIndex]: ...
    def shards(self, statements: Iterable[tuple[str, Any]]) -> list[int | None]: ...
