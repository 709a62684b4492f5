"""Postings that stay in memory: bounded, and never older than the store."""

from array import array
from collections.abc import Callable

from ghostmem import Ghost
from ghostmem.store.postings import PostingsCache
from ghostmem.store.rows import Space
from ghostmem.text.terms import encode


def space(number: int = 1, sequence: int = 1) -> Space:
    """Return a namespace."""
    return Space(number, f"ns{number}", sequence, 100, 1000)


def test_postings_are_valid_for_one_sequence_of_one_namespace() -> None:
    """A change of the namespace, another namespace and another term find nothing."""
    cache = PostingsCache()
    cache.put(space(), "ferry", 4, array("q", [9, 5]))
    assert cache.get(space(), "ferry", 4) == array("q", [9, 5])
    assert cache.get(space(sequence=2), "ferry", 4) is None
    assert cache.get(space(2), "ferry", 4) is None
    assert cache.get(space(), "boat", 4) is None


def test_a_smaller_limit_takes_the_newest_and_a_larger_one_only_a_whole_list() -> None:
    """A list that was cut off does not answer a request for more."""
    cache = PostingsCache()
    cache.put(space(), "cut", 2, array("q", [9, 5]))
    cache.put(space(), "whole", 3, array("q", [9, 5]))
    assert cache.get(space(), "cut", 1) == array("q", [9])
    assert cache.get(space(), "cut", 3) is None
    assert cache.get(space(), "whole", 9) == array("q", [9, 5])


def test_the_postings_used_longest_ago_make_room() -> None:
    """The cache keeps no more chunks than it may, whatever their namespaces."""
    cache = PostingsCache(max_chunks=10)
    for number in range(3):
        cache.put(space(number), "ferry", 9, array("q", [1, 2, 3]))
        assert cache.get(space(0), "ferry", 9) is not None
    assert cache.get(space(1), "ferry", 9) is None
    assert cache.get(space(2), "ferry", 9) is not None
    cache.put(space(2, sequence=2), "ferry", 9, array("q", [1]))
    cache.put(space(3), "ferry", 9, array("q", [1]))
    assert cache.get(space(0), "ferry", 9) is not None


def test_a_search_sees_what_another_connection_wrote(open_ghost: Callable[..., Ghost]) -> None:
    """A memory that another process added, changed or removed is found by its present words."""
    reader, writer = open_ghost("shared.db"), open_ghost("shared.db")
    writer.put("a", "one", "the ferry leaves at nine")
    assert [hit.key for hit in reader.search("ferry", "a")] == ["one"]
    writer.put("a", "two", "the ferry is blue")
    assert {hit.key for hit in reader.search("ferry", "a")} == {"one", "two"}
    writer.put("a", "one", "the train leaves at nine")
    assert [hit.key for hit in reader.search("ferry", "a")] == ["two"]
    writer.rm("a", "two")
    assert reader.search("ferry", "a") == []


def test_a_search_finds_memories_that_another_connection_indexed_again(
    open_ghost: Callable[..., Ghost],
) -> None:
    """A repair gives chunks new numbers; the old ones are forgotten everywhere."""
    reader, writer = open_ghost("shared.db"), open_ghost("shared.db")
    writer.put("a", "one", "the ferry leaves at nine")
    assert [hit.key for hit in reader.search("ferry", "a")] == ["one"]
    writer.admin.repair()
    assert [hit.key for hit in reader.search("ferry", "a")] == ["one"]
    assert reader.admin.check().problems == ()


def test_a_dry_run_leaves_no_postings_behind(open_ghost: Callable[..., Ghost]) -> None:
    """Postings that were read inside a write which is undone are not kept."""
    ghost = open_ghost("one.db")
    ghost.put("a", "one", "the ferry leaves at nine")
    with ghost.store.engine.write(dry_run=True) as tx:
        memory = tx.memories.last("a", "one")
        assert memory is not None
        tx.index.remove(memory)
        (present,) = tx.search.spaces(["a"])
        assert [list(chunks) for chunks in tx.search.postings(present, [encode("ferri")], 9)] == [
            []
        ]
    assert [hit.key for hit in ghost.search("ferry", "a")] == ["one"]
