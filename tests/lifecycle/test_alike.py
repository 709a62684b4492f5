"""Memories that are alike: how they are grouped, and when two texts say the same."""

from datetime import UTC, datetime, timedelta
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from ghostmem.model import Kind, Memory
from ghostmem.truth.alike import essence, groups

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def says_the_same(one: str, other: str) -> bool:
    """Say whether reflect takes two texts for doubles."""
    return essence(one) == essence(other)


def memory(key: str, importance: float = 0.5, age: int = 0, **fields: Any) -> Memory:
    """Return a memory whose id is its key."""
    return Memory(
        key,
        "a",
        key,
        "text",
        Kind.EPISODIC,
        1,
        NOW - timedelta(hours=age),
        importance=importance,
        **fields,
    )


def near(*pairs: str) -> dict[str, dict[str, float]]:
    """Return a likeness of 0.95 between the members of each pair."""
    found: dict[str, dict[str, float]] = {}
    for one, other in pairs:
        found.setdefault(one, {})[other] = 0.95
        found.setdefault(other, {})[one] = 0.95
    return found


def keys(found: list[list[Memory]]) -> list[list[str]]:
    """Return the keys of groups."""
    return [[one.key for one in group] for group in found]


def either(one: str, other: str) -> bool:
    """Say whether two texts would be joined, whichever of them is kept."""
    return says_the_same(one, other) or says_the_same(other, one)


def test_a_group_forms_around_the_most_important() -> None:
    """The middle of a group is the most important memory, the others follow by key."""
    found = groups([memory("a"), memory("b"), memory("c", 0.9)], near("ca", "cb"))
    assert keys(found) == [["c", "a", "b"]]


def test_among_equals_the_newest_is_the_middle() -> None:
    """Importance first, then age, then the key."""
    assert keys(groups([memory("a", age=5), memory("b", age=1)], near("ab"))) == [["b", "a"]]
    assert keys(groups([memory("b"), memory("a")], near("ab"))) == [["a", "b"]]


def test_likeness_is_not_passed_on() -> None:
    """What is like a member but not like the middle is in no group with it."""
    found = groups([memory("a", 0.9), memory("b", 0.5), memory("c", 0.4)], near("ab", "bc"))
    assert keys(found) == [["a", "b"]]


def test_no_memory_is_in_two_groups() -> None:
    """Once taken, a memory is not taken again."""
    found = groups(
        [memory("a", 0.9), memory("b", 0.8), memory("c", 0.7), memory("d", 0.6)],
        near("ab", "bc", "bd", "cd"),
    )
    assert keys(found) == [["a", "b"], ["c", "d"]]


def test_alone_is_no_group() -> None:
    """Neither a memory without any like it nor one whose like is not among those meant."""
    assert groups([memory("a"), memory("b")], {}) == []
    assert groups([memory("a")], near("ab")) == []
    assert groups([], near("ab")) == []


def test_groups_do_not_depend_on_the_order_given() -> None:
    """Memories with equal everything are grouped alike however they arrive."""
    equal = [memory(key) for key in "abcd"]
    found = {
        str(keys(groups(list(order), near("ab", "bc", "cd", "da"))))
        for order in permutations(equal)
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user prefers tea over coffee.", "The user prefers tea over coffee."),
        ("The user prefers tea over coffee.", "the user prefers  tea over coffee"),
        ("The office is in Berlin.", "An office is in Berlin!"),
        ("Deploys run at 9:30 on weekdays.", "Deploys run at 9:30 on weekdays"),
        ("Ana doesn’t eat fish.", "Ana doesn't eat fish."),
        ("会議は火曜日の午後です。", "会議は火曜日の午後です"),
        ("!!!", "!!!"),
    ],
)
def test_the_same_in_other_clothes_is_the_same(one: str, other: str) -> None:
    """Case, punctuation, articles and white space do not matter."""
    assert says_the_same(one, other)
    assert says_the_same(other, one)


def test_the_one_that_says_more_is_never_given_up() -> None:
    """A text is no double of one that lacks a word of it."""
    short = "The billing service runs on three nodes in Frankfurt."
    long = "The billing service runs on three nodes in Frankfurt, Germany."
    assert not says_the_same(long, short)


def test_a_remark_is_not_lost_in_a_page() -> None:
    """Of a much longer text the short one is no double, though every word of it is there."""
    page = "The billing service runs on three nodes. " + " ".join(
        f"Point {n} concerns topic{n}." for n in range(50)
    )
    assert not says_the_same("The billing service runs on three nodes.", page)


def test_long_texts_that_differ_late_are_not_the_same() -> None:
    """The whole text counts, not its beginning."""
    body = " ".join(f"Step {n} checks module{n}." for n in range(400))
    assert says_the_same(body, body + "\n")
    assert not either(f"{body} It passed for Ana.", f"{body} It passed for Bob.")


TEMPLATES = {  # a line is a template: its name, and messages with other values
    line.partition(": ")[0]: line.partition(": ")[2].split(" | ")
    for line in Path(__file__).with_name("templates.txt").read_text(encoding="utf-8").splitlines()
}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(*pair, id=f"{name} {n}")
        for name, texts in TEMPLATES.items()
        for n, pair in enumerate(combinations(texts, 2))
    ],
)
def test_two_messages_of_one_template_are_never_the_same(one: str, other: str) -> None:
    """Whatever the template carries, other values in it are other messages, whichever of the two would stay."""
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)
