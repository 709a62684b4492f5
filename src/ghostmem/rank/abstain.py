"""Saying nothing: how sure a search may be that what it found is about the question at all."""

from math import exp

# Fitted on development conversations asked each other's questions; see docs/decisions.md.
WITH_VECTORS = (-7.18, 3.65, 9.21)  # constant, best lexical share, best cosine
WITHOUT_VECTORS = (-2.2, 9.0, 0.0)
FLOOR = 0.02


def confidence(lexical: float, cosine: float | None) -> float:
    """Return how likely it is that the best hit answers the question."""
    constant, words, meaning = WITHOUT_VECTORS if cosine is None else WITH_VECTORS
    return 1 / (1 + exp(-(constant + words * lexical + meaning * (cosine or 0.0))))
