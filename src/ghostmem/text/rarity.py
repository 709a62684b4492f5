"""How much a term says by how rare it is."""

from math import log


def rarity(count: int, containing: int) -> float:
    """Return BM25's idf of a term that `containing` of `count` texts contain."""
    return log(1 + (count - containing + 0.5) / (containing + 0.5))
