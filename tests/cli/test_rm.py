"""ghost rm"""

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


@pytest.fixture(autouse=True)
def two_versions(ghost_cli: "GhostCli") -> None:
    """Store a memory with two versions."""
    ghost_cli.ok("put", *KEY, "one")
    ghost_cli.ok("put", *KEY, "two")


def versions(ghost_cli: "GhostCli") -> list[int]:
    """Return which versions the store still has."""
    result = ghost_cli("--json", "history", *KEY)
    return [row["version"] for row in result.rows]


def test_removal_is_soft_and_says_how_to_undo(ghost_cli: "GhostCli") -> None:
    """The memory disappears, its versions stay."""
    out = ghost_cli.ok("rm", "-n", "agent:me", "tea")
    assert out == "1 version of agent:me/tea deleted; `ghost restore` brings it back\n"
    assert ghost_cli.names() == []
    assert versions(ghost_cli) == [1, 2]


def test_json_says_what_was_removed(ghost_cli: "GhostCli") -> None:
    """JSON names the memory, how many versions went, and how."""
    wanted = {"ns": "agent:me", "key": "tea", "versions": 1, "hard": False, "dry_run": False}
    assert ghost_cli.row("rm", *KEY) == wanted


@pytest.mark.parametrize(
    ("args", "left"),
    [
        ([], [1, 2]),
        (["--all-versions"], [1, 2]),
        (["--hard"], [1]),
        (["--hard", "--all-versions"], []),
        (["--hard", "-y"], [1]),
    ],
)
def test_hard_deletes_the_latest_or_all(
    ghost_cli: "GhostCli", args: list[str], left: list[int]
) -> None:
    """--hard takes the latest version for good, with --all-versions every one; the key is gone either way."""
    ghost_cli.ok("rm", *KEY, *args)
    assert versions(ghost_cli) == left
    assert ghost_cli.names() == []


@pytest.mark.parametrize("args", [[], ["--hard"], ["--hard", "--all-versions"]])
def test_dry_run_counts_what_the_real_run_removes(ghost_cli: "GhostCli", args: list[str]) -> None:
    """--dry-run reports the same numbers and changes nothing."""
    before = ghost_cli.ok("export")
    planned = ghost_cli.row("rm", *KEY, *args, "--dry-run")
    assert planned["dry_run"]
    assert ghost_cli.ok("rm", *KEY, *args, "--dry-run").startswith(
        f"would delete {planned['versions']} version"
    )
    assert ghost_cli.ok("export") == before
    assert ghost_cli.row("rm", *KEY, *args) == {**planned, "dry_run": False}


def test_locked_needs_unlock(ghost_cli: "GhostCli") -> None:
    """A locked memory goes only with --unlock, also in a dry run."""
    ghost_cli.ok("put", *KEY, "-t", "locked", "three")
    for args in (["--hard"], ["--dry-run"], []):
        error, hint = ghost_cli.fails(4, "rm", *KEY, *args)
        assert ("agent:me/tea is locked" in error, "--unlock" in hint) == (True, True)
    ghost_cli.ok("rm", *KEY, "--unlock")
    assert ghost_cli.names() == []


def test_what_is_not_there_cannot_be_removed(ghost_cli: "GhostCli") -> None:
    """An unknown key exits 3; one that was removed says how to bring it back."""
    error, _ = ghost_cli.fails(3, "rm", "-n", "agent:me", "coffee")
    assert error == "memory not found: agent:me/coffee"
    ghost_cli.ok("rm", *KEY)
    _, hint = ghost_cli.fails(3, "rm", *KEY)
    assert "ghost restore -n agent:me -k tea" in hint


def test_no_question_is_asked_when_nobody_sits_there(ghost_cli: "GhostCli") -> None:
    """Without a terminal the command itself is the word; --yes is accepted."""
    assert (
        ghost_cli.ok("rm", *KEY, "--hard", "--all-versions", "--yes")
        == "2 versions of agent:me/tea deleted for good\n"
    )


def test_hard_says_that_older_versions_stay(ghost_cli: "GhostCli") -> None:
    """The result of deleting the latest version says how many stay, and how to delete them."""
    assert ghost_cli.row("rm", *KEY, "--hard", "--dry-run")["remaining"] == 1
    assert ghost_cli.ok("rm", *KEY, "--hard") == (
        "1 version of agent:me/tea deleted for good; "
        "1 older version stays; --all-versions deletes all\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
@pytest.mark.parametrize(
    ("args", "question"),
    [
        (
            ["--hard"],
            "Delete version 2 of agent:me/tea for good? "
            "1 older version stays; --all-versions deletes all.",
        ),
        (["--hard", "--all-versions"], "Delete agent:me/tea (2 versions) for good?"),
    ],
)
def test_the_question_says_which_versions_go(
    ghost_cli: "GhostCli", args: list[str], question: str
) -> None:
    """On a terminal, a hard delete asks about the versions that it deletes."""
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "ghostmem", "rm", *KEY, *args]
    with subprocess.Popen(command, stdin=end, stdout=subprocess.DEVNULL, stderr=end) as process:
        os.close(end)
        os.write(terminal, b"n\n")
        assert process.wait(60) == 1
    printed = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert question in printed
    assert versions(ghost_cli) == [1, 2]
