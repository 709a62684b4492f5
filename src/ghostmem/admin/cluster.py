"""Administer a store in PostgreSQL: grants, distribution over a cluster, vector indexes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, cast

from ghostmem.context.context import context
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.graph.edges import edge, edges
from ghostmem.memory.curate import curate
from ghostmem.memory.get import get, history, used
from ghostmem.memory.list import list_memories
from ghostmem.memory.put import put
from ghostmem.model import Record
from ghostmem.search.search import search
from ghostmem.store import Store, validate
from ghostmem.store.administration import Grant, Isolation

if TYPE_CHECKING:
    from ghostmem.store.postgres.administration import Administration
    from ghostmem.store.postgres.engine import PostgresEngine
    from ghostmem.store.postgres.pipeline import BoundStatement
    from ghostmem.store.postgres.transaction import PostgresTransaction

SHARDS = 32
PROBE = "ghost-probe"
_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
_TEXTS = {
    "pier": "The harbour ferry departs from pier nine.",
    "fare": "The harbour ferry costs four crowns a ride.",
}


@frozen
class StatementRoute(Record):
    """A statement of an ordinary operation, and the number of shards it uses.

    None means that the coordinator answers alone."""

    verb: str
    statement: str
    shards: int | None = field(default=None, metadata={"optional": True})


@frozen
class Distributed(Record):
    """The result of `distribute`; `wide` are ordinary statements that use several shards."""

    shards: int
    distributed: tuple[str, ...]
    copied: tuple[str, ...]
    already: tuple[str, ...]
    statements: int
    wide: tuple[StatementRoute, ...]


def administration(store: Store) -> "Administration":
    """Return the administration of the store's database."""
    engine = _postgres(store)
    from ghostmem.store.postgres.administration import Administration

    return Administration(engine.url)


def _postgres(store: Store) -> "PostgresEngine":
    if store.engine.name != "postgresql":
        raise InvalidInputError(
            f"{store.engine.location} is not in PostgreSQL",
            "give a postgresql:// URL with --db or GHOST_DB",
        )
    return store.engine  # type: ignore[return-value]


def grant(store: Store, role: str, ns: str, *, write: bool = False) -> Grant:
    """Let a role of the database read, or also write, a namespace in SQL.

    `ns` may be a prefix such as agent:*, or *."""
    return administration(store).grant(_role(role), _checked(ns), "write" if write else "read")


def revoke(store: Store, role: str, ns: str | None = None) -> list[Grant]:
    """Revoke the grants of a role for a namespace, or all of them."""
    return administration(store).revoke(_role(role), None if ns is None else _checked(ns))


def _checked(ns: str) -> str:
    if ns != "*":
        validate.namespace(ns.removesuffix("*").removesuffix(":"))
    return ns


def _role(role: str) -> str:
    if not role or len(role.encode()) > 63 or "\0" in role:
        raise InvalidInputError(
            f"{role!r} is not a role name", "a role of PostgreSQL has a name of 1 to 63 bytes"
        )
    return role


def distribute(
    store: Store, *, shards: int = SHARDS, progress: Callable[[int], None] | None = None
) -> Distributed:
    """Distribute a store over a cluster by namespace, and check that statements use one shard."""
    if not 1 <= shards <= 64_000:
        raise InvalidInputError(
            f"invalid number of shards {shards}", "use a number from 1 to 64000, such as 32"
        )
    done = administration(store).distribute(shards, progress)
    checked = routes(store)
    return Distributed(
        done.shards,
        done.distributed,
        done.copied,
        done.already,
        len(checked),
        tuple(route for route in checked if (route.shards or 0) > 1),
    )


def isolate(store: Store, ns: str, *, to: str | None = None) -> Isolation:
    """Move a namespace to a shard of its own, on the node `to` (HOST:PORT) if given."""
    name = validate.namespace(ns)
    host, _, port = (to or "").rpartition(":")
    if to is not None and not (host and port.isdecimal()):
        raise InvalidInputError(
            f"{to!r} is not a node", "write it as HOST:PORT, as `ghost admin nodes` does"
        )
    return administration(store).isolate(name, None if to is None else (host, int(port)))


# The shards that ordinary statements use


class OneTransaction:
    """An engine that does everything in one transaction."""

    def __init__(self, engine: "PostgresEngine", tx: "PostgresTransaction") -> None:
        self._engine, self._tx = engine, tx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @contextmanager
    def read(self, *_: object, **__: object) -> "Iterator[PostgresTransaction]":
        """Yield the transaction with empty caches."""
        yield self._tx.fresh()

    write = snapshot = read


def routes(store: Store) -> list[StatementRoute]:
    """Run ordinary operations in a transaction that is rolled back, and explain each statement."""
    engine = _postgres(store)
    first_use: dict[str, tuple[str, Any]] = {}
    with engine.write(durable=False, dry_run=True, within=(PROBE,)) as tx:
        for verb, statements in _statements(
            replace(store, engine=cast("PostgresEngine", OneTransaction(engine, tx))), tx
        ):
            for statement in statements:
                first_use.setdefault(statement.sql, (verb, statement.values))
    explained = {sql: use for sql, use in first_use.items() if sql.split(None, 1)[0] in _EXPLAINED}
    shards = administration(store).shards((sql, values) for sql, (_, values) in explained.items())
    return [
        StatementRoute(verb, sql, count)
        for (sql, (verb, _)), count in zip(explained.items(), shards, strict=True)
    ]


def _statements(
    store: Store, tx: "PostgresTransaction"
) -> "Iterator[tuple[str, list[BoundStatement]]]":
    """Yield each operation with the statements it executed."""
    steps: dict[str, Callable[[], object]] = {
        "put": lambda: [
            put(store, PROBE, key, text, source_user="Ann", source_scope="talk")
            for key, text in _TEXTS.items()
        ],
        "put again": lambda: put(store, PROBE, "pier", "The harbour ferry departs from pier ten."),
        "get": lambda: get(store, PROBE, "pier"),
        "list": lambda: list_memories(store, PROBE),
        "search": lambda: search(store, "harbour ferry", PROBE),
        "context": lambda: context(store, "Where does the harbour ferry depart?", PROBE),
        "edge": lambda: edge(store, PROBE, "pier", "fare", "relates_to"),
        "edges": lambda: edges(store, PROBE, "pier"),
        "curate": lambda: curate(store, PROBE, "pier", "boost"),
        "used": lambda: used(store, PROBE, ["pier"]),
        "history": lambda: history(store, PROBE, "pier"),
    }
    for verb, step in steps.items():
        yield verb, tx.statements(step)
