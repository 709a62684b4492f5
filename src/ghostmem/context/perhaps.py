"""Weak matches for a task for which there is nothing relevant."""

from typing import Any

from ghostmem.model import Hit
from ghostmem.search.search import search
from ghostmem.store import Store

MAX_PERHAPS = 3
MIN_CHANCE = 0.25  # of being relevant, by the judge


def perhaps(store: Store, query: str, ns: str | None, **filters: Any) -> list[Hit]:
    """Return the few memories that narrowly missed being relevant, best first.

    Without a judge there are none: a score alone does not tell a weak match from noise."""
    misses = search(store, query, ns, limit=1, explain=True, **filters).misses
    return [hit for hit in misses if _chance(hit) >= MIN_CHANCE][:MAX_PERHAPS]


def _chance(hit: Hit) -> float:
    return (hit.why.relevance or 0.0) if hit.why else 0.0
