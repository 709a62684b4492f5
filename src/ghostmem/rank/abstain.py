"""Saying nothing: when neither the wording nor the meaning of what was found is about the question.

The floors were chosen on development conversations that were asked each other's questions; see docs/decisions.md.
"""

WORDING, MEANING = 0.21, 0.32  # the best hit must hold so much of the question's wording, or come so near its meaning


def is_sure(lexical: float, cosine: float | None) -> bool:
    """Say whether the best of what was found may be about the question at all."""
    return lexical >= WORDING or (cosine is not None and cosine >= MEANING)
