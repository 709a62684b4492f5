"""The composite score: the specification's weights by kind, its multipliers by tier, and what each part measures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.context.composite import KIND_WEIGHTS, TIER_FACTORS, composite, total
from ghostmem.model import Kind, Memory, Priority, Tier

if TYPE_CHECKING:
    from conftest import Book

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    """Return a memory that scores nothing but what is named."""
    base = {
        "id": "1",
        "ns": "a",
        "key": "k",
        "content": "c",
        "kind": Kind.SEMANTIC,
        "version": 1,
        "tier": Tier.LTM,
    }
    return Memory(**{**base, "created_at": NOW, **fields})


@pytest.mark.requirement("002-099", "002-100", "002-101", "002-102")
@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("semantic", (0.45, 0.10, 0.30, 0.15)),
        ("episodic", (0.30, 0.40, 0.15, 0.15)),
        ("procedural", (0.35, 0.05, 0.15, 0.45)),
    ],
)
def test_weights_by_kind(kind: str, weights: tuple[float, ...]) -> None:
    """Relevance, recency, importance and access weigh what the specification says, and sum to one."""
    assert tuple(KIND_WEIGHTS[Kind(kind)]) == weights
    parts = composite(memory(kind=Kind(kind), importance=1.0, access_count=99), 1.0, NOW)
    assert [
        parts[name] for name in ("relevance", "recency", "importance", "access")
    ] == pytest.approx(weights)
    assert total(parts) == pytest.approx(1.0)


@pytest.mark.requirement("002-099", "002-103")
@pytest.mark.parametrize(
    ("tier", "factor"), [("ltm", 1.0), ("stm", 0.8), ("dormant", 0.15), ("sensory", 0.1)]
)
def test_multiplier_by_tier(tier: str, factor: float) -> None:
    """The whole score is multiplied by the tier's factor."""
    assert TIER_FACTORS[Tier(tier)] == factor
    full = memory(tier=Tier(tier), importance=1.0, access_count=99)
    assert total(composite(full, 1.0, NOW)) == pytest.approx(factor)


@pytest.mark.parametrize("days", [0, 1, 7, 365])
def test_recency_fades_by_a_tenth_a_day(days: int) -> None:
    """Recency is e to the minus a tenth of the days since the memory was created."""
    parts = composite(memory(created_at=NOW - timedelta(days=days)), 0.0, NOW)
    assert parts["recency"] == pytest.approx(0.10 * exp(-0.1 * days))


def test_a_memory_from_the_future_is_no_more_than_new() -> None:
    """A creation time ahead of the clock does not raise recency above one."""
    assert composite(memory(created_at=NOW + timedelta(days=30)), 0.0, NOW)[
        "recency"
    ] == pytest.approx(0.10)


@pytest.mark.parametrize(
    ("count", "share"), [(0, 0.0), (9, log(10) / log(100)), (99, 1.0), (10_000, 1.0)]
)
def test_access_grows_by_the_logarithm_up_to_one(count: int, share: float) -> None:
    """Access is ln(count + 1) / ln(100), at most one."""
    assert composite(memory(access_count=count), 0.0, NOW)["access"] == pytest.approx(0.15 * share)


@pytest.mark.parametrize(
    ("priority", "stands_for"), [("critical", 1.0), ("high", 0.75), ("normal", 0.5), ("low", 0.25)]
)
def test_priority_stands_in_for_no_importance(priority: str, stands_for: float) -> None:
    """An importance of nothing is replaced by the priority's; any other importance counts itself."""
    assert composite(memory(importance=0.0, priority=Priority(priority)), 0.0, NOW)[
        "importance"
    ] == pytest.approx(0.3 * stands_for)
    assert composite(memory(importance=0.1, priority=Priority(priority)), 0.0, NOW)[
        "importance"
    ] == pytest.approx(0.03)


@pytest.mark.requirement("002-099")
def test_a_packed_score_is_its_parts_times_its_tier(specified: Book) -> None:
    """What a pack shows of a score adds up to the score."""
    specified.answer(tier="stm", importance=0.9)
    one = specified.one("answer")
    parts = dict(one.why.parts)
    assert parts.pop("tier") == 0.8
    assert one.score == pytest.approx(sum(parts.values()) * 0.8, abs=0.001)
    assert parts["importance"] == pytest.approx(0.27)


def test_kinds_are_weighed_in_a_context(specified: Book) -> None:
    """Of three memories that match alike, an old episode fades most and an old procedure least in recency."""
    for kind in Kind:
        specified.answer(str(kind), kind=str(kind), importance=0.5)
    specified.clock.forward(days=3650)
    recency = {one.key: one.why.parts["recency"] for one in specified.pack().memories}
    assert recency == {"semantic": 0.0, "episodic": 0.0, "procedural": 0.0}
    assert specified.read()[0] == "semantic"


@pytest.mark.requirement("002-103")
def test_tiers_order_a_context(specified: Book) -> None:
    """Of memories that match alike, long-term comes before short-term, dormant and sensory."""
    for tier in ("sensory", "dormant", "stm", "ltm"):
        specified.answer(tier, tier=tier)
    assert specified.read(include_all=True) == ["ltm", "stm", "dormant", "sensory"]
    assert specified.read() == ["ltm", "stm"]
    assert specified.read(tiers=["dormant"]) == ["dormant"]


@pytest.mark.requirement("002-084")
def test_what_was_found_stands_in_order_of_the_composite_score(specified: Book) -> None:
    """Weaker matches that are more important come before the best one; each score is the sum of its parts times its tier."""
    specified.answer("best-match", importance=0.1)
    said = "and it departs whenever the captain of the day says that it does."
    specified.answer("important", f"The harbour ferry has a saloon, {said}", importance=1.0)
    specified.answer("middling", f"The harbour ferry has a kiosk, {said}", importance=0.6)
    specified.put("unrelated", importance=1.0)
    assert (
        specified.ghost.search("where does the harbour ferry depart?", "agent:me")[0].key
        == "best-match"
    )
    pack = specified.pack(expand=False)
    assert pack.keys == ["important", "middling", "best-match"]
    assert {one.why.stage for one in pack.memories} == {"search"}
    sums = [
        sum(one.why.parts[name] for name in ("relevance", "recency", "importance", "access"))
        * one.why.parts["tier"]
        for one in pack.memories
    ]
    assert [one.score for one in pack.memories] == pytest.approx(sums, abs=1e-3)
    assert sums == sorted(sums, reverse=True)
