"""A caller's reranker: it reorders the best, within its deadline, and never breaks a search."""

import threading
from collections.abc import Sequence

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings


def opened(scorer: object, deadline: float = 5.0) -> Ghost:
    """Open a store with three memories about tea and a scorer."""
    settings = Settings(embed_provider="none", rerank_deadline=deadline)
    ghost = Ghost.open(":memory:", settings=settings, reranker=scorer)  # type: ignore[arg-type]
    for key in ("a", "bb", "ccc"):
        ghost.put("n", key, f"tea {key}")
    return ghost


def test_a_reranker_orders_the_best() -> None:
    """Its scores decide among what was found, whatever the order was before."""
    with opened(lambda query, texts: [len(text) for text in texts]) as ghost:
        assert [hit.key for hit in ghost.search("tea", "n")] == ["ccc", "bb", "a"]


def test_a_late_reranker_is_not_waited_for() -> None:
    """After its deadline the order stays, and the answer says so."""
    gate = threading.Event()

    def slow(query: str, texts: Sequence[str]) -> list[float]:
        gate.wait(10)
        return [0.0 for _ in texts]

    with opened(slow, deadline=0.01) as ghost:
        found = ghost.search("tea", "n")
        gate.set()
    assert len(found) == 3
    assert "longer than 0.01 s" in found.notes[-1]


@pytest.mark.parametrize(
    ("scorer", "says"),
    [
        (lambda q, t: 1 / 0, "ZeroDivisionError"),
        (lambda q, t: [1.0], "1 of 3"),
        (lambda q, t: None, "TypeError"),
        (lambda q, t: ["good", "bad", "bad"], "ValueError"),
        (lambda q, t: [float("nan")] * 3, "a score is not a number"),
    ],
)
def test_a_broken_reranker_never_breaks_a_search(scorer: object, says: str) -> None:
    """An exception, too few scores or other values leave the order alone and are noted."""
    with opened(scorer) as ghost:
        found = ghost.search("tea", "n")
    assert len(found) == 3
    assert says in found.notes[-1]
