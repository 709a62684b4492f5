"""Score the candidates of a context.

By default relevance decides, and recency, importance, use and tier refine the order (`refined`).
The specified composite score (`composite`), which weighs the four by kind and multiplies by the
tier, is chosen with GHOST_CONTEXT_SCORE=specified."""

from collections.abc import Mapping
from datetime import datetime
from math import exp, log
from typing import NamedTuple

from ghostmem.model import Kind, Memory, Priority, Tier


class Weights(NamedTuple):
    """The weights of the parts of a score, which add up to 1."""

    relevance: float
    recency: float
    importance: float
    access: float


KIND_WEIGHTS: Mapping[Kind, Weights] = {
    Kind.SEMANTIC: Weights(0.45, 0.10, 0.30, 0.15),
    Kind.EPISODIC: Weights(0.30, 0.40, 0.15, 0.15),
    Kind.PROCEDURAL: Weights(0.35, 0.05, 0.15, 0.45),
}
TIER_FACTORS: Mapping[Tier, float] = {
    Tier.LTM: 1.0,
    Tier.STM: 0.8,
    Tier.DORMANT: 0.15,
    Tier.SENSORY: 0.1,
}
PRIORITY_IMPORTANCE: Mapping[Priority, float] = {  # replaces an importance of 0
    Priority.CRITICAL: 1.0,
    Priority.HIGH: 0.75,
    Priority.NORMAL: 0.5,
    Priority.LOW: 0.25,
}
DECAY = 0.1  # of recency per day: it halves in a week
FULL_USE = 100  # retrievals that count as full use
MAX_BONUS = 0.02  # recency, importance and use together add at most this share of the relevance
TIER_EFFECT = 0.05  # the share of a tier's factor that counts where relevance decides


def composite(
    memory: Memory, relevance: float, now: datetime, accesses: int | None = None
) -> dict[str, float]:
    """Return the weighed parts of a memory's score and the tier's factor, which `total` joins.

    `accesses` counts in place of the memory's own number of accesses."""
    weights = KIND_WEIGHTS[memory.kind]
    accesses = memory.access_count if accesses is None else accesses
    days = max(0.0, (now - memory.created_at).total_seconds() / 86_400)
    importance = (
        memory.importance if memory.importance > 0 else PRIORITY_IMPORTANCE[memory.priority]
    )
    return {
        "relevance": weights.relevance * relevance,
        "recency": weights.recency * exp(-DECAY * days),
        "importance": weights.importance * importance,
        "access": weights.access * min(1.0, log(accesses + 1) / log(FULL_USE)),
        "tier": TIER_FACTORS[memory.tier],
    }


def refined(memory: Memory, relevance: float, uses: int, now: datetime) -> dict[str, float]:
    """Return the parts of a score in which relevance decides.

    `uses` counts how often a memory helped, not how often it was shown."""
    share = MAX_BONUS * relevance / (1 - KIND_WEIGHTS[memory.kind].relevance)
    parts = composite(memory, 0.0, now, uses)
    parts["relevance"] = relevance
    for name in ("recency", "importance", "access"):
        parts[name] *= share
    parts["tier"] = 1 - TIER_EFFECT * (1 - parts["tier"])
    return parts


FACTORS = ("tier", "source")  # the parts that multiply the sum of the others


def total(parts: Mapping[str, float]) -> float:
    """Join the parts of a score."""
    return (
        sum([value for name, value in parts.items() if name not in FACTORS])
        * parts["tier"]
        * parts.get("source", 1.0)
    )
