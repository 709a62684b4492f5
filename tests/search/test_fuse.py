"""Reciprocal rank fusion has the specification's numbers, alone and in a whole search."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from ghostmem import Ghost
from ghostmem.search.score import fuse, reciprocal, text_score

NOW = datetime(2026, 3, 14, tzinfo=UTC)


@pytest.mark.requirement("002-069")
@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([1], 0.016393), ([1, 1], 0.032787), ([2], 0.016129), ([1, 1, 1], 0.04918), ([], 0.0)],
)
def test_reciprocal_ranks_with_k_60(ranks: list[int], expected: float) -> None:
    """Rank one is worth 1/61, and legs add up."""
    assert reciprocal(ranks) == pytest.approx(expected, abs=1e-6)


@pytest.mark.requirement("002-072", "002-079")
def test_the_text_score_weighs_priority_recency_and_text() -> None:
    """Half for text and three tenths for recency; under temporal intent two tenths and seven."""
    assert text_score(1.0, "normal", NOW, NOW, False) == pytest.approx(0.2 + 0.3 + 0.5)
    assert text_score(1.0, "normal", NOW, NOW, True) == pytest.approx(0.2 + 0.7 + 0.2)
    assert text_score(0.0, "critical", NOW - timedelta(days=7), NOW, False) == pytest.approx(
        0.4 + 0.15
    )
    assert text_score(0.0, "low", NOW - timedelta(days=7), NOW, True) == pytest.approx(0.1 + 0.35)
    assert text_score(1.0, "high", NOW + timedelta(days=3), NOW, False) == pytest.approx(
        0.3 + 0.3 + 0.5
    )


@pytest.mark.requirement("002-080")
def test_fuse_adds_legs_and_favours_episodes_in_time() -> None:
    """An item of two legs beats one of a single leg; an episode gains three tenths when a time is asked for."""
    legs = {"text": {1: 1, 2: 2}, "vector": {2: 1, 3: 2}}
    plain = fuse(legs, {1: "semantic", 2: "semantic", 3: "episodic"}, temporal=False)
    assert max(plain, key=lambda item: plain[item]) == 2
    assert plain == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 62})
    timed = fuse(legs, {1: "semantic", 2: "semantic", 3: "episodic"}, temporal=True)
    assert timed[3] == pytest.approx(plain[3] + 0.3)
    assert timed[1] == plain[1]
    assert fuse({}, {}, temporal=True) == {}


@pytest.mark.requirement("002-069")
def test_a_whole_search_can_be_fused(open_ghost: Callable[..., Ghost]) -> None:
    """With GHOST_FUSION=rrf the best of two legs scores 2/61, and episodes come first under temporal intent."""
    ghost = open_ghost(":memory:", embed_provider="static", fusion="rrf")
    ghost.put("a", "best", "The deployment runs on Tuesdays.", kind="semantic")
    ghost.put(
        "a", "other", "Deployment notes are kept elsewhere, with many other notes.", kind="semantic"
    )
    ghost.put("a", "far", "The orchestra rehearses Brahms.", kind="episodic")
    found = ghost.search("deployment runs on Tuesdays", "a", explain=True)
    assert found[0].key == "best"
    assert found[0].score == pytest.approx(2 / 61, abs=1e-4)
    assert found[0].why is not None
    assert found[0].why.legs == {"text": 1, "vector": 1}
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    ghost.put("a", "episode", "A deployment took place.", kind="episodic")
    timed = ghost.search("deployment yesterday", "a")
    assert timed[0].key == "episode"
    assert timed[0].score > 0.3


def test_a_fused_search_without_vectors(open_ghost: Callable[..., Ghost]) -> None:
    """With words alone the best scores 1/61, and priority decides among equals."""
    ghost = open_ghost(":memory:", embed_provider="none", fusion="rrf")
    ghost.put("a", "normal", "The deployment runs.")
    ghost.put("a", "critical", "The deployment runs.", priority="critical")
    found = ghost.search("deployment", "a")
    assert [hit.key for hit in found] == ["critical", "normal"]
    assert found[0].score == pytest.approx(1 / 61, abs=1e-4)
