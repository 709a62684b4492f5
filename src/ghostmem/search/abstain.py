"""Answer nothing when neither the wording nor the meaning of any candidate is about the question.

The thresholds were chosen on development data, see docs/decisions.md.
"""

from math import log10

WORDING = 0.7  # how much of a candidate's wording counts next to its cosine
WORDS_ONLY = 0.12  # the evidence a candidate among ten chunks needs without vectors
WORDS_GROWTH = 0.04  # and how much more among ten times as many, where chance matches are better
VECTORS_GROWTH = 0.11  # the same with vectors; the model's own threshold applies to ten chunks
# the score a turn of a conversation needs: its neighbours and speaker count, so answers score high
CONVERSATION = 0.45


def needed(chunks: int, model_threshold: float | None) -> float:
    """Return the evidence that a candidate needs in a namespace of this size.

    Without vectors there is no threshold.
    """
    base, growth = (
        (WORDS_ONLY, WORDS_GROWTH) if model_threshold is None else (model_threshold, VECTORS_GROWTH)
    )
    return base + growth * log10(max(chunks, 10) / 10)


def evidence(lexical: float, cosine: float | None) -> float:
    """Return how much speaks for a candidate: its wording alone, or its meaning and part of its
    wording.
    """
    return lexical if cosine is None else cosine + WORDING * lexical
