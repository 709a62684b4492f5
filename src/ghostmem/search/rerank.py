"""Rerank the best hits with a scorer of the caller's, such as a cross-encoder; off by default.

It may reorder the best few within its deadline and nothing else; when it is late or fails, the
order stays and a note says so."""

import math
from collections.abc import Callable, Sequence
from threading import Thread

from ghostmem.model import Hit

Reranker = Callable[[str, Sequence[str]], Sequence[float]]  # a question and texts -> their scores
MAX_RERANKED = 20


def rerank(query: str, hits: list[Hit], scorer: Reranker, deadline: float) -> tuple[list[Hit], str]:
    """Return the hits with the best few in the scorer's order, and a note if it was not used."""
    head, beyond = hits[:MAX_RERANKED], hits[MAX_RERANKED:]
    result: list[list[float] | str] = []

    def work() -> None:
        try:
            scores = [float(score) for score in scorer(query, [hit.match_chunk for hit in head])]
            if any(math.isnan(score) for score in scores):
                raise ValueError("a score is not a number")
            result.append(scores)
        except Exception as error:
            result.append(f"the reranker failed: {type(error).__name__}: {error}")

    worker = Thread(target=work, daemon=True)
    worker.start()
    worker.join(deadline)
    scores = result[0] if result else f"the reranker took longer than {deadline:g} s"
    if isinstance(scores, str):
        return hits, scores
    if len(scores) != len(head):
        return hits, f"the reranker scored {len(scores)} of {len(head)} hits"
    # a stable sort: equal scores keep the order of the search
    return [
        *(
            head[position]
            for position in sorted(range(len(head)), key=lambda position: -scores[position])
        ),
        *beyond,
    ], ""
