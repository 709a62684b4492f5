"""admin: looking after a store in PostgreSQL: who else may read it, how it lies on a cluster, and
indexes of vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError
from ghostmem.model import Record
from ghostmem.store import validate
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.administration import ClusterNode, Grant, Isolation, VectorIndex
    from ghostmem.store.protocol import SharedEngine

SHARDS = 32


@dataclass(frozen=True, eq=False, repr=False)
class Route(Record):
    """One statement of an everyday verb, and how many shards it asks.

    None when the coordinator answers by itself.
    """

    verb: str
    statement: str
    shards: int | None = field(default=None, metadata={"optional": True})

    @property
    def routed(self) -> bool:
        """Say whether at most one shard is asked."""
        return self.shards is None or self.shards <= 1


@dataclass(frozen=True, eq=False, repr=False)
class Distributed(Record):
    """What `distribute` did, and how many everyday statements it looked at.

    `wide` are those that ask more than one shard.
    """

    shards: int
    distributed: tuple[str, ...]
    copied: tuple[str, ...]
    already: tuple[str, ...]
    statements: int
    wide: tuple[Route, ...]


def postgres(store: Store) -> SharedEngine:
    """Return the store's engine, which must be PostgreSQL."""
    if store.engine.name != "postgresql":
        raise InvalidInputError(
            f"{store.engine.location} is not in PostgreSQL",
            "name a postgresql:// URL with --db or GHOST_DB",
        )
    return store.engine  # type: ignore[return-value]


def grant(store: Store, role: str, ns: str, *, write: bool = False) -> Grant:
    """Let a role of the database read a namespace in SQL, or write in it too.

    `ns` may be a prefix such as agent:*, or *.
    """
    named = _named(ns)
    scope = "write" if write else "read"
    return postgres(store).administration().grant(_role(role), named, scope)


def revoke(store: Store, role: str, ns: str | None = None) -> list[Grant]:
    """Take back what a role was granted in a namespace, or everything."""
    named = None if ns is None else _named(ns)
    return postgres(store).administration().revoke(_role(role), named)


def list_grants(store: Store) -> list[Grant]:
    """Return what roles of the database were granted."""
    return postgres(store).administration().grants()


def _named(ns: str) -> str:
    """Check what a grant is for: one namespace, all that start alike, or all."""
    if ns != "*":
        validate.namespace(ns.removesuffix("*").removesuffix(":"))
    return ns


def _role(role: str) -> str:
    if not role or len(role.encode()) > 63 or "\0" in role:
        raise InvalidInputError(
            f"{role!r} is no name of a role", "a role of PostgreSQL has a name of 1 to 63 bytes"
        )
    return role


def nodes(store: Store) -> list[ClusterNode]:
    """Return the servers of the cluster that a store lies on."""
    return postgres(store).administration().nodes()


def distribute(
    store: Store, *, shards: int = SHARDS, progress: Callable[[int], None] | None = None
) -> Distributed:
    """Spread a store over a cluster by namespace, and look whether everyday statements ask one
    shard each.
    """
    from ghostmem.admin.cluster_checks import routes

    if not 1 <= shards <= 64_000:
        raise InvalidInputError(
            f"invalid number of shards {shards}", "use a number from 1 to 64000, such as 32"
        )
    done = postgres(store).administration().distribute(shards, progress)
    found = routes(store)
    wide = tuple(one for one in found if not one.routed)
    return Distributed(done.shards, done.distributed, done.copied, done.already, len(found), wide)


def isolate(store: Store, ns: str, *, to: str | None = None) -> Isolation:
    """Give a namespace a shard to itself; with `to`, as HOST:PORT, on that node."""
    name, place = validate.namespace(ns), None if to is None else _place(to)
    return postgres(store).administration().isolate(name, place)


def _place(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise InvalidInputError(
            f"{text!r} is no node", "write it as HOST:PORT, as `ghost admin nodes` does"
        )
    return host, int(port)


def index(
    store: Store, *, drop: bool = False, progress: Callable[[int], None] | None = None
) -> list[VectorIndex]:
    """Make an HNSW index for the vectors of each model, or drop them.

    Others read and write meanwhile.
    """
    return postgres(store).administration().index(drop, progress)
