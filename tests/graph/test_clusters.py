"""clusters: the groups that `relates_to` connects."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem import Ghost, InvalidInputError
from ghostmem.grouping import components


def store(ghost: Ghost, keys: str, ns: str = "a") -> None:
    """Store one memory a letter."""
    for key in keys:
        ghost.put(ns, key, f"The text of {key}.")


def relate(ghost: Ghost, *pairs: str, rel: str = "relates_to") -> None:
    """Link pairs of letters."""
    for one, other in pairs:
        ghost.edge("a", one, other, rel)


@pytest.mark.requirement("002-126")
def test_groups_are_what_edges_connect_in_any_direction(ghost: Ghost) -> None:
    """A chain and a star are one group each, largest first, keys in order; the lonely are in none."""
    store(ghost, "abcdefg")
    relate(ghost, "ab", "cb", "ef")
    found = ghost.clusters("a")
    assert [cluster.keys for cluster in found] == [("a", "b", "c"), ("e", "f")]
    assert [cluster.count for cluster in found] == [3, 2]
    assert found[0].est_tokens == sum(ghost.get("a", key).est_tokens for key in "abc")


def test_groups_of_one_size_stand_in_order_of_their_keys(ghost: Ghost) -> None:
    """The order does not depend on which edge was made first."""
    store(ghost, "abcdef")
    relate(ghost, "ef", "cd", "ab")
    assert [cluster.keys for cluster in ghost.clusters("a")] == [("a", "b"), ("c", "d"), ("e", "f")]


@pytest.mark.parametrize("rel", ["contains", "contradicts", "depends_on", "merged_into", "implies"])
def test_other_relations_connect_nothing(ghost: Ghost, rel: str) -> None:
    """Only likeness makes a group."""
    store(ghost, "ab")
    relate(ghost, "ab", rel=rel)
    assert ghost.clusters("a") == []


def test_a_removed_or_expired_memory_connects_nothing(ghost: Ghost, clock: Any) -> None:
    """A group falls apart where its bridge goes."""
    store(ghost, "ac")
    ghost.put("a", "b", "The bridge.", ttl="1h")
    store(ghost, "d")
    relate(ghost, "ab", "bc", "cd")
    assert ghost.clusters("a")[0].count == 4
    ghost.rm("a", "d")
    assert ghost.clusters("a")[0].keys == ("a", "b", "c")
    clock.forward(hours=2)
    assert ghost.clusters("a") == []


def test_a_group_says_how_many_have_a_summary(ghost: Ghost) -> None:
    """Members below a summary are counted; the summary itself joins only by likeness."""
    store(ghost, "abc")
    relate(ghost, "ab", "bc")
    assert ghost.clusters("a")[0].summarised == 0
    ghost.consolidate("a", "sum", "About a and b.", ["a", "b"])
    (cluster,) = ghost.clusters("a")
    assert (cluster.keys, cluster.summarised) == (("a", "b", "c"), 2)


def test_a_namespace_is_a_wall(ghost: Ghost) -> None:
    """Groups of another namespace are not shown, and an empty one has none."""
    store(ghost, "ab")
    relate(ghost, "ab")
    assert ghost.clusters("b") == []
    with pytest.raises(InvalidInputError):
        ghost.clusters("")


def test_a_group_survives_new_versions(ghost: Ghost) -> None:
    """Updating a member changes neither its group nor its place in it."""
    store(ghost, "abc")
    relate(ghost, "ab", "bc")
    ghost.put("a", "b", "Another text of b.")
    assert [cluster.keys for cluster in ghost.clusters("a")] == [("a", "b", "c")]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=40))
def test_components_are_the_finest_groups_that_hold_every_pair(
    pairs: list[tuple[int, int]],
) -> None:
    """Each item is in one group, both of a pair in the same, and two in one group are joined by a way of pairs."""
    groups = components(pairs)
    where = {item: at for at, group in enumerate(groups) for item in group}
    assert sum(map(len, groups)) == len(where) == len({item for pair in pairs for item in pair})
    assert all(where[one] == where[other] for one, other in pairs)
    for group in groups:
        reached = {group[0]}
        for _ in group:
            reached |= {end for pair in pairs if reached & set(pair) for end in pair}
        assert reached == set(group)


def test_a_long_chain_is_one_group() -> None:
    """Thousands in a row need no recursion."""
    assert [len(group) for group in components([(at, at + 1) for at in range(5000)])] == [5001]
