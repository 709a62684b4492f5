"""Memories for a task: facts from sessions, and what a prompt gets."""

from collections.abc import Callable

import pytest

from ghostmem import Ghost
from ghostmem.context.context import context_for_task

NS = "project:shop"
FACTS = {
    "vendor": "Never edit anything under vendor/, the legal team reviews it.",
    "deploys": "We deploy to production on Tuesdays only.",
    "money": "Amounts are integer cents everywhere, no floats.",
    "tests": "Tests run against the real PostgreSQL from compose.",
    "reviews": "Marta approves every change to the payment code.",
}


@pytest.mark.parametrize("provider", ["none", "static"])
def test_a_fact_of_a_session_is_searched_like_any_other(
    open_ghost: Callable[..., Ghost], provider: str
) -> None:
    """The scope of a fact does not make it a turn of a conversation."""
    scores = []
    for scope in (None, "session-1"):
        ghost = open_ghost(embed_provider=provider)
        for key, text in FACTS.items():
            fields = {} if scope is None else {"source_scope": scope}
            ghost.put(NS, key, text, kind="semantic", **fields)
        hits = ghost.search("when do we deploy to production?", NS, limit=5)
        scores.append([(hit.key, hit.score, hit.weak) for hit in hits])
    assert scores[0] == scores[1]
    assert scores[0][0][0] == "deploys"


def test_only_what_matters_is_given_for_a_task(open_ghost: Callable[..., Ghost]) -> None:
    """An order gets the memory that it needs and not all of a small namespace; small talk none."""
    ghost = open_ghost(embed_provider="static")
    for key, text in FACTS.items():
        ghost.put(NS, key, text, kind="semantic")
    ghost.put(NS, "tone", "Answer in British English.", pinned=True, kind="semantic")

    def keys(prompt: str) -> list[str]:
        return [
            memory.key
            for memory in context_for_task(
                ghost.store, prompt, NS, budget=4000, max_memory_tokens=400
            ).memories
        ]

    needed = keys("edit the jquery copy under vendor/ and upgrade it")
    assert needed[0] == "vendor"
    assert "tone" not in needed
    assert keys("thanks, that was all for today!") == []
