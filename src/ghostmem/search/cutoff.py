"""The cut-off of a search: which hits are strong, which are weak, and when there is no answer at
all.
"""

from ghostmem.search.ranked import Ranked
from ghostmem.search.ranking import Scored, is_evidence
from ghostmem.settings import Settings

STRONG = 0.6  # a strong hit scores at least this share of the best one
ENOUGH = 10  # after this many hits only those that score nearly as much as the best one are strong
NEARLY = 0.95


def answers(found: Ranked, min_score: float | None, abstain: bool) -> list[Scored]:
    """Return the candidates with any evidence, or nothing when no candidate is about the question.

    A caller's `min_score` replaces both tests.
    """
    if min_score is not None:
        return [s for s in found.scored if round(s.score, 4) >= min_score]  # as scores are shown
    if not abstain:
        return found.scored
    return [s for s in found.scored if is_evidence(s)] if found.sure else []


def strong_count(hits: list[Scored], min_score: float | None, settings: Settings) -> int:
    """Return how many of the first hits are strong.

    All of them when the cut-off is off or the caller has set a floor.
    """
    if settings.cutoff == "off" or min_score is not None or not hits or settings.fusion != "linear":
        return len(hits)
    best = max(s.score for s in hits)
    strong = sum(s.score >= STRONG * best for s in hits)
    nearly = sum(s.score >= NEARLY * best for s in hits)
    return max(nearly, min(strong, ENOUGH))
