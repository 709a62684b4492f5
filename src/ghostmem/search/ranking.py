"""From the features of a pool to an order, and whether to answer at all."""

from __future__ import annotations

from collections.abc import Mapping

from ghostmem.search import abstain
from ghostmem.search.fuse import EPISODIC, fuse, reciprocal, text_score
from ghostmem.search.query import Asked, Pool
from ghostmem.search.score import FULL, FULL_TEXT, WITH_VECTORS, attainable, scaled, varied, weighed
from ghostmem.store.rows import Candidate, Space
from ghostmem.text.calendar import MONTHS, RECENT, TIME_WORDS

NEAREST = 0.15  # a cosine below this is no evidence
_EVIDENCE = frozenset(
    ("lexical", "month", "day", "window", "recency", "text", "substring", "vector")
)  # parts of a score
UNSPACED = 0.12  # how much more wording is asked for where words are not set apart by spaces


class Scored:
    """One item of one namespace with its score and what it is made of."""

    __slots__ = ("cosine", "identifier", "item", "parts", "ranks", "score", "space", "specified")

    def __init__(
        self,
        space: Space,
        item: Candidate,
        score: float,
        parts: dict[str, float],
        cosine: float | None,
        ranks: dict[str, int],
        specified: float = 0.0,
        identifier: float = 0.0,
    ) -> None:
        self.space, self.item, self.score, self.parts = space, item, score, parts
        self.cosine, self.ranks = cosine, ranks
        self.specified = specified  # the relevance that the specified context counts, from 0 to 1
        self.identifier = identifier  # the share of the codes in the question that the item holds


def linear(space: Space, pool: Pool, weights: Mapping[str, float], asked: Asked) -> list[Scored]:
    """Rank by the linear score, each item on the scale of what it could reach."""
    several, full = asked.question.several, FULL if weights is WITH_VECTORS else FULL_TEXT
    names_source = any("source" in features for features in pool.features)
    sums = [weighed(features, weights, several) for features in pool.features]
    parts = [
        scaled(part, attainable(weights, item.thread is not None and not several, names_source))
        for item, part in zip(pool.items, sums, strict=True)
    ]
    scores = [sum(part.values()) for part in parts]
    order = sorted(
        range(len(scores)),
        key=lambda at: (
            -scores[at],
            -pool.items[at].created_at.timestamp(),
            pool.items[at].key,
            pool.items[at].seq,
        ),
    )
    if several:
        order = varied(order, scores, [item.thread for item in pool.items])
    return [
        Scored(
            space,
            pool.items[at],
            scores[at],
            parts[at],
            pool.cosines[at],
            {
                leg: ranks[pool.items[at].chunk]
                for leg, ranks in pool.ranks.items()
                if pool.items[at].chunk in ranks
            },
            min(1.0, max(0.0, sum(sums[at].values()) / full)),
            pool.features[at].get("identifier", 0.0),
        )
        for at in order
    ]


def fused(space: Space, pool: Pool, asked: Asked) -> list[Scored]:
    """Rank as the specification does: reciprocal ranks of the legs, with its full-text score and
    its temporal weights.
    """
    temporal = asked.times.relative or bool(asked.times.months)
    at = {item.chunk: place for place, item in enumerate(pool.items)}
    text = sorted(
        pool.ranks.get("text", {}),
        key=lambda chunk: (
            -text_score(
                pool.features[at[chunk]]["lexical"],
                pool.items[at[chunk]].priority,
                pool.items[at[chunk]].created_at,
                asked.now,
                temporal,
            ),
            chunk,
        ),
    )
    legs = {**pool.ranks, "text": {chunk: rank for rank, chunk in enumerate(text, 1)}}
    fused = fuse(legs, {item.chunk: item.kind for item in pool.items}, temporal)
    order = sorted(
        fused,
        key=lambda chunk: (
            -fused[chunk],
            -pool.items[at[chunk]].created_at.timestamp(),
            pool.items[at[chunk]].key,
        ),
    )
    return [
        Scored(
            space,
            pool.items[at[chunk]],
            fused[chunk],
            {leg: reciprocal([ranks[chunk]]) for leg, ranks in legs.items() if chunk in ranks}
            | (
                {"episode": EPISODIC}
                if temporal and pool.items[at[chunk]].kind == "episodic"
                else {}
            ),
            pool.cosines[at[chunk]],
            {leg: ranks[chunk] for leg, ranks in legs.items() if chunk in ranks},
            min(1.0, fused[chunk] / reciprocal([1] * len(legs))),
        )
        for chunk in order
    ]


def is_sure(
    pool: Pool,
    found: list[Scored],
    asked: Asked,
    space: Space,
    threshold: float | None,
    on_scale: bool,
) -> bool:
    """Say whether any candidate may be about the question: by its wording, its meaning, a code it
    names, or its time.

    `threshold` is the model's, None without vectors; `on_scale` says whether the scores are those
    of the linear ranking."""
    # the vector of mere punctuation means nothing
    by_meaning = threshold is not None and any(char.isalnum() for char in asked.text)
    least = abstain.needed(space.chunks, threshold)
    scores = {s.item.chunk: s.score for s in found} if on_scale else {}
    chance = UNSPACED if _is_unspaced(asked.terms) else 0.0  # bigrams of characters meet by chance
    for item, features, cosine in zip(pool.items, pool.features, pool.cosines, strict=True):
        if features.get("identifier", 0.0) >= 1:
            return True
        if item.thread is not None and on_scale:
            if scores.get(item.chunk, 0.0) >= abstain.CONVERSATION:
                return True
        elif (
            abstain.evidence(features.get("lexical", 0.0) - chance, cosine if by_meaning else None)
            >= least
        ):
            return True
    return bool(pool.items) and _is_about_time(pool, asked)


def _is_unspaced(terms: list[str]) -> bool:
    return sum(len(term) <= 2 and not term.isascii() for term in terms) > len(terms) / 2


def _is_about_time(pool: Pool, asked: Asked) -> bool:
    """Say whether a question asks for little more than a time, and something is of that time."""
    content = [
        word
        for word in asked.words
        if word not in TIME_WORDS and word not in RECENT and word not in MONTHS
    ]
    timed = any(
        max(f.get("month", 0.0), f.get("day", 0.0), f.get("window", 0.0)) >= 1
        for f in pool.features
    )
    return len(content) <= 1 and (timed or asked.times.recent)


def is_evidence(scored: Scored) -> bool:
    """Say whether anything at all speaks for an item: its wording, its meaning, or its time."""
    return not _EVIDENCE.isdisjoint(scored.parts) or (
        scored.cosine is not None and scored.cosine >= NEAREST
    )


def best_chunks(scored: list[Scored]) -> list[Scored]:
    """Keep each memory once, by its best chunk."""
    seen: set[str] = set()
    return [s for s in scored if not (s.item.memory_id in seen or seen.add(s.item.memory_id))]  # type: ignore[func-returns-value]
