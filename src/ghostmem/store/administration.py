"""The administration of a database that several machines share: grants, clusters, indexes."""

from ghostmem.frozen import frozen
from ghostmem.model import Record


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
