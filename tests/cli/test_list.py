"""ghost list"""

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from ghostmem.cli.main import run

if TYPE_CHECKING:
    from conftest import GhostCli


class Counting(io.StringIO):
    """A standard output that counts how often it is flushed."""

    flushed = 0

    def flush(self) -> None:
        """Count."""
        self.flushed += 1


@pytest.mark.parametrize("form", [(), ("--json",), ("--keys-only",)])
def test_many_lines_are_written_together(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    """A long listing is not written and flushed line by line."""
    rows = [
        {"ns": "long", "key": f"k{number:03}", "content": "text", "created_at": "2026-01-01"}
        for number in range(300)
    ]
    ghost_cli.ok("import", input=json.dumps(rows))
    written = Counting()
    monkeypatch.setattr(sys, "stdout", written)
    assert run(["list", "-n", "long", "-l", "1000", *form]) == 0
    assert written.getvalue().count("k299") == 1
    assert written.flushed < 20
