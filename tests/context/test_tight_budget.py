"""Never the stale fact without its correction: every way in which the two may be stored, at ten budgets from 60 to 4,000."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
BUDGETS = [60, 80, 110, 150, 220, 350, 600, 1000, 2000, 4000]
OLD = "The harbour ferry departs from pier nine."
NEW = "Zebras moved to stable two, says Ottilie."
LONG = (
    "Sun and wind and rain and snow fall on the town in turn, as they did in all the years before. "
)
at_every_budget = pytest.mark.parametrize("budget", BUDGETS)


def filler(book: Book, count: int = 25) -> None:
    """Store many memories that match as well as the stale one."""
    for n in range(count):
        book.answer(f"filler{n}", f"The harbour ferry departs, note {n}.", importance=0.6)


def check(book: Book, pairs: dict[str, str], budget: int, **fields: Any) -> list[str]:
    """Assert that no stale memory stands in the pack without its correction before it, and return the keys."""
    keys = book.pack(budget=budget, **fields).keys
    for stale, newer in pairs.items():
        if stale in keys:
            assert newer in keys, (stale, keys)
            assert keys.index(newer) < keys.index(stale), keys
    return keys


def test_the_correction_of_this_suite_is_not_found_by_its_words(book: Book) -> None:
    """Without edges the question finds the stale fact and not the correction: what follows is about edges."""
    book.answer("stale")
    book.put("newer", NEW)
    assert book.read(expand=False) == ["stale"]


@pytest.mark.wide(keep=8)
@at_every_budget
@pytest.mark.parametrize("forward", [True, False], ids=["points-at-old", "points-at-new"])
def test_a_correction_the_question_does_not_find(book: Book, budget: int, forward: bool) -> None:
    """The correction shares no word with the question, and the edge may point either way."""
    book.answer("stale", importance=1.0)
    filler(book)
    book.put("newer", NEW, importance=0.1)
    book.edge(*(("newer", "stale") if forward else ("stale", "newer")), "contradicts")
    assert "newer" in check(book, {"stale": "newer"}, budget)


@pytest.mark.wide(keep=12)
@at_every_budget
@pytest.mark.parametrize(
    "fields",
    [{"tier": "dormant"}, {"tier": "sensory"}, {"kind": "episodic"}, {"tags": ["other"]}],
    ids=str,
)
def test_a_correction_that_a_filter_would_hide(
    book: Book, budget: int, fields: dict[str, Any]
) -> None:
    """Asleep, of another kind or with another tag, a correction comes with what it corrects."""
    book.answer("stale", importance=1.0, tags=["trip"])
    book.put("newer", NEW, **fields)
    book.edge("newer", "stale", "contradicts")
    keys = check(book, {"stale": "newer"}, budget, tags=["trip"], kind="semantic")
    assert "newer" in keys


@pytest.mark.wide(keep=15)
@at_every_budget
@pytest.mark.parametrize("length", [2, 5, 9, 15, 40])
def test_a_chain_of_corrections_ends_with_the_last_word(
    book: Book, budget: int, length: int
) -> None:
    """In a chain of corrections no link stands without the one that corrects it."""
    book.answer("v0", importance=1.0)
    for n in range(1, length):
        book.put(f"v{n}")
        book.edge(f"v{n}", f"v{n - 1}", "contradicts")
    check(book, {f"v{n}": f"v{n + 1}" for n in range(length - 1)}, budget)


@at_every_budget
def test_corrections_in_a_ring(book: Book, budget: int) -> None:
    """Memories that all contradict each other stand newest first."""
    keys = ["old", "middle", "new"]
    for key in keys:
        book.answer(key)
    for one in keys:
        for other in keys:
            if one != other:
                book.edge(one, other, "contradicts")
    found = check(book, {"old": "new", "middle": "new"}, budget)
    assert found == [key for key in ("new", "middle", "old") if key in found] != []


@at_every_budget
def test_several_corrections_of_one_fact(book: Book, budget: int) -> None:
    """A fact with several corrections stands after all of them, or not at all."""
    book.answer("stale", importance=1.0)
    for n in range(4):
        book.put(f"newer{n}", NEW + f" {n}")
        book.edge(f"newer{n}", "stale", "contradicts")
    for n in range(4):
        check(book, {"stale": f"newer{n}"}, budget)


@pytest.mark.wide(keep=8)
@at_every_budget
@pytest.mark.parametrize("large", ["stale", "newer", "both"])
def test_large_contents(book: Book, budget: int, large: str) -> None:
    """A correction that does not fit whole is excerpted before what it corrects is shown."""
    book.answer("stale", OLD + LONG * 40 if large != "newer" else OLD, importance=1.0)
    book.put("newer", NEW + LONG * 40 if large != "stale" else NEW)
    book.edge("newer", "stale", "contradicts")
    assert "newer" in check(book, {"stale": "newer"}, budget)


STALE: dict[str, Any] = {"content": OLD, "importance": 1.0}
PINNED: dict[str, Any] = {"pinned": True, "importance": 1.0}
NEWER: dict[str, Any] = {"content": NEW}


@dataclass
class Scene:
    """A stale fact and its correction: how they are stored, how many others match, and what is asked."""

    stale: dict[str, Any]
    newer: dict[str, Any]
    fillers: int = 0
    weight: float | None = None
    asked: dict[str, Any] = field(default_factory=dict)
    is_shown: bool = False  # the correction is there at every budget


SCENES = {
    "of a file at hand": Scene(
        {"files": ["a.py"]}, NEWER, asked={"files": ["a.py"]}, is_shown=True
    ),
    "pinned": Scene(PINNED, NEWER, fillers=25),
    "both pinned, the older more important": Scene(
        PINNED, NEWER | {"pinned": True, "importance": 0.1}
    ),
    "pinned correction": Scene({"content": OLD}, NEWER | {"pinned": True, "importance": 0.1}),
    "pinned memories excluded": Scene(
        {"content": OLD}, NEWER | {"pinned": True}, asked={"exclude_pinned": True}
    ),
    "least score": Scene(STALE, NEWER | {"importance": 0.0}, 25, asked={"min_score": 0.65}),
    "least spread": Scene(STALE, NEWER | {"importance": 0.0}, 25, asked={"min_spread": 5.0}),
    "least score and a pinned fact": Scene(
        PINNED | {"importance": 0.1}, NEWER | {"importance": 0.0}, 5, asked={"min_score": 0.65}
    ),
    "least spread and a pinned fact": Scene(
        PINNED | {"importance": 0.1}, NEWER | {"importance": 0.0}, 5, asked={"min_spread": 5.0}
    ),
    "an edge that has decayed to nothing": Scene(STALE, NEWER, weight=0.0, is_shown=True),
    "counted in characters": Scene(STALE, NEWER, fillers=5, asked={"tokens": len}),
}


@at_every_budget
@pytest.mark.parametrize("name", SCENES)
def test_however_they_are_stored(book: Book, budget: int, name: str) -> None:
    """No pin, floor, filter, weight or counter parts a stale fact from its correction."""
    scene = SCENES[name]
    book.put("stale", **scene.stale)
    filler(book, scene.fillers)
    book.put("newer", **scene.newer)
    book.edge("newer", "stale", "contradicts", scene.weight)
    keys = check(book, {"stale": "newer"}, budget, **scene.asked)
    assert "newer" in keys or not scene.is_shown


@at_every_budget
def test_a_stale_fact_that_only_an_edge_leads_to(book: Book, budget: int) -> None:
    """What comes over edges is corrected like what was found."""
    book.answer(importance=1.0)
    book.put("stale", "Lemons cost nine crowns.")
    book.edge("answer", "stale", "depends_on")
    book.put("newer", NEW)
    book.edge("newer", "stale", "contradicts")
    filler(book)
    check(book, {"stale": "newer"}, budget)


@at_every_budget
def test_a_pinned_correction_beyond_the_pinned_share(book: Book, budget: int) -> None:
    """A correction that is pinned and overflows its third still stands before what it corrects."""
    book.answer("stale")
    book.put("rule", LONG, pinned=True, importance=1.0)
    book.put("newer", NEW + LONG, pinned=True, importance=0.1)
    book.edge("newer", "stale", "contradicts")
    check(book, {"stale": "newer"}, budget)


@at_every_budget
@pytest.mark.parametrize("containment", ["roomy", "always"])
def test_a_correction_that_is_part_of_a_summary(
    open_book: Callable[..., Book], budget: int, containment: str
) -> None:
    """A correction that a summary stands for is not suppressed away from what it corrects."""
    book = open_book(containment=containment)
    book.answer("stale", importance=1.0)
    book.put("newer", NEW)
    book.put("other")
    book.put("summary")
    book.edge("newer", "stale", "contradicts")
    for key in ("newer", "other"):
        book.edge("summary", key, "contains")
    check(book, {"stale": "newer"}, budget)


@pytest.mark.wide(keep=8)
@at_every_budget
@pytest.mark.parametrize("containment", ["roomy", "always"])
def test_a_summary_of_a_stale_fact(
    open_book: Callable[..., Book], budget: int, containment: str
) -> None:
    """A summary that stands for a stale fact is not shown without the correction either."""
    book = open_book(containment=containment)
    book.answer("stale", importance=1.0)
    book.put("other")
    book.put("summary", "Ferries, buses and trams: " + OLD)
    for key in ("stale", "other"):
        book.edge("summary", key, "contains")
    filler(book)
    book.put("newer", NEW)
    book.edge("newer", "stale", "contradicts")
    keys = check(book, {"stale": "newer"}, budget)
    assert "summary" not in keys or "newer" in keys


@at_every_budget
def test_a_summary_that_is_contradicted(book: Book, budget: int) -> None:
    """A summary is corrected like any other memory, and so are its children when they stand for it."""
    book.answer("child0")
    book.put("child1")
    book.put("summary", OLD)
    for key in ("child0", "child1"):
        book.edge("summary", key, "contains")
    book.put("newer", NEW)
    book.edge("newer", "summary", "contradicts")
    check(book, {"summary": "newer"}, budget)


@at_every_budget
def test_many_edges_and_no_room_for_expansion(open_book: Callable[..., Book], budget: int) -> None:
    """Neither the number of edges of a seed nor the cap on expansion stands before a correction."""
    book = open_book(edge_max_expansion=1, edge_max_per_seed=1, edge_min_weight=1.0)
    book.answer("stale", importance=1.0)
    for n in range(10):
        book.put(f"far{n}")
        book.edge("stale", f"far{n}", "refines", 1.0)
    book.put("newer", NEW)
    book.edge("newer", "stale", "contradicts", 0.1)
    assert "newer" in check(book, {"stale": "newer"}, budget)


@pytest.mark.parametrize("gone", ["removed", "expired"])
def test_a_correction_that_is_gone_corrects_nothing(book: Book, gone: str) -> None:
    """When the correction was removed or has expired, the fact stands again."""
    book.answer("stale")
    book.put("newer", NEW, **({"ttl": "1h"} if gone == "expired" else {}))
    book.edge("newer", "stale", "contradicts")
    if gone == "expired":
        book.clock.forward(hours=2)
    else:
        book.ghost.rm(NS, "newer")
    for budget in BUDGETS:
        assert book.read(budget=budget) == ["stale"]


def test_a_stale_fact_without_room_for_its_correction_is_reported(book: Book) -> None:
    """What is left out because its correction does not fit says so, and names the correction."""
    book.answer("stale", "Harbour ferry: 9", importance=1.0)
    book.put("newer", "Hippopotomonstrosesquippedaliophobia" * 3)
    book.edge("newer", "stale", "contradicts")
    pack = book.pack(budget=24)
    assert pack.keys == []
    left = {one.key: one for one in pack.left_out}
    assert left["stale"].reason.startswith("superseded")
    assert left["stale"].by == "newer"


def test_switched_off_expansion_still_orders_what_was_found(book: Book) -> None:
    """Without expansion, two contradicting hits stand newer first."""
    book.answer("stale", importance=1.0)
    book.answer("newer", importance=0.1)
    book.edge("stale", "newer", "contradicts")
    assert book.read(expand=False) == ["newer", "stale"]
