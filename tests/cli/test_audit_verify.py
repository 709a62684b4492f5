"""ghost audit verify, ghost audit log, and ghost audit as it was"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

Sql = Callable[..., list[Any]]


@pytest.fixture(autouse=True)
def written(ghost_cli: "GhostCli") -> None:
    """Write a log."""
    for key in ("tea", "pot"):
        ghost_cli.ok("put", "-n", "a", "-k", key, f"about {key}")
    ghost_cli.ok("put", "-n", "b", "-k", "cup", "about a cup")
    ghost_cli.ok("rm", "-n", "a", "tea", "--hard")


def test_a_whole_log_is_told_by_its_head(ghost_cli: "GhostCli") -> None:
    """Each namespace with its lines, then the head to note down."""
    lines = ghost_cli.ok("audit", "verify").splitlines()
    assert [line.split("  ")[:2] for line in lines[:2]] == [["a", "3 lines"], ["b", "1 line"]]
    assert lines[2] == "whole: 4 lines"
    assert lines[3] == f"head {ghost_cli.row('audit', 'verify')['head']}"


def test_an_older_head_proves_what_was_before(ghost_cli: "GhostCli") -> None:
    """A head that was noted is found again after more was written."""
    head = ghost_cli.row("audit", "verify")["head"]
    ghost_cli.ok("put", "-n", "b", "-k", "saucer", "about a saucer")
    assert "it stood at line 4 of 5" in ghost_cli.ok("audit", "verify", "--head", head)
    result = ghost_cli("audit", "verify", "--head", "0" * 64)
    assert result.code == 5
    assert "was never in this log" in result.out
    error, hint = ghost_cli.fails(2, "audit", "verify", "--head", "x")
    assert ("not a digest" in error, "64 digits" in hint) == (True, True)


def test_a_broken_log_exits_5(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """What was tampered with is named, also in JSON."""
    sql(store, "UPDATE changes SET op = 'put' WHERE op = 'delete'")
    result = ghost_cli("audit", "verify")
    assert result.code == 5
    assert "a: line 3 was changed, inserted or moved" in result.out
    assert "broken: 4 lines" in result.out
    row = ghost_cli("--json", "audit", "verify").rows[0]
    assert (row["ok"], row["broken"]) == (False, ["a: line 3 was changed, inserted or moved"])


def test_the_log_is_listed(ghost_cli: "GhostCli") -> None:
    """Who, what, which memory; the key only while it is there."""
    rows = ghost_cli.rows("audit", "log")
    assert [(row["ns"], row["op"], row.get("key")) for row in rows] == [
        ("a", "put", None),
        ("a", "put", "pot"),
        ("b", "put", "cup"),
        ("a", "delete", None),
    ]
    assert {row["actor"] for row in rows} == {"owner"}
    assert len(ghost_cli.ok("audit", "log", "-n", "b").splitlines()) == 1
    assert len(ghost_cli.rows("audit", "log", "-l", "1")) == 1
    assert ghost_cli.rows("audit", "log", "--since", "2999-01-01") == []
    assert "about" not in ghost_cli.ok("audit", "log")


def test_audit_and_audit_of_a_path_are_as_they_were(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Without a subcommand the store is scored, with a path what lies there; a folder called verify has a way to be named."""
    assert " of 100" in ghost_cli.ok("audit")
    assert " of 100" in ghost_cli.ok("audit", "-n", "a")
    folder = tmp_path / "verify"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n\ntext\n", encoding="utf-8")
    assert ghost_cli.row("audit", str(folder))["memories"] == 1
    assert ghost_cli.row("audit", "--", str(folder))["memories"] == 1
    error, _ = ghost_cli.fails(2, "audit", "-n", "a", str(folder))
    assert "a namespace and a path" in error
    error, _ = ghost_cli.fails(2, "audit", str(folder), "another")
    assert "another" in error
    result = ghost_cli("audit", str(tmp_path / "missing"))
    assert result.code == 3
