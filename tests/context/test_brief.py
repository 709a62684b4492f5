"""brief: what a session begins with, when nothing has been asked yet"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.context.brief import brief
from ghostmem.settings import Settings

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


Group = tuple[str, str]  # a key, and the stage that brought it


def groups(ghost: Ghost, since: datetime | None = None, budget: int = 1500) -> list[Group]:
    """Return what a session would begin with, each with the group that brought it."""
    pack = brief(ghost.store, NS, budget=budget, since=since)
    return [(memory.key, memory.why.stage) for memory in pack]


def test_the_order_of_the_groups(ghost: Ghost, clock: Any) -> None:
    """Pinned, rules, what changed, the rest; importance counts inside a group only."""
    ghost.put(NS, "rest", "Coffee is in the kitchen.", importance=0.79, kind="semantic")
    ghost.put(NS, "edited", "The office is in Bonn.", importance=0.3, kind="semantic")
    clock.forward(days=1)
    since = clock()
    ghost.put(NS, "new", "The cart has a banner.", importance=0.1, kind="semantic")
    ghost.put(NS, "edited", "The office is in Berlin.")
    ghost.put(NS, "style", "Tabs, not spaces.", tags=["convention"], importance=0.1)
    ghost.put(NS, "tone", "Answer in British English.", importance=0.1, pinned=True)
    pinned, rules, rest = [("tone", "pinned")], [("style", "rule")], ("rest", "brief")
    changed = [("edited", "changed"), ("new", "changed")]
    assert groups(ghost, since) == [*pinned, *rules, *changed, rest]
    unchanged = [rest, ("edited", "brief"), ("new", "brief")]
    assert groups(ghost) == [*pinned, *rules, *unchanged]
    assert groups(ghost, since, budget=30) == rules


def test_rules_are_ordered_by_importance(ghost: Ghost, clock: Any) -> None:
    """A new rule does not come before one that matters more; priorities count as importance."""
    for key, fields in (
        ("old", {"importance": 0.7, "kind": "semantic"}),
        ("urgent", {"priority": "critical"}),
        ("new", {"importance": 0.6}),
    ):
        ghost.put(NS, key, f"The {key} rule.", tags=["rule"], **fields)
        clock.forward(days=30)
    assert keys(ghost) == ["urgent", "old", "new"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind": "procedural"}, "kind procedural"),
        ({"tags": ["x", "decision"]}, "tag decision"),
        ({"tags": ["rule"], "kind": "procedural"}, "tag rule"),
        ({"priority": "high"}, "priority high"),
        ({"priority": "critical"}, "priority critical"),
        ({"importance": 0.8}, "importance 0.8"),
        ({"importance": 0.7, "tags": ["rules-of-chess"]}, ""),
    ],
    ids=str,
)
def test_a_rule_is_told_by_its_fields(ghost: Ghost, fields: dict[str, Any], reason: str) -> None:
    """The reason is in the note of the memory's `why`."""
    ghost.put(NS, "k", "Tests run with make test.", **fields)
    why = brief(ghost.store, NS, budget=1500).memories[0].why
    assert (why.stage, why.note) == ("rule" if reason else "brief", reason)


@pytest.mark.parametrize(
    ("said", "tag", "group"),
    [
        ("I prefer tabs over spaces in this project.", "preference", "rule"),
        ("We decided to keep money as integer cents.", "decision", "rule"),
        ("Correction: the port of the server is 8080, not 8000.", "correction", "rule"),
        ("Never deploy to production on a Friday.", "boundary", "rule"),
        ("Gotcha: the test database must be reset first.", "gotcha", "brief"),
    ],
    ids=lambda value: value if " " not in value else "",
)
def test_what_was_captured_is_recognised(ghost: Ghost, said: str, tag: str, group: str) -> None:
    """Captured preferences, decisions, corrections and boundaries are rules."""
    ghost.capture(said, NS)
    assert tag in ghost.list(NS)[0].tags
    assert [stage for _, stage in groups(ghost)] == [group]


def test_an_old_rule_is_found_behind_what_is_new(open_ghost: Callable[..., Ghost]) -> None:
    """However many memories were stored since, a decision is not hidden by them."""
    ghost = open_ghost()
    ghost.put(NS, "old", "We chose SQLite.", tags=["decision"], importance=0.4, kind="semantic")
    for number in range(150):
        ghost.put(NS, f"new-{number}", f"Passing remark number {number}.", kind="semantic")
    assert keys(ghost)[0] == "old"


def test_what_is_noted_late_has_changed_too(open_ghost: Callable[..., Ghost], clock: Any) -> None:
    """A memory of a conversation long ago is new if it was stored after the last session."""
    ghost = open_ghost()
    for number in range(150):
        ghost.put(NS, f"known-{number}", f"Passing remark number {number}.", kind="semantic")
    since = clock()
    ghost.put(NS, "late", "The logo is blue.", created_at="2020-01-01", importance=0.1)
    assert groups(ghost, since)[0] == ("late", "changed")


def test_identical_texts_are_shown_once(ghost: Ghost, clock: Any) -> None:
    """The pinned one of them, or else the latest."""
    for key, fields in (("a", {}), ("b", {"pinned": True}), ("c", {})):
        clock.forward(minutes=1)
        ghost.put(NS, key, "Answer in British English.", **fields)
    for key, text in (("d", "Tests run with\nmake test."), ("e", "Tests run with make test.")):
        clock.forward(minutes=1)
        ghost.put(NS, key, text)
    assert keys(ghost) == ["b", "e"]


def test_what_is_stated_again_has_the_last_word(ghost: Ghost, clock: Any) -> None:
    """First Tuesdays, then Fridays, then Tuesdays again: the last one comes before the second."""
    said = {"first": "Deploys are on Tuesdays.", "second": "Deploys are on Fridays."}
    for key, text in {**said, "third": said["first"]}.items():
        clock.forward(minutes=1)
        ghost.put(NS, key, text, kind="semantic", importance=0.9 if key == "second" else 0.1)
    ghost.edge(NS, "second", "first", "contradicts")
    ghost.edge(NS, "third", "second", "contradicts")
    assert keys(ghost) == ["third", "second"]


def test_the_correction_of_one_text_is_that_of_its_duplicate(ghost: Ghost, clock: Any) -> None:
    """A copy of a corrected memory does not come without the correction."""
    for key, text in (("a", "Tea at noon."), ("b", "Tea at noon."), ("c", "Tea at four.")):
        clock.forward(minutes=1)
        ghost.put(NS, key, text, kind="semantic", importance=0.1 if key == "c" else 0.9)
    ghost.edge(NS, "c", "a", "contradicts")
    assert keys(ghost) == ["c", "b"]


def test_what_has_lasted_is_found_behind_what_is_new(open_ghost: Callable[..., Ghost]) -> None:
    """A thousand new notes do not hide what was promoted long ago."""
    ghost = open_ghost()
    ghost.put(
        NS,
        "old",
        "The vault code is kept by the owner.",
        importance=1.0,
        kind="semantic",
        tier="ltm",
    )
    for number in range(150):
        ghost.put(
            NS, f"new-{number}", f"Passing remark number {number}.", importance=0.1, kind="semantic"
        )
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
            ghost.put(
                NS, f"k{number}", ("word " * size)[:size].strip() or "word", pinned=number % 5 == 0
            )
        pack = brief(ghost.store, NS, budget=budget)
    assert pack.used == sum(memory.tokens for memory in pack) <= budget
