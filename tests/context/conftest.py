"""A small book of memories to assemble contexts from: one namespace, one question, time that passes between puts."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.model import Pack, Packed

NS = "agent:me"
ASKED = "where does the harbour ferry depart?"
ANSWER = "The harbour ferry departs from pier nine."


class Book:
    """A store with short ways to fill it and to ask it the one question."""

    def __init__(self, ghost: Ghost, clock: Any) -> None:
        self.ghost, self.clock = ghost, clock

    def put(self, key: str, content: str = "", ns: str = NS, **fields: Any) -> None:
        """Store a long-term fact, a minute after the one before; without content it shares no word with anything."""
        self.clock.forward(minutes=1)
        self.ghost.put(
            ns, key, content or f"Zq{key} wx{key}.", **{"kind": "semantic", "tier": "ltm", **fields}
        )

    def answer(self, key: str = "answer", content: str = ANSWER, **fields: Any) -> None:
        """Store a fact that the question finds."""
        self.put(key, content, **fields)

    def edge(
        self, one: str, other: str, rel: str, weight: float | None = None, ns: str = NS
    ) -> None:
        """Link two memories."""
        self.ghost.edge(ns, one, other, rel, weight=weight)

    def pack(self, query: str = ASKED, ns: str | None = NS, **fields: Any) -> Pack:
        """Assemble a context."""
        pack = self.ghost.context(query, ns, **fields)
        assert pack.used == sum(one.tokens for one in pack.memories) <= pack.budget
        return pack

    def read(self, query: str = ASKED, ns: str | None = NS, **fields: Any) -> list[str]:
        """Assemble a context and return its keys in order."""
        return self.pack(query, ns, **fields).keys

    def one(self, key: str, **fields: Any) -> Packed:
        """Assemble a context and return one memory of it."""
        return next(one for one in self.pack(**fields).memories if one.key == key)

    def left(self, **fields: Any) -> dict[str, str]:
        """Assemble a context and return why each memory was left out."""
        return {one.key: one.reason for one in self.pack(**fields).left_out}


@pytest.fixture
def book(open_ghost: Callable[..., Ghost], clock: Any) -> Book:
    """Return an empty book without vectors, whose contexts hold what the question finds and nothing else."""
    return Book(open_ghost(":memory:", context_whole=False), clock)


@pytest.fixture
def specified(open_ghost: Callable[..., Ghost], clock: Any) -> Book:
    """Return an empty book without vectors that scores as the specification does."""
    return Book(open_ghost(":memory:", context_score="specified"), clock)


@pytest.fixture
def open_book(open_ghost: Callable[..., Ghost], clock: Any) -> Callable[..., Book]:
    """Return a function that opens an empty book with settings."""
    return lambda at=":memory:", **settings: Book(
        open_ghost(at, **{"context_whole": False, **settings}), clock
    )
