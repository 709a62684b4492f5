"""ghost restore"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


@pytest.fixture(autouse=True)
def two_versions(ghost_cli: "GhostCli", wind: Any) -> None:
    """Store a memory with two versions."""
    ghost_cli.ok("put", *KEY, "-t", "old", "--files", "a.md", "one")
    ghost_cli.ok("put", *KEY, "-t", "new", "--files", "b.md", "two")


@pytest.mark.parametrize("args", [KEY, ("-n", "agent:me", "tea")])
def test_what_was_removed_comes_back(ghost_cli: "GhostCli", args: tuple[str, ...]) -> None:
    """The last version is live again, with the id, tags and files it had."""
    before = ghost_cli.row("get", *KEY)
    ghost_cli.ok("rm", *KEY)
    assert ghost_cli.ok("restore", *args) == "restored agent:me/tea v2\n"
    after = ghost_cli.row("get", *KEY)
    assert {**after, "access_count": 0, "last_accessed_at": None} == {
        **before,
        "access_count": 0,
        "last_accessed_at": None,
    }
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize("flag", ["-v", "--version"])
def test_an_earlier_version_becomes_the_newest(ghost_cli: "GhostCli", flag: str) -> None:
    """--version writes the old content and fields as the next version."""
    found = ghost_cli.row("restore", *KEY, flag, "1")
    assert (found["version"], found["content"], found["tags"]) == (3, "one", ["old"])
    assert found["files"] == [{"path": "a.md", "rel": "modified"}]
    assert [row["version"] for row in ghost_cli.rows("history", *KEY)] == [1, 2, 3]


def test_an_expired_memory_comes_back_for_good(ghost_cli: "GhostCli", wind: Any) -> None:
    """Restoring what has expired takes the expiry away."""
    ghost_cli.ok("put", "-n", "a", "-k", "short", "--ttl", "1h", "x")
    wind.forward(days=1)
    assert "expires_at" not in ghost_cli.row("restore", "-n", "a", "short")
    wind.forward(days=1)
    assert ghost_cli.ok("get", "-n", "a", "short") == "x\n"


def test_what_is_current_need_not_be_restored(ghost_cli: "GhostCli") -> None:
    """Restoring a live memory exits 4 and names the way to go back."""
    error, hint = ghost_cli.fails(4, "restore", *KEY)
    assert "agent:me/tea is not deleted: version 2 is current" in error
    assert "--version" in hint


def test_unknown_keys_and_versions_exit_3(ghost_cli: "GhostCli") -> None:
    """What never was, or was deleted for good, cannot come back."""
    error, _ = ghost_cli.fails(3, "restore", *KEY, "-v", "9")
    assert "agent:me/tea version 9" in error
    ghost_cli.ok("rm", *KEY, "--hard", "--all-versions")
    error, hint = ghost_cli.fails(3, "restore", *KEY)
    assert ("agent:me/tea" in error, "backup" in hint) == (True, True)


def test_going_back_from_a_locked_version_needs_unlock(ghost_cli: "GhostCli") -> None:
    """A locked current version is replaced only with --unlock."""
    ghost_cli.ok("put", *KEY, "-t", "locked", "three")
    ghost_cli.fails(4, "restore", *KEY, "-v", "1")
    assert ghost_cli.row("restore", *KEY, "-v", "1", "--unlock")["version"] == 4


def test_a_key_that_was_never_stored_says_so(ghost_cli: "GhostCli") -> None:
    """The error does not speak of a hard delete alone, and a similar key is suggested."""
    error, hint = ghost_cli.fails(3, "restore", "-n", "agent:me", "teaa")
    assert error == "memory not found: agent:me/teaa never existed, or was deleted for good"
    assert hint == "if it was deleted, look into a backup; did you mean tea?"
