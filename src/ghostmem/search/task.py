"""Find the memories that matter for a task.

A prompt is an order more often than a question, and the memory that matters for it often shares no
word with it. So the scores of a search do not tell whether a memory matters: a memory has a chance,
by its meaning and wording and by how much the prompt and the namespace offer. The weights were
fitted on prompts of four authors (`python -m bench.day2`), leaving each one out in turn."""

from dataclasses import replace
from math import exp, log
from typing import NamedTuple

from ghostmem.search.candidates import ChunkMatch
from ghostmem.search.query import Query
from ghostmem.search.rank import Ranking, rank
from ghostmem.store import Filter, Store, Transaction

MAX_READ = 30  # best search results that are considered
MIN_BEST = 0.1  # the chance that the best memory needs, or nothing matters for the prompt
MIN_CHANCE = 0.02  # the chance that every other one needs
MIN_TERMS = 3  # of a prompt: shorter ones count as these


class _Weights(NamedTuple):
    """The weights of what speaks for a memory, by provider of vectors."""

    bias: float
    score: float  # of the search
    cosine: float
    best_cosine: float  # of all memories: where all are similar, similarity tells less
    shared: float  # terms of the prompt that the memory shares, by rarity
    terms: float  # the logarithm of the number of terms of the prompt
    memories: float  # the logarithm of the number of memories


_BY_MEANING = _Weights(-5.98, 1.64, 9.32, -2.03, 0.85, 0.80, -0.35)
_BY_WORDS = _Weights(-4.27, 2.17, 0.0, 0.0, 1.16, 0.70, -0.53)


def rank_for_task(store: Store, tx: Transaction, query: Query, filter_: Filter) -> Ranking:
    """Rank memories by their chance to matter for a task; `answers` has those that do."""
    ranking = rank(store, tx, query, filter_, judged=False)
    matches = ranking.matches[:MAX_READ]
    by_chance = sorted(zip(_chances(matches, query), matches, strict=True), key=lambda row: -row[0])
    if not by_chance or by_chance[0][0] < MIN_BEST:
        return replace(ranking, answers=[])
    return replace(ranking, answers=[match for chance, match in by_chance if chance >= MIN_CHANCE])


def _chances(matches: list[ChunkMatch], query: Query) -> list[float]:
    """Return how likely each memory matters for a task."""
    cosines = [match.cosine for match in matches if match.cosine is not None]
    weights = _BY_MEANING if cosines else _BY_WORDS
    best = max(cosines, default=0.0)
    terms = max(MIN_TERMS, len(query.terms))
    log_odds = (
        (
            weights.bias
            + weights.score * match.score
            + weights.cosine * (match.cosine or 0.0)
            + weights.best_cosine * best
            + weights.shared * match.feature("lexical") * len(query.terms)
            + weights.terms * log(terms)
            + weights.memories * log(max(1, match.space.chunks))
        )
        for match in matches
    )
    return [1 / (1 + exp(-odds)) for odds in log_odds]
