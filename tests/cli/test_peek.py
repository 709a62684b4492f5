"""ghost peek"""

import re
from typing import TYPE_CHECKING

import pytest

from ghostmem.cli.overview import MAX_WIDTH
from ghostmem.cli.tables import width_of

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def some(ghost_cli: "GhostCli") -> None:
    """Store three memories in one namespace and one in another."""
    ghost_cli.ok("put", "-n", "a", "-k", "name", "--tier", "identity", "I am Ghost.")
    ghost_cli.ok(
        "put", "-n", "a", "-k", "minor", "-t", "small,talk", "--importance", "0.1", "weather"
    )
    ghost_cli.ok(
        "put", "-n", "a", "-k", "major", "-t", "work", "--importance", "0.9", "deadline " * 30
    )
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
    """Less than a screen: how much there is, by tier and source, what is pinned, what is new, and what happened."""
    lines = ghost_cli.ok("peek", "-n", "a").splitlines()
    assert lines[0].startswith("a: 3 memories, ")
    assert lines[1] == "  topics  work, small, talk"
    assert [line for line in lines if line and not line.startswith(" ")][1:] == [
        "Tiers", "Sources", "Pinned", "Newest", "Recently changed"
    ]  # fmt: skip
    assert len(lines) < 32
    assert any(line.split()[:3] == ["long-term", "1", "22"] for line in lines)
    assert any(
        "name" in line and line.endswith("I am Ghost.") for line in lines[lines.index("Pinned") :]
    )
    newest = lines[lines.index("Newest") + 1 : lines.index("Recently changed") - 1]
    assert [line.split()[1] for line in newest] == ["major", "minor", "name"]


def test_columns_line_up_within_the_width(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the script, cells of a column start at the same place, and no line is wider than the terminal."""
    ghost_cli.ok("put", "-n", "a", "-k", "お茶", "緑茶が好きです。" * 20)
    for width in (40, 60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = ghost_cli.ok("peek", "--all").splitlines()
        assert max(width_of(line) for line in lines) <= min(width, MAX_WIDTH)
        rows = lines[lines.index("Newest") + 1 : lines.index("Recently changed") - 1]
        starts = {width_of(line[: re.search(r" 0\.\d\d", line).start()]) for line in rows}  # type: ignore[union-attr]
        assert len(starts) == 1


def test_changes_are_told_newest_first(ghost_cli: "GhostCli") -> None:
    """What was said, changed, removed and pinned is in the last section, and what happened to many at once is one line."""
    ghost_cli.ok("put", "-n", "b", "-k", "else", "elsewhere, or nowhere")
    ghost_cli.ok("curate", "-n", "b", "-k", "else", "--op", "pin")
    ghost_cli.ok("put", "-n", "b", "-k", "gone", "soon")
    ghost_cli.ok("rm", "-n", "b", "gone", "--yes")
    lines = ghost_cli.ok("peek", "-n", "b").splitlines()
    told = "\n".join(lines[lines.index("Recently changed") :])
    assert [told.index(word) for word in ("deleted", "pinned", "changed to v2")] == sorted(
        told.index(word) for word in ("deleted", "pinned", "changed to v2")
    )


def test_colour_only_where_it_is_wanted(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe gets plain text; GHOST_COLOR=always gets colour, and --no-color none."""
    assert "\x1b" not in ghost_cli.ok("peek", "--all")
    monkeypatch.setenv("GHOST_COLOR", "always")
    assert "\x1b[1m" in ghost_cli.ok("peek", "--all")
    assert "\x1b" not in ghost_cli.ok("peek", "--all", "--no-color")


def test_without_a_namespace_everything_is_shown(ghost_cli: "GhostCli") -> None:
    """No filter means all namespaces, and each stub names its own."""
    assert ghost_cli.ok("peek", "--all").startswith("all namespaces: 4 memories")
    assert {stub["ns"] for stub in ghost_cli.row("peek", "--all")["high_importance"]} == {"a", "b"}


def test_peeking_counts_nothing(ghost_cli: "GhostCli") -> None:
    """A glance is no use."""
    ghost_cli.ok("peek", "--all")
    assert ghost_cli.row("get", "-n", "b", "else")["access_count"] == 0


def test_an_unknown_namespace_is_empty(ghost_cli: "GhostCli") -> None:
    """Peeking where nothing is exits 0."""
    assert ghost_cli.ok("peek", "-n", "nobody") == "nobody: 0 memories\n"
    assert ghost_cli.row("peek", "-n", "nobody")["total"] == 0


def test_new_vectors_are_no_change(ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch) -> None:
    """Removing and restoring a memory lists these two changes, and no line about its vectors."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    ghost_cli.ok("put", "-n", "p", "-k", "tea", "green tea")
    ghost_cli.ok("rm", "-n", "p", "tea")
    ghost_cli.ok("restore", "-n", "p", "tea")
    changes = ghost_cli.ok("peek", "p").split("Recently changed\n")[1].splitlines()
    assert [line.split()[:2] for line in changes[:2]] == [["now", "restored"], ["now", "deleted"]]
    assert len(changes) == 3


def test_two_namespaces_are_refused(ghost_cli: "GhostCli") -> None:
    """The argument and -n both name a namespace."""
    assert "two namespaces were given" in ghost_cli.fails(2, "peek", "a", "-n", "b")[0]
