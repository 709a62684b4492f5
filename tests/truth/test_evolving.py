"""Facts that change twice over weeks of virtual days: what holds comes before what no longer does, in every probe."""

from functools import cache

import pytest
from bench.evolving import FRESHNESS, Figures, simulate

SPANS = [pytest.param(30, marks=pytest.mark.wide), pytest.param(90, marks=pytest.mark.slow)]
run = cache(simulate)


@pytest.fixture(params=SPANS)
def days(request: pytest.FixtureRequest) -> int:
    """Return how many days are lived through: 30, and 90 in the slow form."""
    return int(request.param)


@pytest.fixture(params=FRESHNESS)
def found(request: pytest.FixtureRequest, days: int) -> Figures:
    """Return what the probes found, where corrections are only linked and where they close what they correct."""
    return run(days, str(request.param))


def test_the_current_statement_comes_first(found: Figures) -> None:
    """In search and in context, on every day, before everything that was once said of the same thing."""
    assert found.probes >= 15 * (found.days - 2)
    assert (found.search, found.context) == (1.0, 1.0), found.failures[:10]


def test_summaries_of_what_changed_are_flagged(found: Figures) -> None:
    """Nobody writes them anew: each is named as maybe stale, or was closed itself."""
    assert found.summaries_flagged == found.summaries > 0, found.failures[:10]
