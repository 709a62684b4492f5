"""Every condition of a filter lets through the same memories on every engine."""

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.model import NsFilter, SymbolRef
from ghostmem.store.rows import Filter


@pytest.fixture
def filled(ghost: Ghost, clock: Any) -> Ghost:
    """Return a store in which every condition tells some memories from others."""
    ghost.put(
        "a:x",
        "one",
        "One.",
        kind="semantic",
        tier="ltm",
        tags=["red", "it's"],
        priority="high",
        source_user="Ann",
        pinned=True,
    )
    clock.forward(days=1)
    ghost.put(
        "a:x",
        "two",
        "Two.",
        kind="episodic",
        tags=["blue"],
        source_kind="observed",
        source_scope="s",
        source_client="c",
    )
    clock.forward(days=1)
    ghost.put(
        "a:y",
        "three%_",
        "Three.",
        kind="episodic",
        files=[("src/a.py", "created"), "src/b.py"],
        valid_to="2026-03-15",
        source_kind="peer",
    )
    ghost.put(
        "b",
        "four",
        "Four.",
        kind="episodic",
        ttl="1h",
        symbols=[SymbolRef("f", "python", "src/a.py", "/p", "0")],
    )
    ghost.put("b", "five", "Five.")
    ghost.rm("b", "five")
    return ghost


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"ns": NsFilter("a:x")}, "one two"),
        ({"ns": NsFilter("a:*")}, "one three%_ two"),
        ({"ns": NsFilter("a")}, ""),
        ({"now": "+50h"}, "one three%_ two"),
        ({"kinds": ("semantic",)}, "one"),
        ({"kinds": ("semantic", "procedural")}, "one"),
        ({"tiers": ("ltm", "dormant")}, "one"),
        ({"tags": ("red",)}, "one"),
        ({"tags": ("it's", "red")}, "one"),
        ({"tags": ("re",)}, ""),
        ({"tagged": True}, "one two"),
        ({"priorities": ("high", "critical")}, "one"),
        ({"pinned": True}, "one"),
        ({"pinned": False}, "four three%_ two"),
        ({"after": "+12h"}, "four three%_ two"),
        ({"before": "+12h"}, "one"),
        ({"recorded_after": "+12h"}, "four three%_ two"),
        ({"source_user": "Ann"}, "one"),
        ({"source_user": "ann"}, ""),
        ({"source_kind": "observed"}, "two"),
        ({"source_scope": "s"}, "two"),
        ({"source_client": "c"}, "two"),
        ({"file": "src/a.py"}, "three%_"),
        ({"file": "src/a.py", "file_rel": "created"}, "three%_"),
        ({"file": "src/b.py", "file_rel": "created"}, ""),
        ({"file": "src/%.py"}, ""),
        ({"paths": ("src/b.py", "src/z.py")}, "three%_"),
        ({"key_prefix": "t"}, "three%_ two"),
        ({"key_prefix": "three%_"}, "three%_"),
        ({"key_prefix": "_"}, ""),
        ({"valid_at": "+3h"}, "one"),
        ({"valid_at": "+100h"}, "four one two"),
        ({"changed": True}, "three%_"),
        ({"trusted": True}, "four one"),
        ({"closed": True, "now": "+50h"}, "three%_"),
        ({"closed": False, "now": "+50h"}, "one two"),
        ({"deleted": True}, "five"),
        ({"noted": True}, ""),
        ({"noted": False}, "four one three%_ two"),
        ({"code": ""}, "four"),
        ({"code": "/p"}, "four"),
        ({"code": "/q"}, ""),
    ],
)
def test_one_condition(filled: Ghost, clock: Any, condition: dict[str, Any], expected: str) -> None:
    """Listing, counting, scanning and checking ids agree about it."""
    first = filled.history("a:x", "one")[0].created_at
    times = ("now", "after", "before", "recorded_after", "valid_at")
    given = {
        name: _time(value, first) if name in times else value for name, value in condition.items()
    }
    which = Filter(**given)
    with filled.store.engine.read() as tx:
        found = {memory.key: memory.id for memory in tx.listing.select(which)}
        assert " ".join(sorted(found)) == expected
        assert tx.listing.count(which) == len(found)
        assert {memory.key for memory in tx.listing.scan(which)} == set(found)
        everything = [memory.id for memory in tx.listing.rows(NsFilter())]
        assert tx.listing.passing(everything, which) == set(found.values())
        ordered = [memory.key for memory in tx.listing.select(which)]
        assert [memory.key for memory in tx.listing.select(which, 2, 1)] == ordered[1:3]


def _time(text: str, first: Any) -> Any:
    return first + timedelta(hours=int(text[1:-1]))


def test_every_condition_is_tested_here() -> None:
    """A new condition needs a row above."""
    rows = test_one_condition.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert {name for condition, _ in rows for name in condition} == {
        one.name for one in fields(Filter)
    }
    assert replace(Filter(), pinned=True).pinned


def test_the_newest_come_first_and_pages_do_not_overlap(ghost: Ghost) -> None:
    """Also when many have the same time."""
    for number in range(25):
        ghost.put("a", f"k{number:02}", f"Number {number}.")
    pages = [
        [memory.key for memory in ghost.list("a", limit=10, offset=start)] for start in (0, 10, 20)
    ]
    assert [key for page in pages for key in page] == [
        f"k{number:02}" for number in range(24, -1, -1)
    ]


def test_a_count_of_memories_is_compared_with_a_limit(ghost: Ghost) -> None:
    """Whether more memories than a number pass a filter; those of other namespaces do not count."""
    for key in ("one", "two", "three"):
        ghost.put("a", key, f"the {key} of them")
    ghost.put("b", "four", "the other")
    chosen = Filter(ns=NsFilter("a"))
    with ghost.store.engine.read() as tx:
        assert [tx.listing.exceeds(chosen, count) for count in (0, 2, 3)] == [True, True, False]
