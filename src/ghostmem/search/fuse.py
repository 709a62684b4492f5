"""Reciprocal rank fusion, as the specification has it: choose it with GHOST_FUSION=rrf."""

from collections.abc import Iterable, Mapping
from datetime import datetime

K = 60
PRIORITY = {"critical": 4, "high": 3, "normal": 2, "low": 1}
TEXT, RECENCY = 0.5, 0.3  # weights of the full-text leg's score
TEXT_TEMPORAL, RECENCY_TEMPORAL = 0.2, 0.7  # and under temporal intent
EPISODIC = 0.3


def reciprocal(ranks: Iterable[int], k: int = K) -> float:
    """Return the sum of 1 / (k + rank) over the legs that found an item."""
    return sum(1 / (k + rank) for rank in ranks)


def text_score(
    bm25: float, priority: str, created_at: datetime, now: datetime, temporal: bool
) -> float:
    """Return the full-text leg's score: priority, recency and text, weighed by whether a time was
    asked for.
    """
    days = max(0.0, (now - created_at).total_seconds() / 86_400)
    text, recency = (TEXT_TEMPORAL, RECENCY_TEMPORAL) if temporal else (TEXT, RECENCY)
    return PRIORITY[priority] * 0.1 + recency / (1 + days / 7) + text * bm25


def fuse(
    legs: Mapping[str, Mapping[int, int]], kinds: Mapping[int, str], temporal: bool
) -> dict[int, float]:
    """Fuse the ranks of several legs by item; episodes gain under temporal intent."""
    items = {item for ranks in legs.values() for item in ranks}
    found = {
        item: reciprocal(ranks[item] for ranks in legs.values() if item in ranks) for item in items
    }
    if temporal:
        return {
            item: score + (EPISODIC if kinds.get(item) == "episodic" else 0.0)
            for item, score in found.items()
        }
    return found
