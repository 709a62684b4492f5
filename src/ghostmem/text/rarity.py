"""Weigh a term by its rarity."""

from math import log


def rarity(count: int, containing: int) -> float:
    """Return the BM25 idf of a term that `containing` of `count` texts contain."""
    return log(1 + (count - containing + 0.5) / (containing + 0.5))
