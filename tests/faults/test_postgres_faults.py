"""The fault scenarios of `bench.faults --engine postgres` in a short form."""

import sys
from pathlib import Path

import pytest
from bench.faults import run
from bench.faults_postgres import SCENARIOS
from bench.scenario import Plan

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="kills and sockets are those of Unix"),
]
SHORT = Plan(Path(), rounds=3, processes=4, puts=25)


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_lost(name: str) -> None:
    """Each fault leaves everything that was acknowledged, once, in a database that is clean and can be written."""
    found = run(name, SHORT, "postgres")
    assert found["problems"] == []
    assert found["result"] == "pass"


def test_every_promise_has_a_scenario() -> None:
    """The server, the wire, the clients, the pool and the first start are all broken."""
    assert {
        "wire cut at every message",
        "clients killed",
        "server down",
        "more threads than connections",
    } <= set(SCENARIOS)
    assert sum("server killed" in name for name in SCENARIOS) == 2
