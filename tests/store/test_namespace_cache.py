"""Rows and facts of namespaces that are kept between searches: valid, bounded, and never mixed."""

from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.model import NsFilter
from ghostmem.store.namespace_cache import ROW_SIZE, NamespaceCache, Postings
from ghostmem.store.rows import ChunkCandidate, Filter, Space


def row(number: int, text: str = "tea") -> ChunkCandidate:
    """Return a chunk with a number and a text."""
    return ChunkCandidate(
        number, f"id-{number}", 0, 0, len(text), 1, 1, "tea", None, None, text,
        "2026-01-01", None, "semantic", f"key-{number}", "normal",
    )  # fmt: skip


def space(number: int, sequence: int) -> Space:
    """Return a namespace at a sequence."""
    return Space(number, f"ns:{number}", sequence, 10, 100)


def test_rows_and_facts_are_valid_for_one_sequence() -> None:
    """A change of the namespace makes both unknown; other namespaces keep theirs."""
    cache = NamespaceCache()
    cache.add(space(1, 5), {7: row(7), 8: None})
    cache.add(space(2, 1), {9: row(9)})
    assert cache.fact(space(1, 5), "sources", lambda: ["Ann"]) == ["Ann"]
    assert dict(cache.rows(space(1, 5))) == {7: row(7), 8: None}
    assert cache.fact(space(1, 5), "sources", lambda: ["Bo"]) == ["Ann"]
    assert not cache.rows(space(1, 6))
    assert cache.fact(space(1, 6), "sources", lambda: ["Bo"]) == ["Bo"]
    assert list(cache.rows(space(2, 1))) == [9]


def test_rows_of_the_namespace_used_longest_ago_are_dropped_first() -> None:
    """The cache stays within its size, and a namespace that is too large is not kept."""
    cache = NamespaceCache(max_size=20 * ROW_SIZE)
    for number in (1, 2, 3):
        cache.add(space(number, 1), {number * 10 + at: row(at) for at in range(5)})
    assert list(cache.rows(space(1, 1))) == [10, 11, 12, 13, 14]
    cache.add(space(4, 1), {at: row(at) for at in range(5)})
    assert not cache.rows(space(2, 1))
    assert len(cache.rows(space(1, 1))) == 5
    cache.add(space(5, 1), {at: row(at, "x" * 30 * ROW_SIZE) for at in range(2)})
    assert not cache.rows(space(5, 1))


def test_many_facts_are_bounded_too() -> None:
    """Facts count as rows do."""
    cache = NamespaceCache(max_size=10 * ROW_SIZE)
    for number in range(100):
        cache.fact(space(1, 1), f"fact {number}", lambda: number)  # noqa: B023
    assert cache.fact(space(1, 1), "fact 0", lambda: -1) == -1


def test_a_fact_of_many_items_counts_for_each() -> None:
    """The chunks of many statements in one namespace make room by dropping another namespace."""
    cache = NamespaceCache(max_size=20 * ROW_SIZE)
    cache.add(space(1, 1), {7: row(7)})
    cache.fact(space(2, 1), "statements", lambda: frozenset(range(1_000)))
    assert not cache.rows(space(1, 1))


def test_postings_are_valid_for_one_sequence_and_up_to_their_limit() -> None:
    """A list that was cut off does not answer a request for more; a whole one does."""
    cache, numbers = NamespaceCache(), array("q", [9, 5])
    cache.add_postings(space(1, 5), "cut", Postings(2, numbers))
    cache.add_postings(space(1, 5), "whole", Postings(3, numbers))
    assert cache.postings(space(1, 5), "cut", 2) == numbers
    assert cache.postings(space(1, 5), "cut", 1) == array("q", [9])
    assert cache.postings(space(1, 5), "cut", 3) is None
    assert cache.postings(space(1, 5), "whole", 9) == numbers
    assert cache.postings(space(1, 5), "other", 2) is None
    assert cache.postings(space(2, 5), "cut", 2) is None
    assert cache.postings(space(1, 6), "cut", 2) is None


def test_the_last_state_of_a_namespace_is_known() -> None:
    """It is that of the last read, which may be older than the store."""
    cache = NamespaceCache()
    assert cache.last("ns:1") is None
    cache.add(space(1, 5), {7: row(7)})
    assert cache.last("ns:1") == space(1, 5)


@pytest.mark.parametrize("where", ["same store", "another"])
def test_a_search_sees_what_was_changed_since_the_last_one(
    tmp_path: Path, where: str, open_ghost: Callable[..., Ghost]
) -> None:
    """A new text, a removal and another tier show in the next search, whoever wrote them."""
    path = tmp_path / "store.db"
    with open_ghost(path) as ghost, open_ghost(path) as other:
        writer = ghost if where == "same store" else other
        ghost.put("ns", "tea", "Ann drinks green tea")
        ghost.put("ns", "pot", "The green tea pot is broken")
        assert {hit.memory.key for hit in ghost.search("green tea", "ns")} == {"tea", "pot"}
        writer.put("ns", "tea", "Ann drinks green tea with milk")
        writer.rm("ns", "pot")
        (hit,) = ghost.search("green tea", "ns")
        assert hit.match_chunk == "Ann drinks green tea with milk"
        assert not ghost.search("green tea", "elsewhere")
        with ghost.store.engine.write() as tx:
            memory = tx.memories.last("ns", "tea")
            assert memory is not None
            tx.memories.change(memory, "tier", ghost.store.clock(), tier="dormant")
        assert not ghost.search("green tea", "ns")
        assert [hit.memory.key for hit in ghost.search("green tea", "ns", include_all=True)] == [
            "tea"
        ]


def test_kept_rows_pass_the_same_filters_as_stored_ones(
    tmp_path: Path, open_ghost: Callable[..., Ghost]
) -> None:
    """A row that is kept is tested in Python, one that is read by SQL; both pass the same."""
    with open_ghost(tmp_path / "store.db") as ghost:
        now = ghost.store.clock()
        ghost.put("ns", "plain", "tea one")
        ghost.put("ns", "long", "tea two", tier="ltm")
        ghost.put("ns", "brief", "tea three", ttl="1s")
        ghost.put("ns", "over", "tea four", valid_to="2020-01-01")
        filters = [
            Filter(NsFilter("ns"), now=at, tiers=tiers, closed=closed)
            for at in (None, now, now.replace(year=2100))
            for tiers in ((), ("stm",), ("stm", "ltm"))
            for closed in (None, True, False)
        ]
        with ghost.store.engine.read() as tx:
            (namespace,) = tx.search.spaces(["ns"])
            chunks = list(range(1, 9))
            for selection in filters:
                kept = tx.search.candidates(chunks, selection, namespace)
                assert kept == tx.search.candidates(chunks, selection)
