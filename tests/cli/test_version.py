"""ghost version"""

import platform
from typing import TYPE_CHECKING

from ghostmem import __version__

if TYPE_CHECKING:
    from conftest import GhostCli


def test_text_is_name_and_number(ghost_cli: "GhostCli") -> None:
    """One line, the same for the command and the option."""
    assert ghost_cli.ok("version") == ghost_cli.ok("--version") == f"ghost {__version__}\n"


def test_json_has_the_pythons_too(ghost_cli: "GhostCli") -> None:
    """What a report of a bug needs."""
    assert ghost_cli.row("version") == {"version": __version__, "python": platform.python_version()}
