"""Saying nothing: when neither the wording nor the meaning of what was found is about the question.

The floors were chosen on development conversations that were asked each other's questions; see docs/decisions.md.
"""

WORDING = 0.2  # without vectors the best hit must hold so much of the question's wording
CLEAR = 0.3  # and with them this much, whatever it means
HELP = 0.3  # or come near its meaning, where the wording helps by so much of its share


def is_sure(lexical: float, cosine: float | None, meaning: float) -> bool:
    """Say whether the best of what was found may be about the question; `meaning` is how near a model's vectors must be."""
    if cosine is None:
        return lexical >= WORDING
    return lexical >= CLEAR or cosine + HELP * lexical >= meaning
