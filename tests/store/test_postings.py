"""Postings that stay in memory are never older than the store."""

from collections.abc import Callable

from ghostmem import Ghost
from ghostmem.text.terms import encode


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
