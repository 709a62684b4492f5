"""peek and look: the same figures on every engine, and no more memories read than are shown"""

import sys
from collections import Counter
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.web.home import MAX_LINES, home
from ghostmem.web.overview import look

TIERS = ("stm", "ltm", "dormant")
MANY = 120


@pytest.fixture
def filled(ghost: Ghost, clock: Any) -> Ghost:
    """Return a store with many memories of several namespaces, tiers and sources, some of them with the same time."""
    for number in range(MANY):
        ghost.put(
            f"a:{number % 3}",
            f"k{number:03}",
            f"Memory {number}.",
            tier=TIERS[number % len(TIERS)],
            importance=(number % 7) / 10,
            pinned=number % 40 == 0,
            tags=[f"t{number % 9}"] if number % 2 else [],
            source_user="ann" if number % 5 == 0 else None,
        )
        clock.forward(minutes=number % 2)
    ghost.put("a:0", "gone", "Expired.", ttl="1s", importance=1.0)
    ghost.put("a:0", "removed", "Removed.", importance=1.0)
    ghost.rm("a:0", "removed")
    clock.forward(minutes=5)
    return ghost


@pytest.mark.wide(keep=6)
@pytest.mark.parametrize("ns", [None, "a:1", "a:*", "b"])
def test_peek_says_what_a_listing_says(filled: Ghost, ns: str | None) -> None:
    """Counts, tokens, topics, the most important and the pinned text are those of all memories together."""
    listed = filled.list(ns, limit=1000)
    found = filled.admin.peek(ns)
    assert found.total == len(listed)
    assert found.memory_counts == Counter(str(memory.tier) for memory in listed)
    for tier, tokens in found.total_est_tokens.items():
        assert tokens == sum(memory.est_tokens for memory in listed if memory.tier == tier)
    ranked = sorted(listed, key=lambda m: (-m.importance, -m.created_at.timestamp(), m.ns, m.key))
    assert [stub.key for stub in found.high_importance] == [memory.key for memory in ranked[:5]]
    assert found.pinned_summary == next((memory.content for memory in ranked if memory.pinned), "")
    newest = sorted(
        (memory for memory in ranked if memory.tags), key=lambda m: m.created_at, reverse=True
    )[:20]
    assert (
        found.recent_topics
        == tuple(dict.fromkeys(tag for memory in newest for tag in memory.tags))[:5]
    )


@pytest.mark.parametrize("ns", [None, "a:1", "b"])
def test_look_says_what_a_listing_says(filled: Ghost, ns: str | None) -> None:
    """Shares by namespace, tier and source, and the newest and the pinned."""
    listed = sorted(
        filled.list(ns, limit=1000), key=lambda m: (m.recorded_at, m.ns, m.key), reverse=True
    )
    found = look(filled.store, ns)
    assert (found.total, found.est_tokens) == (
        len(listed),
        sum(memory.est_tokens for memory in listed),
    )
    for shares, names in (
        (found.namespaces, [memory.ns for memory in listed]),
        (found.tiers, [str(memory.tier) for memory in listed]),
        (
            found.sources,
            [memory.source_user or memory.source_client or "unknown" for memory in listed],
        ),
    ):
        assert {share.name: share.count for share in shares} == Counter(names)
        assert [share.count for share in shares] == sorted(Counter(names).values(), reverse=True)
        for share in shares:
            mine = [
                memory for memory, name in zip(listed, names, strict=True) if name == share.name
            ]
            assert share.est_tokens == sum(memory.est_tokens for memory in mine)
            assert share.pinned == sum(memory.pinned for memory in mine)
            assert share.newest == mine[0].recorded_at
    assert [line.key for line in found.newest] == [memory.key for memory in listed[:8]]
    pinned = sorted((memory for memory in listed if memory.pinned), key=lambda m: -m.importance)
    assert [line.key for line in found.pinned] == [memory.key for memory in pinned[:8]]


def test_few_memories_are_read(filled: Ghost) -> None:
    """However many there are, only those that are shown are made into values."""
    calls: Counter[str] = Counter()
    sys.setprofile(
        lambda frame, event, _: calls.update([frame.f_code.co_name] if event == "call" else [])
    )
    try:
        filled.admin.peek()
    finally:
        sys.setprofile(None)
    assert 0 < calls["memory_of"] <= 5 + 20 + 1


def test_changes_have_the_times_of_the_log(ghost: Ghost, clock: Any) -> None:
    """A deletion that was taken back keeps its own time, whatever is written later."""
    start = clock()
    ghost.put("a", "tea", "Green tea.")
    clock.forward(minutes=1)
    ghost.rm("a", "tea")
    clock.forward(minutes=2)
    ghost.restore("a", "tea")
    clock.forward(minutes=10)
    ghost.put("a", "tea", "White tea.")
    happened = [
        (change.op, (change.at - start).seconds // 60) for change in look(ghost.store, "a").happened
    ]
    assert happened == [("put", 13), ("restore", 3), ("remove", 1), ("put", 0)]


def test_home_reads_a_log_whose_last_line_tells_of_new_vectors(ghost: Ghost) -> None:
    """Such a line is no change and has no time; where the part of the log that is read ends does not matter."""
    ghost.put("a", "tea", "Green tea.")
    ghost.admin.repair()
    ghost.put_many(
        [
            {"ns": "a", "key": f"k{number}", "content": f"{number}."}
            for number in range(MAX_LINES - 1)
        ]
    )
    found = home(ghost.store)
    assert (found["total"], found["today"]["added"], found["more"]) == (MAX_LINES, MAX_LINES, True)
