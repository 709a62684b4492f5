"""Score candidates by reciprocal rank fusion, as specified; chosen with GHOST_FUSION=rrf."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from ghostmem.search.candidates import Candidates, ChunkMatch
from ghostmem.search.query import Query
from ghostmem.search.score import best_first

K = 60
PRIORITY = {"critical": 4, "high": 3, "normal": 2, "low": 1}
TEXT, RECENCY = 0.5, 0.3  # weights in the score of the text retriever
TEXT_TEMPORAL, RECENCY_TEMPORAL = 0.2, 0.7  # and for a question about a time
EPISODIC = 0.3  # bonus of an episode for a question about a time


def score_by_rank(candidates: Candidates, query: Query) -> list[ChunkMatch]:
    """Return the shortlisted candidates with fused scores, best first."""
    temporal = query.times.relative or bool(query.times.months)
    matches = {match.chunk.chunk: match for match in candidates.matches}
    rankings = {
        retriever: {
            number: match.ranks[retriever]
            for number, match in matches.items()
            if retriever in match.ranks
        }
        for retriever in candidates.retrievers
    }

    scores = {}
    for number in rankings["text"]:
        chunk, lexical = matches[number].chunk, matches[number].features["lexical"]
        scores[number] = text_score(lexical, chunk.priority, chunk.created_at, query.now, temporal)
    text = sorted(scores, key=lambda number: (-scores[number], number))
    rankings["text"] = {number: rank for rank, number in enumerate(text, 1)}
    kinds = {number: match.chunk.kind for number, match in matches.items()}
    highest = reciprocal([1] * len(rankings))
    scored = []
    for number, score in fuse(rankings, kinds, temporal).items():
        match = matches[number]
        ranks = {name: places[number] for name, places in rankings.items() if number in places}
        parts = {name: reciprocal([rank]) for name, rank in ranks.items()}
        if temporal and match.chunk.kind == "episodic":
            parts["episode"] = EPISODIC
        specified = min(1.0, score / highest)
        # without features: they are no part of this score
        scored.append(
            ChunkMatch(match.chunk, match.space, ranks, {}, match.cosine, parts, score, specified)
        )
    return sorted(scored, key=best_first)


def reciprocal(ranks: Iterable[int], k: int = K) -> float:
    """Return the sum of 1 / (k + rank) over the retrievers that found an item."""
    return sum(1 / (k + rank) for rank in ranks)


def text_score(
    bm25: float, priority: str, created_at: datetime, now: datetime, temporal: bool
) -> float:
    """Return the score of the text retriever: priority, recency and wording."""
    days = max(0.0, (now - created_at).total_seconds() / 86_400)
    text, recency = (TEXT_TEMPORAL, RECENCY_TEMPORAL) if temporal else (TEXT, RECENCY)
    return PRIORITY[priority] * 0.1 + recency / (1 + days / 7) + text * bm25


def fuse(
    rankings: Mapping[str, Mapping[int, int]], kinds: Mapping[int, str], temporal: bool
) -> dict[int, float]:
    """Fuse the ranks of several retrievers by item; a question about a time prefers episodes."""
    items = {item for ranks in rankings.values() for item in ranks}
    return {
        item: reciprocal(ranks[item] for ranks in rankings.values() if item in ranks)
        + (EPISODIC if temporal and kinds.get(item) == "episodic" else 0.0)
        for item in items
    }
