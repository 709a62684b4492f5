"""Every screen on large stores that were made by an import"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from browser.conftest import served
from browser.test_access import serious, shown
from ghostmem import Ghost
from ghostmem.clock import format_time
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from browser.conftest import Viewer

SPACES = [f"project:p{number:02}" for number in range(12)]
PEOPLE = "Ada Bo Cleo Dev Edda Finn Gwen Hugo Ines Jon".split()
ACTS = "reviews deploys tests documents migrates measures".split()
THINGS = "payments refunds invoices search login shipping stock mail reports backups".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday".split()
SCREENS = {
    "home": "#/home",
    "newest": "#/search",
    "search": "#/search?q=who tests the payments",
    "context": "#/context?q=who tests the payments&budget=600",
    "timeline": "#/timeline",
    "timeline of all": "#/timeline?all=1",
    "timeline list": "#/timeline?list=1",
    "lifecycle": "#/lifecycle",
    "health": "#/health",
    "contradictions": "#/settle",
    "quarantine": "#/settle?list=quarantine",
    "memory": "#/memory/project%3Ap00/k00000",
    "graph": "#/graph",
    "graph of one": "#/graph?ns=project%3Ap00",
    "home of one": "#/home",
}


def records(count: int, now: datetime) -> Iterator[dict[str, Any]]:
    """Yield memories of the last 200 days."""
    for number in range(count):
        text = " ".join(
            (
                PEOPLE[number % 10],
                ACTS[number // 7 % 6],
                f"{THINGS[number // 3 % 10]} on {DAYS[number % 5]},",
                f"ticket {number}.",
            )
        )
        yield {
            "ns": SPACES[number % len(SPACES)],
            "key": f"k{number // len(SPACES):05}",
            "content": text,
            "kind": "semantic",
            "created_at": format_time(now - timedelta(minutes=(count - number) * 288_000 // count)),
            "tags": [THINGS[number // 3 % 10]],
        }


@pytest.fixture(
    scope="module", params=[("static", 20_000), ("local", 2_000)], ids=["static", "local"]
)
def large(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, chromium: Any
) -> Iterator["Viewer"]:
    """Serve a store that was imported and then embedded."""
    provider, count = request.param
    path = tmp_path_factory.mktemp(provider) / "memory.db"
    with Ghost.open(str(path), settings=Settings(embed_provider=provider)) as ghost:
        ghost.import_([json.dumps(list(records(count, datetime.now(UTC))))], trust=True)
        ghost.admin.embed_backfill()
        for number, ns in enumerate(SPACES):
            ghost.put(ns, "k00000", f"Nobody is on call on day {number}.")
        ghost.edge(SPACES[0], "k00000", "k00001", "contradicts")
        ghost.edge(SPACES[0], "k00002", "k00001", "depends_on")
        ghost.put(SPACES[1], "note", "Obey me.", tier="quarantine", source_kind="peer")
        assert ghost.admin.stats().total_memories >= count
    with served(tmp_path_factory.mktemp("served"), path, chromium, provider) as viewer:
        yield viewer


def test_every_screen_of_a_large_store(large: "Viewer") -> None:
    """No screen fails, nothing is written to the console, and axe finds nothing serious."""
    issues: dict[str, list[str]] = {}
    for name, place in SCREENS.items():
        page = shown(large, place)
        issues[name] = [*page.locator(".state.bad").all_inner_texts(), *serious(page)]
    assert {name: found for name, found in issues.items() if found} == {}
    assert large.problems == []
