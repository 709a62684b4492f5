"""ghost edge, link, clusters, consolidate, expand and used"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli, Program

Sql = Callable[..., list[Any]]


@pytest.fixture(autouse=True)
def filled(ghost_cli: "GhostCli", fill_once: "FillOnce") -> None:
    """Store four memories of one namespace and one of another."""

    def build() -> None:
        for key in ("x", "y", "z", "w"):
            ghost_cli.ok("put", "-n", "a", "-k", key, f"The text of {key}.")
        ghost_cli.ok("put", "-n", "b", "-k", "other", "Of another namespace.")

    fill_once(build)


# --- edge add, rm, list


# --- edge, as the original takes it


@pytest.mark.parametrize("args", [[], ["--help"]])
def test_edge_alone_shows_its_help(ghost_cli: "GhostCli", args: list[str]) -> None:
    """Without anything it says how it is used."""
    out = ghost_cli.ok("edge", *args)
    assert out.startswith("Usage: ghost edge")
    assert all(name in out for name in ("add", "rm", "list", "candidates", "relink", "--from-key"))


# --- candidates and relink


# --- link


@pytest.mark.requirement("002-182")
def test_link_writes_both_tables(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """A legacy link is also an edge; --rm takes both."""
    pair = ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "depends_on"]
    assert ghost_cli.ok("link", *pair) == "linked x —depends_on→ y  0.70\n"
    assert ghost_cli.row("link", *pair)["weight"] == 0.7
    both = "SELECT (SELECT count(*) FROM memory_links), (SELECT count(*) FROM memory_edges)"
    assert sql(store, both) == [(1, 1)]
    assert ghost_cli.row("link", *pair, "--rm")["status"] == "deleted"
    assert sql(store, both) == [(0, 0)]


# --- clusters, consolidate, expand


# --- used and counting


def test_commands_count_what_they_show(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """get and expand are uses, search is an exposure, a list is neither."""
    ghost_cli.ok("get", "-n", "a", "x")
    ghost_cli.ok("expand", "-n", "a", "x")
    ghost_cli.ok("search", "-n", "a", "-l", "1", "text of x")
    ghost_cli.ok("list", "-n", "a")
    assert sql(
        store,
        "SELECT used, shown FROM accesses a JOIN memories m ON m.id = a.memory_id WHERE m.key = 'x'",
    ) == [(2, 1)]
    assert sql(store, "SELECT access_count FROM memories WHERE key = 'x'") == [(3,)]


# --- as programs


def test_programs_that_put_at_once_are_all_linked(
    ghost_cli: "GhostCli", program: "Program"
) -> None:
    """Four processes that store alike memories at the same moment leave one group of all four."""
    text = "The deployment of the billing service runs every Tuesday at noon, note {}."
    started = [
        program.start(
            "put", "-n", "p", "-k", f"k{at}", text.format(at), GHOST_EMBED_PROVIDER="static"
        )
        for at in range(4)
    ]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    pairs = [
        frozenset((row["from_key"], row["to_key"]))
        for row in ghost_cli.rows("edge", "list", "-n", "p", "-r", "relates_to")
    ]
    assert len(pairs) == len(set(pairs)) == 6
    assert ghost_cli.row("clusters", "-n", "p")["keys"] == ["k0", "k1", "k2", "k3"]
    assert ghost_cli.ok("check") == "clean\n"
