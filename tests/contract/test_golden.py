"""The same corpus gives the same hits, scores and packs on every engine, with and without vectors."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import START
from contract.corpus import COUNT, QUESTIONS, lines
from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from servers import Databases

DIGITS = 6
Stores = dict[str, Ghost]


@pytest.fixture(scope="module", params=[pytest.param("none", marks=pytest.mark.slow), "static"])
def stores(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    pg_databases: "Databases",
) -> Iterator[Stores]:
    """Open one store on each engine, all with the same corpus."""
    folder: Path = tmp_path_factory.mktemp("golden")
    targets = {
        "memory": ":memory:",
        "file": str(folder / "memory.db"),
        "postgres": pg_databases.fresh(),
    }
    settings = Settings(embed_provider=request.param)
    with ExitStack() as stack:
        found = {
            name: stack.enter_context(Ghost.open(at, settings=settings, clock=lambda: START))
            for name, at in targets.items()
        }
        for ghost in found.values():
            assert ghost.import_(lines()).imported == COUNT
            if request.param != "none":
                ghost.admin.embed_backfill()
            ghost.lifecycle.gc(
                vacuum=True
            )  # statistics, as a server of a user gathers them by itself
        yield found


def rounded(value: Any) -> Any:
    """Return a value whose numbers have the digits that engines agree on; sums may differ in the last bits."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def assert_same(found: dict[str, Any], question: str) -> None:
    """Compare what every engine gave with what the first gave."""
    first, *others = found
    for other in others:
        assert found[other] == found[first], f"{other} and {first} answer {question!r} differently"


def test_hits_and_scores_are_the_same(stores: Stores) -> None:
    """A search finds the same chunks in the same order for the same reasons, whatever keeps them."""
    full = 0
    for question, ns in QUESTIONS:
        found = {
            name: rounded([hit.to_dict() for hit in ghost.search(question, ns, explain=True)])
            for name, ghost in stores.items()
        }
        assert_same(found, question)
        full += len(found["memory"]) > 0
    assert full > len(QUESTIONS) * 0.8


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_packs_are_the_same(stores: Stores, step: int) -> None:
    """A context holds the same memories at the same lengths, with the same receipts."""
    full = 0
    for at, (question, ns) in enumerate(QUESTIONS[::step]):
        fields: dict[str, Any] = {"budget": (400, 1500, 4000)[at % 3]}
        found = {
            name: rounded(ghost.context(question, ns, **fields).to_dict())
            for name, ghost in stores.items()
        }
        assert_same(found, question)
        full += len(found["memory"]["memories"]) > 1
    assert full > len(QUESTIONS[::step]) * 0.8


def test_exports_are_the_same_after_all_that(stores: Stores) -> None:
    """What reading left behind, counts and the weights of edges, is the same to the byte."""
    found = {name: list(ghost.export()) for name, ghost in stores.items()}
    assert_same(found, "export")
