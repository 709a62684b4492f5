"""The linear score: published constants times features, each switched off where its field is
missing.

The weighed features of an item are summed and brought to a scale from 0 to 1 (`scaled`).
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean

# What each feature is worth when there are vectors; chosen on development data, see
# docs/decisions.md.
WITH_VECTORS: Mapping[str, float] = {
    "lexical": 1.15,  # the share of the question's wording held by the item and its neighbours
    "mixed": 0.94,  # cosine of the question and the item mixed with its neighbours
    "own": 0.33,  # cosine of the question and the item alone
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
# with vectors, a word or two in common counts for less than its share: meaning knows better
CURVE = 1.25
FULL, FULL_TEXT = (
    2.0,
    1.0,
)  # the sum of a full match, with vectors and without, as the specified context counts it
HALF = 0.35  # the share of its attainable sum at which a hit scores 0.5
THREAD_WIDE = (
    "thread",
    "wording",
)  # left out when several things are asked for: they lie in several threads
BEFORE, AFTER = 0.3, 0.1  # how much of its neighbours is mixed into an item's vector
SPREAD, TOP = (
    0.1,
    40,
)  # for questions after several things: what a thread already had costs, among the best so many


def weighed(
    features: Mapping[str, float], weights: Mapping[str, float], several: bool
) -> dict[str, float]:
    """Return what each feature adds to the score."""
    left_out = THREAD_WIDE if several else ()
    found = {
        name: weights[name] * value
        for name, value in features.items()
        if value and weights[name] and name not in left_out
    }
    if weights is WITH_VECTORS and "lexical" in found:
        found["lexical"] = weights["lexical"] * features["lexical"] ** CURVE
    return found


def attainable(weights: Mapping[str, float], in_thread: bool, names_source: bool) -> float:
    """Return the sum that an item could reach: wording and meaning, its thread, and the source the
    question names.
    """
    total = weights["lexical"] + weights["mixed"] + weights["own"]
    if in_thread:
        total += weights["thread"] + weights["wording"]
    return total + (weights["source"] if names_source else 0.0)


def scaled(parts: Mapping[str, float], limit: float) -> dict[str, float]:
    """Bring the parts of a sum to a scale from 0 to 1, on which they add up to the score.

    A sum of `HALF` of what the item could reach (`limit`) scores 0.5; larger sums approach 1. A
    negative sum scores 0."""
    total = sum(parts.values())
    if total < 0:
        parts, total = {**parts, "negative": -total}, 0.0
    return {name: value / (total + HALF * limit) for name, value in parts.items()}


def varied(
    order: Sequence[int], scores: Sequence[float], threads: Sequence[int | None]
) -> list[int]:
    """Reorder the best items of a question after several things, so that one thread does not take
    every place.
    """
    top, rest = list(order[:TOP]), list(order[TOP:])
    mean = fmean(scores[item] for item in top) if top else 0.0
    deviation = sqrt(fmean((scores[item] - mean) ** 2 for item in top)) if top else 0.0
    taken: dict[int, int] = {}
    chosen: list[int] = []
    while top:
        best = max(
            top,
            key=lambda item: (
                (scores[item] - mean) / (deviation or 1.0)
                - SPREAD * taken.get(threads[item] or 0, 0)
            ),
        )
        top.remove(best)
        chosen.append(best)
        thread = threads[best]
        if thread:
            taken[thread] = taken.get(thread, 0) + 1
    return chosen + rest
