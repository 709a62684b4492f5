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
