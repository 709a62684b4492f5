"""The load test of `ghost serve` in a short form, and proof that it notices a lost write."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bench.load import NS, Plan, load, read_back
from bench.load_client import Shared
from bench.load_table import as_markdown
from bench.proof import open_store

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc are those of Unix"),
]


def test_a_short_load_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few clients for some seconds: no response 5xx, nothing lost, and every operation was called."""
    monkeypatch.setattr("bench.load.WARMING", 1.0)
    monkeypatch.setattr("bench.load.SEEDED", 50)
    # a thread of its own: the browser tests of the same worker keep an event loop in this one
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(load, Plan("sqlite", "none", 8, 40.0, 6.0, 1)).result()
    assert (
        found["server_error_responses"],
        found["failed_connections"],
        found["lost"],
        found["check"],
    ) == (0, 0, 0, [])
    assert set(found["statuses"]) <= {"200", "201"}
    assert all(one["requests"] for one in found["operations"].values())
    assert found["acknowledged"] > 0
    assert f"| lost writes | {found['lost']} | 0 |" in as_markdown([found])


def test_a_lost_write_is_noticed(tmp_path: Path) -> None:
    """An acknowledged content that is not there is lost, unless a later one that was never answered took its place."""
    path = str(tmp_path / "memory.db")
    with open_store(path) as ghost:
        for key in ("same", "later", "other"):
            ghost.put(NS, key, f"text of {key}")
    shared = Shared(NS, "", [], 1.0, 1)
    shared.acknowledged = {
        "same": "text of same",
        "later": "earlier",
        "other": "another",
        "gone": "gone",
    }
    shared.unknown = {"later": ["text of later"]}
    assert read_back(path, shared) == (["other", "gone"], [])
