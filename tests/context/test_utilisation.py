"""Utilisation: when enough relevant memories exist, at least 85 % of the budget is used, and never more than all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Book

BUDGETS = [60, 100, 250, 500, 1000, 2000, 4000]
PLACES = "Bergen Oslo Turku Riga Gdansk Kiel Malmo Tallinn Lubeck Aarhus".split()
DETAIL = "The crossing takes hours, the saloon serves herring, and the captain salutes the pilot at the mole. "


def fleet(book: Book, count: int, sentences: int) -> None:
    """Store so many memories about ferries, each of so many sentences."""
    for n in range(count):
        place = PLACES[n % len(PLACES)]
        book.put(
            f"ferry{n}",
            f"The ferry number {n} departs from the harbour of {place}. " + DETAIL * sentences,
        )


@pytest.mark.wide(keep=3)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("sentences", [0, 2, 6, 40], ids=["short", "middle", "long", "capped"])
def test_a_budget_is_used(book: Book, budget: int, sentences: int) -> None:
    """With 200 relevant memories of any length, 85 % of the budget is used, or all but the 25 tokens an excerpt needs."""
    fleet(book, 200, sentences)
    pack = book.pack("From which harbour does the ferry depart?", budget=budget)
    assert min(0.85 * budget, budget - 24) <= pack.used <= budget


@pytest.mark.wide
@pytest.mark.parametrize("sentences", [2, 6])
def test_a_budget_is_used_with_vectors(open_book: Callable[..., Book], sentences: int) -> None:
    """With vectors and the links that puts make, 85 % of the budget is used too."""
    book = open_book(embed_provider="static")
    fleet(book, 80, sentences)
    for budget in (250, 1000, 4000):
        pack = book.pack("From which harbour does the ferry depart?", budget=budget)
        assert 0.85 * budget <= pack.used <= budget


def test_lengths_of_every_sort(book: Book) -> None:
    """Short and long memories together fill a budget better than either."""
    for n in range(100):
        book.put(f"ferry{n}", f"The ferry number {n} departs from the harbour. " + DETAIL * (n % 9))
    for budget in BUDGETS:
        pack = book.pack("From which harbour does the ferry depart?", budget=budget)
        assert pack.used >= 0.85 * budget


def test_summaries_leave_no_hole(book: Book) -> None:
    """When a summary takes its children's place, others fill the room."""
    fleet(book, 60, 2)
    book.ghost.consolidate(
        "agent:me", "baltic", "Baltic ferries in short.", [f"ferry{n}" for n in range(20)]
    )
    pack = book.pack("From which harbour does the ferry depart?", budget=1000)
    assert pack.used >= 850


def test_reserves_leave_no_hole(book: Book) -> None:
    """Room held for dependencies that did not come is filled."""
    fleet(book, 60, 2)
    for n in range(0, 60, 2):
        book.put(f"needed{n}", "Zq wx. " * 20)
        book.edge(f"ferry{n}", f"needed{n}", "depends_on")
    for budget in (200, 500, 1000):
        assert (
            book.pack("From which harbour does the ferry depart?", budget=budget).used
            >= 0.85 * budget
        )
