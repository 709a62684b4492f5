"""Liveness: in the shipped configuration every stage contributes on a corpus where each is needed."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from ghostmem.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

NS = "agent:me"
QUESTION = "How do we release the shop to production?"


def shop(book: Book) -> None:
    """Store a corpus in which pinned, search, file, edge, correction, parent and child each have something to bring."""
    book.put("rule", "Answer in British English.", pinned=True)
    book.put("release", "We release the shop to production with a blue-green switch.")
    book.put("switch", "Zebra operators hold the lever.")
    book.edge("release", "switch", "depends_on")
    book.put("freeze", "Nothing leaves on Fridays any more.")
    book.edge("freeze", "release", "contradicts")
    book.put("cart", "Totals are rounded half to even.", files=["src/cart.py"])
    book.put("notes-a", "Production of the shop was released twice in May.")
    book.put("notes-b", "Nightingales sing beside Lake Como.")
    book.ghost.consolidate(NS, "spring", "Spring in short.", ["notes-a", "notes-b"])


@pytest.mark.parametrize("provider", ["none", "static", "local"])
def test_every_stage_is_alive_when_there_is_room(
    open_book: Callable[..., Book], provider: str
) -> None:
    """With the default settings and budget, every stage packs something."""
    book = open_book(embed_provider=provider, context_whole=True)
    shop(book)
    pack = book.pack(QUESTION, files=["src/cart.py"])
    packed = {name for name, stage in pack.stages.items() if stage.packed}
    assert packed >= {"pinned", "search", "file", "edge", "correction", "child"}


@pytest.mark.requirement("002-128")
@pytest.mark.parametrize("provider", ["none", "static", "local"])
def test_parents_are_alive_when_there_is_no_room(
    open_book: Callable[..., Book], provider: str
) -> None:
    """With the default settings and a tight budget, summaries come and suppress their children."""
    book = open_book(embed_provider=provider, context_whole=True)
    shop(book)
    pack = book.pack(QUESTION, files=["src/cart.py"], budget=200)
    assert pack.stages["parent"].packed == 1
    assert "spring" in pack.keys
    assert not {"notes-a", "notes-b"} & set(pack.keys)


def test_settings_are_the_defaults(open_book: Callable[..., Book]) -> None:
    """The stores of this suite with the local model differ from the shipped settings by nothing but the path."""
    shipped, here = (
        Settings(),
        open_book(embed_provider="local", context_whole=True).ghost.store.settings,
    )
    assert {
        part.name
        for part in fields(Settings)
        if getattr(shipped, part.name) != getattr(here, part.name)
    } == {"db"}


def test_a_floor_does_not_kill_the_edges(open_book: Callable[..., Book]) -> None:
    """With a floor that production might use, what typed edges bring is still there."""
    book = open_book(embed_provider="static", context_whole=True)
    shop(book)
    pack = book.pack(QUESTION, min_score=0.3)
    assert {name for name, stage in pack.stages.items() if stage.packed} >= {
        "search",
        "edge",
        "correction",
    }
