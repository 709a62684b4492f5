"""Which shards everyday statements ask: verbs run in a transaction that is taken back, and their
statements are explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ghostmem.admin.cluster import Route, postgres
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import SharedEngine, SharedTransaction

PROBE = "ghost-probe"
_EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
_TEXTS = {
    "pier": "The harbour ferry departs from pier nine.",
    "fare": "The harbour ferry costs four crowns a ride.",
}


class OneTransaction:
    """An engine on which everything happens in one transaction."""

    def __init__(self, engine: SharedEngine, tx: SharedTransaction) -> None:
        self._engine, self._tx = engine, tx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @contextmanager
    def read(self, *_: object, **__: object) -> Iterator[SharedTransaction]:
        """Lend the transaction, as one that has seen nothing yet."""
        yield self._tx.fresh()

    write = snapshot = read


def routes(store: Store) -> list[Route]:
    """Run everyday verbs in a namespace that nobody has, and say of each statement how many shards
    it asks; nothing is kept.
    """
    engine = postgres(store)
    told: dict[str, tuple[str, Any]] = {}
    with engine.write(durable=False, dry_run=True, within=(PROBE,)) as tx:
        inside = replace(store, engine=OneTransaction(engine, tx))
        for verb, statements in _spoken(inside, tx):
            for sql, values in statements:
                told.setdefault(sql, (verb, values))
    explained = {sql: verb for sql, verb in told.items() if sql.split(None, 1)[0] in _EXPLAINED}
    shards = engine.administration().shards((sql, values) for sql, (_, values) in explained.items())
    return [
        Route(verb, sql, count)
        for (sql, (verb, _)), count in zip(explained.items(), shards, strict=True)
    ]


def _spoken(store: Store, tx: SharedTransaction) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Yield each verb with the statements it made."""
    from ghostmem.context.context import context
    from ghostmem.graph.edges import edge, edges
    from ghostmem.memory.curate import curate
    from ghostmem.memory.get import get
    from ghostmem.memory.history import history
    from ghostmem.memory.list import list_memories
    from ghostmem.memory.put import put
    from ghostmem.memory.used import used
    from ghostmem.search.search import search

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
        "edges": lambda: edges(store, PROBE, "pier", None),
        "curate": lambda: curate(store, PROBE, "pier", "boost"),
        "used": lambda: used(store, PROBE, ["pier"]),
        "history": lambda: history(store, PROBE, "pier"),
    }
    for verb, step in steps.items():
        yield verb, tx.statements(step)
