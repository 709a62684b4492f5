"""The two factors of BM25: the rarity of a term, and how often a text contains it."""

from math import log


def rarity(count: int, containing: int) -> float:
    """Return the idf of a term that `containing` of `count` texts contain."""
    return log(1 + (count - containing + 0.5) / (containing + 0.5))


def saturated(count: float, k1: float, b: float, length_ratio: float) -> float:
    """Return the weight of a term that occurs `count` times: further occurrences add ever less.

    `length_ratio` is the length of the text divided by the average length."""
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length_ratio))
