"""Stores whose vectors are written in the texts, so that every cosine is known."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings
from placed import placed

Triple = tuple[str, str, str]


@pytest.fixture
def open_exact(store_at: Callable[[str | Path], str], clock: Any) -> Iterator[Callable[..., Ghost]]:
    """Return a function that opens stores whose texts say where they lie; their link threshold is 0.80, and puts are not judged."""
    opened: list[Ghost] = []

    def open_(name: str | Path = ":memory:", embedder: Any = placed, **settings: object) -> Ghost:
        opened.append(
            Ghost.open(
                store_at(name),
                embedder=embedder,
                settings=Settings(**{"freshness": "off", **settings}),
                clock=clock,
            )
        )  # type: ignore[arg-type]
        return opened[-1]

    yield open_
    for ghost in opened:
        ghost.close()


@pytest.fixture
def graph_of() -> Callable[[Ghost], Any]:
    """Return a function that names the class of a store's edges, to let its methods fail or to count their calls."""

    def kind(ghost: Ghost) -> Any:
        with ghost.store.engine.read() as tx:
            return type(tx.graph)

    return kind


@pytest.fixture
def linked() -> Callable[..., list[Triple]]:
    """Return a function that lists the edges of a namespace as (from, relation, to), sorted."""

    def triples(ghost: Ghost, ns: str = "a", rel: str | None = None) -> list[Triple]:
        return sorted(
            (str(edge.from_key), edge.rel.value, str(edge.to_key))
            for edge in ghost.edges(ns, rel=rel)
        )

    return triples
