"""Counting: every retrieval counts, and the log tells use from exposure."""

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

Open = Callable[..., Ghost]


def logged(ghost: Ghost) -> dict[str, tuple[int, int]]:
    """Return how often each key was used and shown."""
    with ghost.store.engine.read() as tx:
        rows = list(tx.journal.accesses())
        names = tx.memories.by_ids([row.memory_id for row in rows])
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        used, shown = found.get(names[row.memory_id].key, (0, 0))
        found[names[row.memory_id].key] = (used + row.used, shown + row.shown)
    return found


def counted(ghost: Ghost) -> dict[str, int]:
    """Return the access counts that are not nought."""
    return {
        memory.key: memory.access_count
        for memory in ghost.list("a", limit=1000)
        if memory.access_count
    }


@pytest.fixture
def three(ghost: Ghost) -> Ghost:
    """Store three memories."""
    ghost.put("a", "tea", "Sam drinks green tea in the morning.")
    ghost.put("a", "train", "The train to Lyon leaves at nine.")
    ghost.put("a", "gearbox", "The gearbox of the turbine vibrates.")
    return ghost


def test_a_get_is_a_use(three: Ghost) -> None:
    """It counts once, and shows the count before it."""
    assert three.get("a", "tea").access_count == 0
    assert three.get("a", "tea").access_count == 1
    assert (counted(three), logged(three)) == ({"tea": 2}, {"tea": (2, 0)})


@pytest.mark.requirement("002-026")
def test_a_search_is_an_exposure_of_what_it_returns(three: Ghost) -> None:
    """Hits are counted and logged as shown, with the counts before; what was not returned is not."""
    (hit,) = three.search("green tea", "a")
    assert hit.access_count == 0
    assert three.search("green tea", "a")[0].access_count == 1
    assert (counted(three), logged(three)) == ({"tea": 2}, {"tea": (0, 2)})


def test_a_limit_counts_only_what_it_lets_through(ghost: Ghost) -> None:
    """What was found and cut off was not shown; nor were the misses that explain names."""
    for number in range(6):
        ghost.put("a", f"k{number}", f"The deployment number {number} went well.")
    shown = [hit.key for hit in ghost.search("deployment", "a", limit=2, explain=True)]
    assert counted(ghost) == dict.fromkeys(shown, 1)


@pytest.mark.requirement("002-169")
def test_a_context_is_an_exposure_of_what_it_packs(three: Ghost) -> None:
    """A context counts and logs exactly the memories it returns, as shown."""
    pack = three.context("green tea in the morning", "a")
    keys = {memory.key for memory in pack.memories}
    assert "tea" in keys
    assert counted(three) == dict.fromkeys(keys, 1)
    assert logged(three) == dict.fromkeys(keys, (0, 1))


def test_use_and_exposure_add_up_on_their_day(three: Ghost, clock: Any) -> None:
    """One row a day tells both apart, and access_count is their sum."""
    three.get("a", "tea")
    three.search("green tea", "a")
    three.expand("a", "tea")
    clock.forward(days=1)
    three.search("green tea", "a")
    with three.store.engine.read() as tx:
        assert [(row.day, row.used, row.shown) for row in tx.journal.accesses()] == [
            ("2026-03-14", 2, 1),
            ("2026-03-15", 0, 1),
        ]
    assert counted(three) == {"tea": 4}


@pytest.mark.parametrize(
    "look", ["list", "history", "peek", "edges", "clusters", "expand", "export", "stats", "chunks"]
)
def test_looking_around_counts_nothing(three: Ghost, look: str) -> None:
    """Listings and overviews are no retrievals."""
    before = list(three.export())
    {
        "list": lambda: three.list("a"),
        "history": lambda: three.history("a", "tea"),
        "peek": lambda: three.admin.peek("a"),
        "edges": lambda: three.edges("a", "tea"),
        "clusters": lambda: three.clusters("a"),
        "expand": lambda: three.expand("a"),
        "export": lambda: list(three.export()),
        "stats": three.admin.stats,
        "chunks": lambda: three.chunks("a", "tea"),
    }[look]()
    assert list(three.export()) == before


def test_counting_is_no_change(three: Ghost) -> None:
    """A retrieval makes no version, no entry in the audit log and no new view of the vectors."""
    with three.store.engine.read() as tx:
        before = tx.journal.latest("a", 1000)
    three.get("a", "tea")
    three.search("green tea", "a")
    three.used("a", ["tea"])
    with three.store.engine.read() as tx:
        assert tx.journal.latest("a", 1000) == before
    assert len(three.history("a", "tea")) == 1


def test_counts_are_carried_to_the_next_version(three: Ghost) -> None:
    """A new version has been retrieved as often as the one before, on the same days."""
    three.get("a", "tea")
    three.search("green tea", "a")
    three.put("a", "tea", "Sam drinks black tea.")
    assert (counted(three), logged(three)) == ({"tea": 2}, {"tea": (1, 1)})


def test_a_search_does_not_wait_for_a_writer(tmp_path: Any, clock: Any) -> None:
    """While another process holds the write lock, get, search and expand answer, and the count is let go."""
    path = str(tmp_path / "m.db")
    with Ghost.open(path, settings=Settings(embed_provider="none"), clock=clock) as ghost:
        ghost.put("a", "tea", "Sam drinks green tea.")
        other = apsw.Connection(path)
        other.execute("BEGIN IMMEDIATE")
        assert [hit.key for hit in ghost.search("green tea", "a")] == ["tea"]
        assert ghost.get("a", "tea").content == "Sam drinks green tea."
        assert ghost.expand("a", "tea").parent is not None
        other.execute("ROLLBACK")
        other.close()
        assert counted(ghost) == {}
        ghost.search("green tea", "a")
        assert counted(ghost) == {"tea": 1}


def test_a_store_that_cannot_be_written_is_searched_uncounted(
    three: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting is bookkeeping: a read-only store answers all the same."""
    before = list(three.export())
    monkeypatch.setattr(three.store.engine, "read_only", True)
    assert three.search("green tea", "a")
    assert three.get("a", "tea")
    assert list(three.export()) == before


def test_a_search_finds_the_same_however_often_it_was_asked(three: Ghost) -> None:
    """Being shown does not move a memory up in a search."""
    first = [(hit.key, hit.score) for hit in three.search("morning train", "a", min_score=-9.0)]
    for _ in range(20):
        three.search("green tea", "a")
    assert [
        (hit.key, hit.score) for hit in three.search("morning train", "a", min_score=-9.0)
    ] == first
