"""Facts that change twice over weeks of virtual days: what holds comes before what no longer does."""

import pytest
from bench.evolving import FRESHNESS, simulate

SPANS = [pytest.param(14, marks=pytest.mark.wide), pytest.param(60, marks=pytest.mark.slow)]


@pytest.mark.parametrize("days", SPANS)
@pytest.mark.parametrize("freshness", FRESHNESS)
def test_the_current_statement_comes_first(freshness: str, days: int) -> None:
    """In search and in context, before everything that was once said of the same thing.

    Summaries of what changed are named as maybe stale, or were closed themselves."""
    found = simulate(days, freshness, "local")
    assert found.probes >= 15 * (found.days - 2)
    assert found.search >= 0.97, found.failures[:10]
    assert found.context >= 0.97, found.failures[:10]
    assert found.summaries_flagged >= found.summaries - 1 > 0, found.failures[:10]
