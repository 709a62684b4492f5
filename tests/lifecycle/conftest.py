"""A store in which every memory has the age, the counts and the place in space that a test gives it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.model import Access, Change, Edge, Memory, Rel, Report
from ghostmem.settings import Settings
from placed import placed

NS = "agent:me"


class Life:
    """A store with short ways to fill it as if time had passed, and to look at it without being counted."""

    def __init__(self, ghost: Ghost, clock: Any) -> None:
        self.ghost, self.clock = ghost, clock

    def put(
        self,
        key: str,
        content: str = "",
        *,
        ns: str = NS,
        age: float = 0,
        access: int = 0,
        utility: int = 0,
        idle: float | None = None,
        used: Iterable[int] = (),
        shown: Iterable[int] = (),
        linked: bool = False,
        **fields: Any,
    ) -> Memory:
        """Store a memory that is `age` hours old and was last retrieved `idle` hours ago; `used` and `shown` are days ago.

        What the put itself links is taken away again unless `linked`.
        """
        now = self.clock()
        memory = self.ghost.put(
            ns, key, content or f"Zq{key} wx{key}.", created_at=now - timedelta(hours=age), **fields
        )
        counted = {"access_count": access, "utility_count": utility}
        counted["last_accessed_at"] = None if idle is None else now - timedelta(hours=idle)  # type: ignore[assignment]
        used, shown = set(used), set(shown)
        with self.ghost.store.engine.write() as tx:
            tx.memories.change(memory, "test", now, **counted)
            for edge in (
                [] if linked else tx.graph.touching([memory.id], [Rel.RELATES_TO, Rel.CONTRADICTS])
            ):
                tx.graph.remove_edge(edge.from_id, edge.to_id, edge.rel)
            for ago in sorted(used | shown):
                day = f"{now - timedelta(days=ago):%Y-%m-%d}"
                tx.journal.add_access(Access(memory.id, day, int(ago in used), int(ago in shown)))
        return memory

    def edge(
        self,
        one: str,
        other: str,
        rel: str = "relates_to",
        weight: float = 0.5,
        *,
        ns: str = NS,
        age: float = 0,
        access: int = 0,
        idle: float | None = None,
    ) -> None:
        """Link two memories by an edge that is `age` days old, walked `access` times, the last time `idle` days ago."""
        now = self.clock()
        ends = [self.row(key, ns).id for key in (one, other)]
        last = None if idle is None else now - timedelta(days=idle)
        with self.ghost.store.engine.write() as tx:
            tx.graph.remove_edge(*ends, Rel(rel))
            tx.graph.add_edge(
                Edge(ends[0], ends[1], Rel(rel), weight, now - timedelta(days=age), access, last)
            )

    def row(self, key: str, ns: str = NS) -> Memory:
        """Return the last version of a key, live or not, without counting it as a retrieval."""
        with self.ghost.store.engine.read() as tx:
            found = tx.memories.last(ns, key)
        assert found is not None, key
        return found

    def tier(self, key: str, ns: str = NS) -> str:
        """Return a memory's tier, or that it is gone."""
        row = self.row(key, ns)
        return "gone" if row.deleted_at else row.tier.value

    def weight(self, one: str, other: str, rel: str = "relates_to", ns: str = NS) -> float | None:
        """Return the weight of an edge, None when there is none."""
        ends = (self.row(one, ns).id, self.row(other, ns).id)
        with self.ghost.store.engine.read() as tx:
            found = tx.graph.edge(*ends, Rel(rel))
        return None if found is None else found.weight

    def reflect(self, ns: str | None = NS, **fields: Any) -> Report:
        """Run the rules."""
        return self.ghost.reflect(ns, **fields)

    def export(self) -> list[str]:
        """Return everything as lines."""
        return list(self.ghost.export())


@pytest.fixture
def life(ghost: Ghost, clock: Any) -> Life:
    """Return an empty store without vectors, in memory and in a file; its indexes are checked at the end."""
    return Life(ghost, clock)


@pytest.fixture
def open_life(store_at: Callable[[str | Path], str], clock: Any) -> Iterator[Callable[..., Life]]:
    """Return a function that opens stores by name, with the test's clock or another; they are checked at the end."""
    opened: list[Ghost] = []

    def open_(
        name: str | Path = ":memory:", embedder: Any = None, at: Any = None, **settings: Any
    ) -> Life:
        given = Settings(**{"embed_provider": "none", **settings})
        opened.append(
            Ghost.open(store_at(name), embedder=embedder, settings=given, clock=at or clock)
        )
        return Life(opened[-1], at or clock)

    yield open_
    for ghost in opened:
        with suppress(InvalidInputError):  # the test closed it
            assert ghost.admin.check().problems == ()
        ghost.close()


@pytest.fixture
def open_exact(open_life: Callable[..., Life]) -> Callable[..., Life]:
    """Return a function that opens stores whose texts say where they lie."""

    def open_(name: str | Path = ":memory:", **given: Any) -> Life:
        return open_life(name, **{"embedder": placed, **given})

    return open_


@pytest.fixture
def exact(open_exact: Callable[..., Life]) -> Life:
    """Return an empty store whose texts say where they lie."""
    return open_exact()


@pytest.fixture
def told() -> Callable[[Report], list[tuple[str, str, str]]]:
    """Return a function that lists what a run did as (key, action, rule)."""

    def listed(report: Report) -> list[tuple[str, str, str]]:
        return sorted((name(change), change.op, change.rule) for change in report.changes)

    def name(change: Change) -> str:
        return change.key if change.to_key is None else f"{change.key} {change.rel} {change.to_key}"

    return listed
