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
