"""An optional second look at the best hits by a scorer of the caller's, such as a cross-encoder.

Off unless one is given.

It may reorder the best few within its deadline and nothing else; when it is late or fails, the
order stays and a note says so."""

from collections.abc import Callable, Sequence
from threading import Thread

from ghostmem.model import Hit

Reranker = Callable[
    [str, Sequence[str]], Sequence[float]
]  # a question and texts, to one score a text
POOL = 20


def rerank(query: str, hits: list[Hit], scorer: Reranker, deadline: float) -> tuple[list[Hit], str]:
    """Return the hits with the best few in the scorer's order, and a note when it could not be
    used.
    """
    head, rest = hits[:POOL], hits[POOL:]
    answer: list[Sequence[float] | str] = []

    def work() -> None:
        try:
            answer.append(scorer(query, [hit.match_chunk for hit in head]))
        except Exception as error:
            answer.append(f"the reranker failed: {type(error).__name__}: {error}")

    worker = Thread(target=work, daemon=True)
    worker.start()
    worker.join(deadline)
    found = answer[0] if answer else f"the reranker took longer than {deadline:g} s"
    if isinstance(found, str) or len(found) != len(head):
        return hits, found if isinstance(
            found, str
        ) else f"the reranker scored {len(found)} of {len(head)} hits"
    order = sorted(
        range(len(head)), key=lambda at: -found[at]
    )  # a stable sort: equal scores keep our order
    return [*(head[at] for at in order), *rest], ""
