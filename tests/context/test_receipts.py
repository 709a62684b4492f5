"""Receipts: each memory says why it is in, the pack says what was left out and why, and what each stage brought."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"


def test_a_pack_as_json(book: Book) -> None:
    """Budget, used, and memories in order with key, score, content, excerpt and why."""
    book.answer()
    found = json.loads(json.dumps(book.pack(budget=500).to_dict()))
    assert (found["budget"], found["used"]) == (500, 30)
    (memory,) = found["memories"]
    assert (memory["key"], memory["content"]) == (
        "answer",
        "The harbour ferry departs from pier nine.",
    )
    assert memory["excerpt"] is False
    assert memory["tokens"] == 30
    assert memory["why"]["stage"] == "search"
    assert memory["score"] > 0


def test_a_hit_tells_its_ranks_and_parts(book: Book) -> None:
    """A memory that was searched for names its rank in each leg and the four parts with the tier."""
    book.answer()
    why = book.one("answer").why
    assert why.legs["text"] == 1
    assert set(why.parts) >= {"relevance", "recency", "importance", "access", "tier"}


def test_a_neighbour_tells_its_way(book: Book) -> None:
    """A memory over two edges names both, in order from the hit."""
    book.answer()
    book.put("one")
    book.put("two")
    book.edge("answer", "one", "depends_on")
    book.edge("two", "one", "caused_by")
    path = book.one("two").why.path
    assert [(hop.from_key, str(hop.rel), hop.to_key) for hop in path] == [
        ("answer", "depends_on", "one"),
        ("two", "caused_by", "one"),
    ]


@pytest.mark.parametrize(("key", "told"), [("old", "contradicted by"), ("new", "newer than")])
def test_a_conflict_is_told_on_both_sides(book: Book, key: str, told: str) -> None:
    """Each side of a contradiction names the other, and says which is newer."""
    book.answer("old")
    book.put("new")
    book.edge("new", "old", "contradicts")
    one = book.one(key)
    assert told in one.why.note
    assert one.contradicts == ("old" if key == "new" else "new",)


def test_the_middle_of_a_chain_is_not_the_last_word(book: Book) -> None:
    """A correction that is itself corrected says so."""
    book.answer("first")
    book.put("second")
    book.put("third")
    book.edge("second", "first", "contradicts")
    book.edge("third", "second", "contradicts")
    note = book.one("second").why.note
    assert "first" in note
    assert "contradicted by third" in note


def test_left_out_for_the_budget(book: Book) -> None:
    """What did not fit says so, best first, with its score."""
    for n in range(15):
        book.answer(
            f"answer{n:02}", f"The harbour ferry departs from pier {n}.", importance=0.9 - n / 20
        )
    pack = book.pack(budget=60)
    assert pack.keys == ["answer00", "answer01"]
    assert [one.key for one in pack.left_out] == [f"answer{n:02}" for n in range(2, 12)]
    assert {one.reason for one in pack.left_out} == {"budget"}
    assert pack.skipped == 13
    scores = [one.score for one in pack.left_out]
    assert scores == sorted(scores, reverse=True)


def test_every_reason(open_book: Callable[..., Book]) -> None:
    """Budget, floor, suppression, succession and expiry are told apart."""
    book = open_book(containment="always")
    book.answer("gone", ttl="1h")
    book.answer("child")
    book.put("summary")
    book.edge("summary", "child", "contains")
    book.answer("low", "A ferry zq wx.", importance=0.0, priority="low", tier="stm")
    book.clock.forward(hours=2)
    pack = book.pack(min_score=0.5)
    reasons = {one.key: (one.reason, one.by) for one in pack.left_out}
    assert reasons == {
        "gone": ("expired", None),
        "child": ("suppressed by its summary", "summary"),
        "low": ("floor", None),
    }


def test_nothing_is_both_in_and_left_out(book: Book) -> None:
    """A summary that corrects another memory and is shown for that is not said to be left out."""
    book.answer("old", importance=1.0)
    book.put("child0", "A ferry zq wx.", importance=0.1, tier="stm")
    book.put("child1")
    book.put("summary")
    for key in ("child0", "child1"):
        book.edge("summary", key, "contains")
    book.edge("summary", "old", "contradicts")
    pack = book.pack()
    assert not set(pack.keys) & {one.key for one in pack.left_out}


@pytest.mark.requirement("002-142")
@pytest.mark.parametrize("fields", [{"min_score": 99.0}, {"min_spread": 99.0}], ids=str)
def test_a_pinned_memory_that_was_also_found_is_not_said_to_be_floored(
    book: Book, fields: dict[str, float]
) -> None:
    """What stands in the pack as pinned is not among what a floor left out."""
    book.answer("rule", pinned=True, importance=0.1)
    book.answer("better", importance=1.0)
    pack = book.pack(**fields)
    assert "rule" in pack.keys
    assert "rule" not in {one.key for one in pack.left_out}


@pytest.mark.requirement("002-081")
def test_stages_add_up(book: Book) -> None:
    """The stages' packed memories and tokens are those of the pack."""
    book.put("rule", pinned=True)
    book.answer()
    book.put("far")
    book.edge("answer", "far", "refines")
    book.put("newer")
    book.edge("newer", "answer", "contradicts")
    book.put("about", files=["a.py"])
    pack = book.pack(files=["a.py"])
    assert {name: stage.packed for name, stage in pack.stages.items()} == {
        "pinned": 1,
        "search": 1,
        "file": 1,
        "edge": 1,
        "correction": 1,
    }
    assert sum(stage.tokens for stage in pack.stages.values()) == pack.used


def test_stages_tell_candidates_from_packed(book: Book) -> None:
    """A stage counts what it brought and what came of it."""
    for n in range(10):
        book.answer(f"answer{n}", f"The harbour ferry departs from pier {n}.")
    stage = book.pack(budget=60).stages["search"]
    assert (stage.candidates, stage.packed) == (10, 2)


def test_left_out_names_the_namespace(book: Book) -> None:
    """With a prefix, what was left out is named with its namespace."""
    book.answer(ns="agent:me", importance=1.0)
    book.answer(ns="agent:you")
    pack = book.pack(ns="agent:*", budget=40)
    assert [(one.ns, one.key) for one in pack.left_out] == [("agent:you", "answer")]


def test_a_memory_tells_what_it_is(book: Book) -> None:
    """Kind, tier, version, tags, source and time are there to render it."""
    book.answer(tags=["trip"], source_user="Ann", source_kind="stated")
    one = book.one("answer")
    assert (one.kind, one.tier, one.version, one.tags) == ("semantic", "ltm", 1, ("trip",))
    assert (one.source_user, one.source_kind) == ("Ann", "stated")
    assert one.created_at < book.clock.at
