"""ghost stats"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import GhostCli


def test_counts_of_the_whole_store(ghost_cli: "GhostCli", store: Path) -> None:
    """JSON counts versions, live memories, chunks, edges, files and namespaces."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "--files", "f.py", "one")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "two")
    ghost_cli.ok("put", "-n", "b", "-k", "y", "three")
    ghost_cli.ok("rm", "-n", "b", "y")
    found = ghost_cli.row("stats")
    assert found["db_path"] == str(store)
    assert found["db_size_bytes"] == store.stat().st_size
    assert (found["total_memories"], found["active_memories"], found["total_chunks"]) == (3, 1, 1)
    assert (found["total_edges"], found["total_files"]) == (0, 2)
    assert [(row["ns"], row["count"]) for row in found["namespaces"]] == [("a", 1), ("b", 0)]


def test_edges_links_and_rules_are_counted(ghost_cli: "GhostCli", original: Any) -> None:
    """What came from the original is counted too."""
    done = ghost_cli.row("import", "--from-ghost", original("seed.db"))
    found = ghost_cli.row("stats")
    counts = (
        found["total_edges"],
        found["total_links"],
        found["total_rules"],
        found["total_memories"],
    )
    assert counts == (done["edges"], done["links"], done["rules"], done["imported"])


def test_text_is_a_few_lines(ghost_cli: "GhostCli", store: Path) -> None:
    """Where it is, how large, what it holds, and each namespace."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    lines = ghost_cli.ok("stats").splitlines()
    assert lines[0].startswith(f"{store}  ")
    assert lines[0].endswith(" KB")
    assert lines[1:] == [
        "1 memory live, 1 version in total, 1 chunk, 0 edges, 0 files",
        "  a: 1 memory",
    ]


def test_expired_memories_are_not_live(ghost_cli: "GhostCli", wind: Any) -> None:
    """Expiry hides at once, in counts too."""

    ghost_cli.ok("put", "-n", "a", "-k", "short", "--ttl", "1h", "x")
    wind.forward(hours=2)
    assert ghost_cli.row("stats")["active_memories"] == 0


def test_an_empty_store_has_zeros(ghost_cli: "GhostCli") -> None:
    """Nothing stored is no error."""
    assert ghost_cli.row("stats")["total_memories"] == 0
    assert ghost_cli.row("--db", ":memory:", "stats")["db_path"] == ":memory:"
