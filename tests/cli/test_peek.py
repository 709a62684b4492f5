"""ghost peek"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def some(ghost_cli: "GhostCli") -> None:
    """Store three memories in one namespace and one in another."""
    ghost_cli.ok("put", "-n", "a", "-k", "name", "--tier", "identity", "I am Ghost.")
    ghost_cli.ok("put", "-n", "a", "-k", "minor", "-t", "small,talk", "--importance", "0.1", "weather")
    ghost_cli.ok("put", "-n", "a", "-k", "major", "-t", "work", "--importance", "0.9", "deadline " * 30)
    ghost_cli.ok("put", "-n", "b", "-k", "else", "elsewhere")


def test_json_counts_tiers_topics_and_the_important(ghost_cli: "GhostCli") -> None:
    """Counts and tokens by tier, newest topics, the pinned text, and stubs by importance."""
    found = ghost_cli.row("peek", "-n", "a")
    assert (found["ns"], found["total"]) == ("a", 3)
    assert found["memory_counts"] == {"ltm": 1, "stm": 2}
    assert found["total_est_tokens"]["ltm"] == 22
    assert found["pinned_summary"] == "I am Ghost."
    assert found["recent_topics"] == ["work", "small", "talk"]
    assert [stub["key"] for stub in found["high_importance"]] == ["major", "name", "minor"]
    assert all(len(stub["summary"]) <= 80 for stub in found["high_importance"])


def test_text_is_short(ghost_cli: "GhostCli") -> None:
    """A few lines: the counts, the pinned text, the topics, the important ones."""
    lines = ghost_cli.ok("peek", "-n", "a").splitlines()
    assert lines[0].startswith("a: 3 memories: 1 ltm (22 tokens), 2 stm (")
    assert lines[1] == "pinned: I am Ghost."
    assert lines[2] == "topics: work, small, talk"
    assert lines[3].startswith("  0.90 major deadline")
    assert len(lines) == 6


def test_without_a_namespace_everything_is_shown(ghost_cli: "GhostCli") -> None:
    """No filter means all namespaces, and each stub names its own."""
    assert ghost_cli.ok("peek").startswith("all namespaces: 4 memories")
    assert {stub["ns"] for stub in ghost_cli.row("peek")["high_importance"]} == {"a", "b"}


def test_peeking_counts_nothing(ghost_cli: "GhostCli") -> None:
    """A glance is no use."""
    ghost_cli.ok("peek")
    assert ghost_cli.row("get", "-n", "b", "else")["access_count"] == 0


def test_an_unknown_namespace_is_empty(ghost_cli: "GhostCli") -> None:
    """Peeking where nothing is exits 0."""
    assert ghost_cli.ok("peek", "-n", "nobody") == "nobody: 0 memories\n"
    assert ghost_cli.row("peek", "-n", "nobody")["total"] == 0
