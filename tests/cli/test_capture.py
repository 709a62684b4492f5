"""ghost capture: from text and from JSON, shown or stored"""

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

TEXT = "I prefer tabs over spaces in Go files. Never push to main! What now?"


def test_on_a_terminal_it_only_shows(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless --store is given."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    class Terminal:
        """A standard input that is a terminal."""

        def isatty(self) -> bool:
            """Say so."""
            return True

    from ghostmem.cli.main import run

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["capture", "-n", "a", TEXT]) == 0
    assert ghost_cli.names("-n", "a") == []
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert run(["capture", "-n", "a", "--store", TEXT]) == 0
    assert len(ghost_cli.names("-n", "a")) == 2
