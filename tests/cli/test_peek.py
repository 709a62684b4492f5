"""ghost peek"""

import re
from typing import TYPE_CHECKING

import pytest

from ghostmem.cli.commands.peek import MAX_WIDTH
from ghostmem.cli.terminal import width_of

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
