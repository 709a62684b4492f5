"""brief: what a session begins with, when nothing has been asked yet"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.verbs.brief import brief

NS = "project:shop"


def keys(ghost: Ghost, ns: str = NS, budget: int = 1500) -> list[str]:
    """Return what a session would begin with."""
    return brief(ghost.store, ns, budget=budget).keys


def test_pinned_first_then_by_importance(ghost: Ghost) -> None:
    """The order is that of what matters, not of when it was put."""
    ghost.put(NS, "minor", "Coffee is in the kitchen.", importance=0.2, kind="semantic")
    ghost.put(NS, "major", "Never deploy on Fridays.", importance=0.9, kind="semantic")
    ghost.put(NS, "rule", "Answer in British English.", importance=0.1, pinned=True)
    assert keys(ghost) == ["rule", "major", "minor"]


def test_what_has_lasted_is_found_behind_what_is_new(open_ghost: Callable[..., Ghost]) -> None:
    """A thousand new notes do not hide what was promoted long ago."""
    ghost = open_ghost()
    ghost.put(NS, "old", "The vault code is kept by the owner.", importance=1.0, kind="semantic", tier="ltm")
    for number in range(150):
        ghost.put(NS, f"new-{number}", f"Passing remark number {number}.", importance=0.1, kind="semantic")
    assert keys(ghost)[0] == "old"


def test_what_is_not_for_a_beginning_stays_out(ghost: Ghost, clock: Any) -> None:
    """Dormant, sensory, ended, expired and removed memories, recorded turns, and other namespaces."""
    ghost.put(NS, "kept", "Tests run with make test.")
    ghost.put(NS, "asleep", "Something dormant.", tier="dormant")
    ghost.put(NS, "fleeting", "Something sensory.", tier="sensory")
    ghost.put(NS, "turn", "Hello there.", tags=["transcript"])
    ghost.put(NS, "brief", "Gone in a minute.", ttl="60s")
    ghost.put(NS, "removed", "Was removed.")
    ghost.rm(NS, "removed")
    ghost.put(NS, "ended", "The office is in Bonn.", valid_to="2026-03-14")
    ghost.put("project:other", "theirs", "Not ours.")
    clock.forward(minutes=2)
    assert keys(ghost) == ["kept"]


def test_a_summary_stands_for_its_children(ghost: Ghost) -> None:
    """What is summed up is not said twice."""
    for name in ("one", "two"):
        ghost.put(NS, name, f"Detail {name} of the release.", importance=0.9)
    ghost.consolidate(NS, "release", "The release has two details.", ["one", "two"])
    assert keys(ghost) == ["release"]


def test_a_correction_comes_first_or_nothing_of_it_does(ghost: Ghost) -> None:
    """What was corrected is never shown without its correction, and says so."""
    ghost.put(NS, "old", "Deploys are on Tuesdays. " * 3, importance=0.9, kind="semantic")
    ghost.put(NS, "new", "Deploys are on Fridays. " * 20, importance=0.1, kind="semantic")
    ghost.edge(NS, "new", "old", "contradicts")
    pack = brief(ghost.store, NS, budget=1500)
    assert pack.keys == ["new", "old"]
    assert [memory.contradicts for memory in pack] == [("old",), ("new",)]
    assert "old" not in keys(ghost, budget=41)


def test_an_empty_namespace_has_nothing_to_say(ghost: Ghost) -> None:
    """No memories, no pack."""
    assert keys(ghost) == []


def test_being_shown_is_counted(ghost: Ghost) -> None:
    """It is exposure, as in a search."""
    ghost.put(NS, "k", "Tests run with make test.")
    keys(ghost)
    assert ghost.list(NS)[0].access_count == 1


@pytest.mark.parametrize("wrong", [{"budget": 0}, {"budget": -1}])
def test_a_budget_is_a_number_of_tokens(ghost: Ghost, wrong: dict[str, int]) -> None:
    """Nothing fits into nothing."""
    with pytest.raises(Exception, match="budget"):
        brief(ghost.store, NS, **wrong)


@given(sizes=st.lists(st.integers(1, 3_000), max_size=12), budget=st.integers(1, 2_000))
def test_the_budget_is_never_exceeded(sizes: list[int], budget: int) -> None:
    """However long memories are, what is used fits, and is the sum of its parts."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        for number, size in enumerate(sizes):
            ghost.put(NS, f"k{number}", ("word " * size)[:size].strip() or "word", pinned=number % 5 == 0)
        pack = brief(ghost.store, NS, budget=budget)
    assert pack.used == sum(memory.tokens for memory in pack) <= budget
