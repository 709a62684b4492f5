"""Score candidates: features times published weights, summed and brought to a scale from 0 to 1.

A feature is absent where its field is missing or the question does not ask for it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import fsum, log, sqrt
from operator import attrgetter

from ghostmem.search.candidates import Candidates, ChunkMatch, FeatureTable
from ghostmem.search.query import Query

# The weight of each feature when there are vectors; chosen on development data, see
# docs/decisions.md.
WITH_VECTORS: Mapping[str, float] = {
    "lexical": 1.15,  # the share of the question's wording in the item and its neighbours
    "mixed": 0.9,  # cosine of the question and the item mixed with its neighbours
    "own": 0.42,  # cosine of the question and the item alone
    "source": 0.35,  # the question names one source, and the item is theirs
    "month": 0.69,
    "day": 0.71,
    "place": 0.29,  # a question for a place, and a name in the text
    "when": 0.41,  # a question for a time, and a time in the text
    "question": -0.185,  # the text is itself a question
    "thread": 0.61,  # the mean of the thread's three best cosines
    "wording": 0.45,  # the lexical score of the whole thread
    "identifier": 0.6,  # the question holds a number, a path or a code, and so does the item
    "window": 0.7,  # the item lies in the time the question counts back to
    "recency": 0.3,  # the question asks for the newest
    "episode": 0.15,  # the question is about a time, and the item is an episode
}
WITHOUT_VECTORS: Mapping[str, float] = {
    **WITH_VECTORS,
    "lexical": 1.0,
    "mixed": 0.0,
    "own": 0.0,
    "thread": 0.0,
    "source": 0.18,
    "month": 0.44,
    "day": 0.45,
    "place": 0.17,
    "when": 0.27,
    "question": -0.10,
    "wording": 0.35,
    "identifier": 0.4,
    "window": 0.45,
    "recency": 0.2,
    "episode": 0.1,
}
# with vectors, one or two shared words count for less than their share: meaning is better evidence
CURVE = 1.25
FULL_SUM, FULL_SUM_TEXT = 2.0, 1.0  # of a full match with and without vectors, for `specified`
# The weight of the judge's probability where it has read all candidates: smaller for a question
# about a time, because it does not read the dates. Smallest for a turn of a conversation, of which
# it does not read the neighbours, and for times where it has not read all candidates.
RELEVANCE, TIME_RELEVANCE, PARTIAL_RELEVANCE = 3.5, 1.1, 0.4
# Where it has read the best of many facts: the weight of its log-odds, and the log-odds from which
# they count; lower ones do not tell candidates apart.
RELEVANCE_ODDS, MIN_ODDS = 0.25, -2.0
MIN_CHANCE = 0.001  # probabilities nearer to 0 or 1 count as this one
TIME_FEATURES = frozenset(("month", "window", "recency"))
# Of facts that answer a question equally well, the newest comes first: what it may gain, as a share
# of the attainable sum; the probability that counts as an answer, and how much it may lie below the
# highest; and the seconds between facts that were not noted together.
NEWER, MIN_EQUAL, NEARLY_EQUAL, NOTED_TOGETHER = 0.15, 0.5, 0.2, 60.0
HALF = 0.35  # the share of its attainable sum at which a hit scores 0.5
# left out when a question asks for several things: these are in several threads
THREAD_WIDE = ("thread", "wording")
BEFORE, AFTER = 0.3, 0.1  # the share of its neighbours that is mixed into an item's vector
# for questions that ask for several things: each earlier hit of the same thread costs this many
# standard deviations, among the best TOP items
SPREAD, TOP = 0.1, 40

K = 60
PRIORITY = {"critical": 4, "high": 3, "normal": 2, "low": 1}
TEXT, RECENCY = 0.5, 0.3  # weights in the score of the text retriever
TEXT_TEMPORAL, RECENCY_TEMPORAL = 0.2, 0.7  # and for a question about a time
EPISODIC = 0.3  # bonus of an episode for a question about a time


def score_linear(candidates: Candidates, query: Query, has_vectors: bool) -> list[ChunkMatch]:
    """Score candidates, each on the scale of its attainable sum, and return them best first."""
    matches, table, several = candidates.matches, candidates.table, query.question.several
    weights, full = (WITH_VECTORS, FULL_SUM) if has_vectors else (WITHOUT_VECTORS, FULL_SUM_TEXT)
    names_source = "source" in table.features
    alone = attainable(weights, in_thread=False, names_source=names_source)
    in_thread = attainable(weights, in_thread=not several, names_source=names_source)
    table.summands = weighed(table.features, weights, several)
    for match, total in zip(
        matches, map(sum, zip(*table.summands.values(), strict=True)), strict=True
    ):
        limit = alone if match.chunk.thread is None else in_thread
        match.total, match.limit, match.score = total, limit, score_of(total, limit)
        match.specified = 0.0 if total < 0 else min(1.0, total / full)
    ranked = best_first(matches)
    return varied_threads(ranked) if several else ranked


def add_relevance(match: ChunkMatch, chance: float, has_read_all: bool) -> None:
    """Add the judge's probability that a scored candidate answers the question."""
    match.relevance = chance
    if not has_read_all and knows_all_of(match):
        match.opinion = RELEVANCE_ODDS * max(0.0, log_odds(chance) - MIN_ODDS)
    else:
        weight = PARTIAL_RELEVANCE
        # of "yesterday" the judge knows the word, not the day
        if has_read_all and match.chunk.thread is None and "window" not in match.table.features:
            weight = RELEVANCE if knows_all_of(match) else TIME_RELEVANCE
        match.opinion = weight * chance
        if has_read_all:  # otherwise those that were not read would be on another scale
            match.limit += weight
    match.score = score_of(match.total + match.opinion, match.limit)


def log_odds(chance: float) -> float:
    """Return the log-odds of a probability of the judge's."""
    chance = min(max(chance, MIN_CHANCE), 1 - MIN_CHANCE)
    return log(chance / (1 - chance))


def prefer_newer(judged: Iterable[ChunkMatch]) -> None:
    """Add to the scores of facts that are newer than others that answer the question too."""
    facts = [match for match in judged if match.chunk.thread is None]
    least = max(
        MIN_EQUAL, max((match.relevance or 0.0 for match in facts), default=0.0) - NEARLY_EQUAL
    )
    equal = [match for match in facts if (match.relevance or 0.0) >= least]
    times = [match.chunk.created_at.timestamp() for match in equal]
    for match, time in zip(equal, times, strict=True):
        older = sum(other < time - NOTED_TOGETHER for other in times)
        if older:
            match.newer = NEWER * match.limit * older / (len(times) - 1)
            match.score = score_of(match.total + match.opinion + match.newer, match.limit)


def knows_all_of(match: ChunkMatch) -> bool:
    """Return whether the judge reads all that counts: neither neighbours nor dates count."""
    return match.chunk.thread is None and TIME_FEATURES.isdisjoint(match.table.features)


def parts_of(match: ChunkMatch) -> dict[str, float]:
    """Return what each feature adds to a score."""
    if match.parts is not None:
        return match.parts
    added = {
        name: value
        for name, value in {"relevance": match.opinion, "newer": match.newer}.items()
        if value
    }
    return scaled({**match.summands, **added}, match.limit)


def varied_threads(ranked: list[ChunkMatch]) -> list[ChunkMatch]:
    """Reorder ranked candidates so that one thread does not take every place."""
    order = varied(
        range(len(ranked)),
        [match.score for match in ranked],
        [match.chunk.thread for match in ranked],
    )
    return [ranked[position] for position in order]


def best_first(matches: list[ChunkMatch]) -> list[ChunkMatch]:
    """Sort scored candidates of a namespace: by score, then the newest, then by key and place."""
    return sorted(
        sorted(matches, key=attrgetter("chunk.key", "chunk.seq")),
        key=attrgetter("score", "chunk.created"),
        reverse=True,
    )


def weighed(
    features: Mapping[str, Sequence[float]], weights: Mapping[str, float], several: bool
) -> dict[str, list[float]]:
    """Return the contributions of each feature to the scores, as columns like those given."""
    columns = {
        name: [weights[name] * value for value in values]
        for name, values in features.items()
        if weights[name] and name not in (THREAD_WIDE if several else ())
    }
    if weights is WITH_VECTORS:
        columns["lexical"] = [weights["lexical"] * share**CURVE for share in features["lexical"]]
    return columns


def attainable(weights: Mapping[str, float], in_thread: bool, names_source: bool) -> float:
    """Return the sum that an item could reach: wording, meaning, its thread, a named source."""
    total = weights["lexical"] + weights["mixed"] + weights["own"]
    if in_thread:
        total += weights["thread"] + weights["wording"]
    return total + (weights["source"] if names_source else 0.0)


def score_of(total: float, limit: float) -> float:
    """Bring a sum to a scale from 0 to 1.

    A sum of `HALF` of the attainable sum (`limit`) scores 0.5; larger sums approach 1. A negative
    sum scores 0."""
    return total / (total + HALF * limit) if total > 0 else 0.0


def scaled(parts: Mapping[str, float], limit: float) -> dict[str, float]:
    """Bring the parts of a sum to the scale of `score_of`, on which they add up to the score."""
    total = sum(parts.values())
    if total < 0:
        parts, total = {**parts, "negative": -total}, 0.0
    return {name: value / (total + HALF * limit) for name, value in parts.items()}


def varied(
    order: Sequence[int], scores: Sequence[float], threads: Sequence[int | None]
) -> list[int]:
    """Reorder the best items so that one thread does not take every place."""
    top, beyond = list(order[:TOP]), list(order[TOP:])
    count = len(top) or 1
    mean = fsum(scores[item] for item in top) / count
    deviation = sqrt(fsum((scores[item] - mean) ** 2 for item in top) / count)
    per_thread: dict[int, int] = {}
    chosen: list[int] = []

    def penalised(item: int) -> float:
        return (scores[item] - mean) / (deviation or 1.0) - (
            SPREAD * per_thread.get(threads[item] or 0, 0)
        )

    while top:
        best = max(top, key=penalised)
        top.remove(best)
        chosen.append(best)
        if thread := threads[best]:
            per_thread[thread] = per_thread.get(thread, 0) + 1
    return chosen + beyond


def score_by_rank(candidates: Candidates, query: Query) -> list[ChunkMatch]:
    """Return the shortlisted candidates with fused scores, best first."""
    temporal = query.times.relative or bool(query.times.months)
    matches = {match.chunk.chunk: match for match in candidates.matches}
    rankings = {retriever: dict(ranks) for retriever, ranks in candidates.table.ranks.items()}
    scores = {}
    for number in rankings["text"]:
        chunk, lexical = matches[number].chunk, matches[number].feature("lexical")
        scores[number] = text_score(lexical, chunk.priority, chunk.created_at, query.now, temporal)
    rankings["text"] = {
        number: rank
        for rank, number in enumerate(
            sorted(scores, key=lambda number: (-scores[number], number)), 1
        )
    }
    kinds = {number: match.chunk.kind for number, match in matches.items()}
    highest = reciprocal([1] * len(rankings))
    table = FeatureTable(rankings)  # without features: they are no part of this score
    scored = []
    for number, score in fuse(rankings, kinds, temporal).items():
        match = matches[number]
        fused = ChunkMatch(match.chunk, match.space, table, cosine=match.cosine, score=score)
        fused.parts = {name: reciprocal([rank]) for name, rank in fused.ranks.items()}
        if temporal and match.chunk.kind == "episodic":
            fused.parts["episode"] = EPISODIC
        fused.specified = min(1.0, score / highest)
        scored.append(fused)
    return best_first(scored)


def reciprocal(ranks: Iterable[int]) -> float:
    """Return the sum of 1 / (K + rank) over the retrievers that found an item."""
    return sum(1 / (K + rank) for rank in ranks)


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
