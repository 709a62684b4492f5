"""The built-in idle time hides no answers; the specified one does"""

import pytest
from bench.dormancy import simulate, simulate_shown

from ghostmem.lifecycle.rules import BUILT_IN


@pytest.mark.slow
def test_answers_stay_findable_for_a_year() -> None:
    """Whatever the interval at which a fact is asked for; what is shown daily stays too."""
    limit = next(r.cond_unaccessed_gt_hours for r in BUILT_IN if r.id == "sys-demote-stale-ltm")
    assert simulate(limit)["all"] >= 0.99
    assert simulate(168)["all"] < 0.8
    assert simulate_shown() == 1.0
