"""What was true at a time, and what was believed at a time."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError

NS = "agent:me"


@pytest.fixture
def moved(ghost: Ghost, clock: object) -> tuple[Ghost, list[object]]:
    """An office that moved twice, ten days apart; the times between."""
    times = []
    for number, city in enumerate(("Oslo", "Bergen", "Tromsø")):
        before = {"supersedes": f"office{number - 1}"} if number else {}
        ghost.put(NS, f"office{number}", f"The office is in {city}.", **before)
        clock.forward(days=5)  # type: ignore[attr-defined]
        times.append(clock())  # type: ignore[operator]
        clock.forward(days=5)  # type: ignore[attr-defined]
    return ghost, times


def keys(found: object) -> list[str]:
    return [hit.key for hit in found]  # type: ignore[attr-defined]


def test_valid_at_tells_what_was_true(moved: tuple[Ghost, list[object]]) -> None:
    """Each time has its own truth, in search, context and list."""
    ghost, times = moved
    for number, at in enumerate(times):
        assert keys(ghost.search("where is the office", NS, valid_at=at)) == [f"office{number}"]
        assert ghost.context("where is the office", NS, valid_at=at).keys == [f"office{number}"]
        assert keys(ghost.list(NS, valid_at=at)) == [f"office{number}"]


def test_as_of_tells_what_was_believed(moved: tuple[Ghost, list[object]]) -> None:
    """The same places, with nothing of what was learned later."""
    ghost, times = moved
    for number, at in enumerate(times):
        found = ghost.search("where is the office", NS, as_of=at)
        assert keys(found) == [f"office{number}"]
        assert keys(found.superseded) == [f"office{n}" for n in range(number)][::-1] or set(
            keys(found.superseded)
        ) == {f"office{n}" for n in range(number)}
        assert ghost.context("where is the office", NS, as_of=at).keys == [f"office{number}"]


def test_belief_and_truth_differ(ghost: Ghost, clock: object) -> None:
    """A move that was learned of late: true since January, believed since March."""
    ghost.put(NS, "a", "Ada lives in Oslo.")
    clock.forward(days=60)  # type: ignore[attr-defined]
    learned = clock()  # type: ignore[operator]
    ghost.put(
        NS, "b", "Ada lives in Bergen.", supersedes="a", valid_from=learned - timedelta(days=30)
    )
    then = learned - timedelta(days=10)
    assert keys(ghost.search("where does Ada live", NS, valid_at=then)) == ["b"]
    assert keys(ghost.search("where does Ada live", NS, as_of=then)) == ["a"]


def test_versions_of_a_key_are_beliefs(ghost: Ghost, clock: object) -> None:
    """The old words are found in the past, and only there; so is what was removed since."""
    ghost.put(NS, "tea", "The user drinks sencha.")
    ghost.put(NS, "mug", "The user has a blue mug.")
    at = clock()  # type: ignore[operator]
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.put(NS, "tea", "The user drinks rooibos.")
    ghost.rm(NS, "mug")
    assert keys(ghost.search("sencha", NS)) == []
    assert ghost.search("sencha", NS, as_of=at)[0].content == "The user drinks sencha."
    assert keys(ghost.search("blue mug", NS, as_of=at)) == ["mug"]
    assert ghost.get(NS, "tea", as_of=at).version == 1
    with pytest.raises(NotFoundError, match="as of"):
        ghost.get(NS, "tea", as_of=at - timedelta(days=9))


def test_edges_of_later_are_not_there(ghost: Ghost, clock: object) -> None:
    """A correction that was not known then corrects nothing then."""
    ghost.put(NS, "a", "Parking is at the north gate.")
    ghost.put(NS, "b", "Visitors leave their cars in the garage below the gate.")
    at = clock()  # type: ignore[operator]
    clock.forward(days=1)  # type: ignore[attr-defined]
    ghost.edge(NS, "b", "a", "contradicts")
    assert "contradicted" not in "".join(
        hit.note for hit in ghost.search("parking at the gate", NS, as_of=at)
    )
    assert "contradicted" in "".join(hit.note for hit in ghost.search("parking at the gate", NS))


def test_looking_back_changes_nothing(moved: tuple[Ghost, list[object]]) -> None:
    """Neither counts nor rows."""
    ghost, times = moved
    before = [memory.to_dict() for memory in ghost.list(NS)]
    ghost.search("office", NS, as_of=times[0])
    ghost.context("office", NS, as_of=times[0])
    assert [memory.to_dict() for memory in ghost.list(NS)] == before


def test_the_future_is_refused(ghost: Ghost) -> None:
    """Nobody knows what will be believed."""
    with pytest.raises(InvalidInputError, match="is in the future"):
        ghost.search("x", NS, as_of="2999-01-01")


def test_only_the_namespace_asked_for_is_looked_at(ghost: Ghost, clock: object) -> None:
    """A search of the past stays within its namespace too."""
    ghost.put(NS, "a", "Parking is at the north gate.")
    ghost.put("agent:other", "b", "Parking is at the south gate.")
    at = clock()  # type: ignore[operator]
    assert keys(ghost.search("parking", NS, as_of=at)) == ["a"]


def test_vectors_are_there_in_the_past(anywhere: Callable[[], str], clock: object) -> None:
    """What was meant is found as it is now, also for a version that has no vectors any more."""
    from ghostmem.settings import Settings

    with Ghost.open(anywhere(), settings=Settings(embed_provider="static"), clock=clock) as ghost:  # type: ignore[arg-type]
        ghost.put(NS, "car", "The automobile is red.")
        ghost.put(NS, "pet", "The dog is called Rex.")
        at = clock()  # type: ignore[operator]
        clock.forward(days=1)  # type: ignore[attr-defined]
        ghost.put(NS, "car", "It was sold.")
        found = ghost.search("what colour is the car", NS, as_of=at)
        assert found[0].content == "The automobile is red."
        assert "vector" in found.legs
