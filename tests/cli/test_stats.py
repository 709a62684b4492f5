"""ghost stats"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.mark.requirement("002-188")
def test_edges_links_and_rules_are_counted(ghost_cli: "GhostCli", original: Any) -> None:
    """What came from the original is counted too."""
    done = ghost_cli.row("import", "--from-ghost", original("seed.db"))
    found = ghost_cli.row("stats")
    counts = (
        found["total_edges"],
        found["total_links"],
        found["total_rules"],
        found["total_memories"],
    )
    assert counts == (done["edges"], done["links"], done["rules"], done["imported"])
