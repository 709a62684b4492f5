"""ghost knowledge: the eight tools as commands, on the files of a project, without a store"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

pytestmark = pytest.mark.usefixtures("project")
SUBCOMMANDS = [
    "recall-general-memory",
    "recall-memory",
    "search-memories",
    "list-memories",
    "memorize-new-topic",
    "refine-memory",
    "memorize-general-info",
    "forget-memory",
]


def test_the_commands_are_the_tools(ghost_cli: "GhostCli") -> None:
    """There is a command for each tool, in the source's order."""
    section = ghost_cli.ok("knowledge", "--help").split("Commands:\n")[1].split("\n\n")[0]
    assert sorted(line.split()[0] for line in section.splitlines() if line[2] != " ") == sorted(
        SUBCOMMANDS
    )


def test_listing_loads_nothing_heavy(program: "Program", project: Path) -> None:
    """Neither numpy nor a database is imported to list some files."""
    script = (
        "import sys; from ghostmem.cli.main import run; run(['knowledge', 'list-memories']);"
        "print(sorted({'numpy', 'apsw', 'mcp', 'onnxruntime', 'ghostmem.ghost'} & set(sys.modules)))"
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, cwd=project, check=True, timeout=60
    )
    assert done.stdout.decode().splitlines() == ["No topics found", "[]"]
