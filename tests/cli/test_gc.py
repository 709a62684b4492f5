"""ghost gc"""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli

RUNS: dict[str, tuple[list[str], dict[str, int]]] = {
    "plain": ([], {"expired": 2}),
    "stale": (["--stale", "30d"], {"expired": 2, "stale": 2, "protected": 4}),
    "stale-long": (["--stale", "365d"], {"expired": 2}),
    "purge": (["--purge-deleted", "30d"], {"expired": 2, "purged": 2}),
    "purge-long": (["--purge-deleted", "365d"], {"expired": 2}),
    "purge-all": (["--purge-deleted", "all"], {"expired": 2, "purged": 3}),
    "both": (
        ["--stale", "30d", "--purge-deleted", "all"],
        {"expired": 2, "stale": 2, "purged": 3, "protected": 4},
    ),
    "vacuum": (["--vacuum"], {"expired": 2}),
}


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


@pytest.mark.parametrize("name", RUNS)
def test_each_option_removes_its_sort(ghost_cli: "GhostCli", name: str) -> None:
    """Expired always; stale, removed long ago and all removed on request; what is protected is counted and kept."""
    args, wanted = RUNS[name]
    done = ghost_cli.row("gc", *args)
    assert {
        key: done[key] for key in ("expired", "stale", "purged", "protected") if done[key]
    } == wanted
    assert done["remaining"] == 8 - wanted.get("stale", 0) == len(ghost_cli.names())
    assert done["dry_run"] is False
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize("name", RUNS)
def test_dry_run_changes_nothing_and_counts_the_same(ghost_cli: "GhostCli", name: str) -> None:
    """--dry-run has the counts of the real run and leaves every row."""
    args, _ = RUNS[name]
    before = ghost_cli.ok("export")
    planned = ghost_cli.row("gc", *args, "--dry-run")
    assert ghost_cli.ok("export") == before
    done = ghost_cli.row("gc", *args)
    for key in ("expired", "stale", "purged", "protected"):
        assert planned[key] == done[key]


def test_dry_run_foretells_what_is_freed_and_what_remains(ghost_cli: "GhostCli") -> None:
    """--dry-run also says how many chunks would go and how many memories would remain."""

    args, _ = RUNS["both"]
    planned = ghost_cli.row("gc", *args, "--dry-run")
    done = ghost_cli.row("gc", *args)
    assert (planned["chunks_freed"], planned["remaining"]) == (
        done["chunks_freed"],
        done["remaining"],
    )


def test_a_second_run_finds_nothing(ghost_cli: "GhostCli") -> None:
    """What was removed stays removed, and nothing else follows."""
    args = ("--stale", "30d", "--purge-deleted", "1d")
    ghost_cli.ok("gc", *args)
    done = ghost_cli.row("gc", *args)
    assert (done["expired"], done["stale"], done["purged"], done["chunks_freed"]) == (0, 0, 0, 0)


def test_text_is_one_sentence(ghost_cli: "GhostCli") -> None:
    """The text says what was or would be removed and what remains."""
    out = ghost_cli.ok("gc", "--stale", "30d", "--dry-run")
    assert out.startswith("would delete 2 expired, 2 stale, 0 purged; 4 memories protected; ")
    out = ghost_cli.ok("gc", "--stale", "30d", "-y")
    assert out.startswith(
        "deleted 2 expired, 2 stale, 0 purged; 4 memories protected; 6 memories remain ("
    )


def test_stale_is_soft_and_purged_is_for_good(ghost_cli: "GhostCli") -> None:
    """What was stale can be restored; what was purged has no history."""
    ghost_cli.ok("gc", "--stale", "30d", "--purge-deleted", "30d", "--yes")
    assert ghost_cli.ok("restore", "-n", "a", "idle") == "restored a/idle v1\n"
    assert ghost_cli("history", "-n", "a", "gone").code == 3
    assert ghost_cli("history", "-n", "a", "gone-now").code == 0
    assert ghost_cli("history", "-n", "a", "short").code == 3


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


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["--stale", "month"], "'month'"),
        (["--stale", "all"], "'all'"),
        (["--purge-deleted", "3"], "'3'"),
        (["--purge-deleted", ""], "''"),
    ],
)
def test_bad_ages_are_refused(ghost_cli: "GhostCli", args: list[str], named: str) -> None:
    """An age is a number and a unit."""
    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(2, "gc", *args)
    assert named in error
    assert "30m" in hint
    assert ghost_cli.ok("export") == before
