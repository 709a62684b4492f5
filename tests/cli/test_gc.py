"""ghost gc"""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli


@pytest.fixture(autouse=True)
def aged(ghost_cli: "GhostCli", wind: Any, fill_once: "FillOnce") -> None:
    """Store memories of every sort, let forty days pass, and use one of them."""

    def put(key: str, *args: str) -> None:
        ghost_cli.ok("put", "-n", "a", "-k", key, *args, f"content of {key}")

    def build() -> None:
        put("short", "--ttl", "1h")
        put("brief", "--ttl", "1d")
        put("idle")
        put("idle-too", "-p", "low")
        put("high", "-p", "high")
        put("critical", "-p", "critical")
        put("pinned", "--pinned")
        put("locked", "-t", "locked")
        put("gone")
        put("gone", "-t", "again")
        ghost_cli.ok("rm", "-n", "a", "gone")
        wind.forward(days=39)
        put("recent")
        put("gone-now")
        ghost_cli.ok("rm", "-n", "a", "gone-now")
        put("used", "--created-at", "2026-01-01")
        ghost_cli.ok("get", "-n", "a", "used")

    start = wind.at
    fill_once(build)
    wind.at = start + timedelta(days=40, minutes=1)


@pytest.mark.wide
def test_vacuum_shrinks_the_file(ghost_cli: "GhostCli", store: Path) -> None:
    """--vacuum gives the space of what was removed from the indexes back; a hard delete does so by itself."""
    for number in range(10):
        ghost_cli.ok("put", "-n", "big", "-k", f"k{number}", input=f"some words {number} " * 3000)
    ghost_cli.ok("gc")
    before = store.stat().st_size
    ghost_cli.ok("ns", "rm", "big")
    assert ghost_cli.row("gc")["db_size_bytes"] == before
    assert ghost_cli.row("gc", "--vacuum")["db_size_bytes"] < before
    done = ghost_cli.row("gc", "--purge-deleted", "all")
    assert done["db_size_bytes"] < before / 2
    assert store.stat().st_size == done["db_size_bytes"]
