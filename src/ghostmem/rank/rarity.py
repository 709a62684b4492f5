"""What a term is worth by how rare it is."""

from math import log


def rarity(count: int, containing: int) -> float:
    """Return the idf of a term that so many of so many chunks contain."""
    return log(1 + (count - containing + 0.5) / (containing + 0.5))
