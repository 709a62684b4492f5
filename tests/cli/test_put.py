"""ghost put"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem import Ghost

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "tea")


@pytest.mark.requirement("002-003")
def test_what_the_command_stores_the_library_reads(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Command line and library are two faces of one store, both ways."""
    store = tmp_path / "both.db"
    ghost_cli.ok("--db", str(store), "put", *KEY, "from the command line")
    with Ghost.open(store) as ghost:
        assert ghost.get("agent:me", KEY[-1]).content == "from the command line"
        ghost.put("agent:me", "other", "from the library")
    assert (
        ghost_cli.ok("--db", str(store), "get", "-n", "agent:me", "other") == "from the library\n"
    )
