"""Weeks of virtual days: what is used moves up, what is noise leaves, what is pinned stays; reflect off beside it."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from bench.longitudinal import CHATTER, FACTS, MODES, NOISE, NOTICED, SHOWN, USED, Figures, simulate

ROOT = Path(__file__).resolve().parents[2]
OFF, BUILT_IN, WITH_CHATTER = MODES
SPANS = [pytest.param(30, marks=pytest.mark.wide), pytest.param(90, marks=pytest.mark.slow)]
run = cache(simulate)


@pytest.fixture(params=SPANS)
def days(request: pytest.FixtureRequest) -> int:
    """Return how many days are lived through: 30, and 90 in the slow form."""
    return int(request.param)


@pytest.fixture
def on(days: int) -> Figures:
    """Return what is left with the rules of the shipped store and one for chatter."""
    return run(days, WITH_CHATTER)


@pytest.fixture
def off(days: int) -> Figures:
    """Return what is left without any reflection."""
    return run(days, OFF)


def test_unchanged_facts_stay_findable(on: Figures, off: Figures) -> None:
    """Facts that are used, shown or asked for once a week are among the first five hits, as without reflect."""
    for sort in ("used", "shown", "seldom"):
        assert on.found[sort] == 1.0, sort
        assert on.found[sort] >= off.found[sort]


def test_facts_left_alone_are_never_lost(on: Figures) -> None:
    """Asleep or not, a search through all tiers finds them."""
    assert on.left_asleep == 1.0


def test_noise_that_is_never_used_leaves(on: Figures, off: Figures) -> None:
    """Of what hooks captured nothing sensory is left in the morning, chatter sleeps after a week; without reflect all of it stays."""
    assert (on.noise_live, off.noise_live) == (0, off.noise_put)
    assert on.noise_put == NOISE * on.days
    assert on.chatter_awake <= 9 * CHATTER < off.chatter_awake == CHATTER * on.days


def test_identity_is_the_same_to_the_byte(on: Figures) -> None:
    """No night changes a byte of the pinned memory's row."""
    assert on.identity_same


def test_promotion_follows_use(on: Figures, off: Figures) -> None:
    """What is used every day is long-term in the end, and at most a fifth of what is long-term was never used."""
    assert on.promoted >= len(USED)
    assert on.unused_share <= 0.2
    assert off.promoted == 0


def test_promotion_does_not_follow_exposure(on: Figures) -> None:
    """Memories that were shown more than fifty times and never used are there, and were not moved up."""
    assert on.exposed >= len(SHOWN) // 2


def test_the_live_population_is_bounded(on: Figures, off: Figures) -> None:
    """It grows neither with the noise nor with the chatter: facts, identity, what was noticed, and a week of chatter."""
    noticed = on.days // NOTICED
    assert max(on.awake_by_day) <= len(FACTS) + 1 + noticed + 9 * CHATTER
    assert off.awake == len(FACTS) + 1 + on.days * (NOISE + CHATTER)


@pytest.mark.slow
def test_the_built_in_rules_alone_let_noise_leave(days: int) -> None:
    """Without a rule of one's own everything but the chatter behaves the same."""
    alone = run(days, BUILT_IN)
    assert (alone.noise_live, alone.identity_same, alone.unused_share <= 0.2) == (0, True, True)
    assert all(alone.found[sort] == 1.0 for sort in ("used", "shown", "seldom"))


@pytest.mark.wide
def test_the_simulator_prints_its_figures() -> None:
    """As a table for people, and as one JSON object for programs."""
    command = [sys.executable, "-m", "bench.longitudinal", "--days", "1"]
    text, data = (
        subprocess.run(
            [*command, *more],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        ).stdout
        for more in ((), ("--json",))
    )
    assert text.splitlines()[0].split()[:4] == ["after", "1", "days,", "reflect"]
    assert [one["mode"] for one in json.loads(data)["runs"]] == list(MODES)
