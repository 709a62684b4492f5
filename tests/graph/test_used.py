"""used: what really helped gains utility, and a use."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError

Open = Callable[..., Ghost]


@pytest.fixture
def two(ghost: Ghost) -> Ghost:
    """Store two memories."""
    ghost.put("a", "x", "One.")
    ghost.put("a", "y", "Two.")
    return ghost


def days(ghost: Ghost) -> list[tuple[str, str, int, int]]:
    """Return the access log as (key, day, used, shown)."""
    with ghost.store.engine.read() as tx:
        rows = list(tx.journal.accesses())
        names = tx.memories.by_ids([row.memory_id for row in rows])
        return sorted((names[row.memory_id].key, row.day, row.used, row.shown) for row in rows)


@pytest.mark.requirement("002-027")
def test_what_helped_gains_utility(two: Ghost) -> None:
    """Each named memory gains one, and the answer says how many it has now."""
    assert [(use.ns, use.key, use.utility_count) for use in two.used("a", ["y", "x"])] == [
        ("a", "y", 1),
        ("a", "x", 1),
    ]
    assert two.used("a", ["x"])[0].utility_count == 2
    assert {memory.key: memory.utility_count for memory in two.list("a")} == {"x": 2, "y": 1}


@pytest.mark.requirement("002-027")
def test_it_is_a_use_of_the_day_and_no_retrieval(two: Ghost, clock: Any) -> None:
    """The log counts a use and the time is kept; access_count, which counts retrievals, stays."""
    two.used("a", ["x"])
    clock.forward(days=1)
    two.used("a", ["x"])
    assert days(two) == [("x", "2026-03-14", 1, 0), ("x", "2026-03-15", 1, 0)]
    (found,) = two.list("a", key_prefix="x")
    assert found.access_count == 0
    assert found.last_accessed_at is not None
    assert found.last_accessed_at.isoformat().startswith("2026-03-15")


def test_a_key_named_twice_counts_once(two: Ghost) -> None:
    """One call is one piece of help."""
    assert [use.utility_count for use in two.used("a", ["x", "x"])] == [1]
    assert two.get("a", "x").utility_count == 1


def test_one_key_needs_no_list(two: Ghost) -> None:
    """A text is one key, not its letters."""
    two.put("a", "xy", "Three.")
    assert [use.key for use in two.used("a", "xy")] == ["xy"]


def test_all_or_none(two: Ghost, clock: Any) -> None:
    """An unknown, removed or expired key among them is an error, and nothing is counted."""
    two.put("a", "short", "Three.", ttl="1h")
    two.put("a", "gone", "Four.")
    two.rm("a", "gone")
    clock.forward(hours=2)
    before = list(two.export())
    for key in ("nope", "gone", "short"):
        with pytest.raises(NotFoundError, match=f"a/{key}"):
            two.used("a", ["x", key])
    assert list(two.export()) == before


@pytest.mark.parametrize("keys", [[], (), [3], [None]])
def test_no_key_is_refused(two: Ghost, keys: Any) -> None:
    """At least one key, and each a text."""
    with pytest.raises(InvalidInputError):
        two.used("a", keys)


def test_utility_is_carried_to_the_next_version_and_through_an_export(
    two: Ghost, open_ghost: Open
) -> None:
    """Neither an update nor a move to another store forgets what helped."""
    two.used("a", ["x"])
    two.put("a", "x", "One, reworded.")
    assert two.list("a", key_prefix="x")[0].utility_count == 1
    assert days(two) == [("x", "2026-03-14", 1, 0)]
    other = open_ghost("other.db")
    other.import_(two.export())
    assert other.list("a", key_prefix="x")[0].utility_count == 1
    assert days(other) == days(two)


def test_another_namespace_is_not_touched(two: Ghost) -> None:
    """The same key elsewhere gains nothing."""
    two.put("b", "x", "Other.")
    two.used("a", ["x"])
    assert two.get("b", "x").utility_count == 0
