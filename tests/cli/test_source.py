"""ghost source: one person under several names"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import GhostCli


def test_those_of_the_original_come_along(
    ghost_cli: "GhostCli", original: Callable[[str], Path], sql: Callable[..., Any]
) -> None:
    """A database of the original brings its aliases; again brings none."""
    source = original("head.db")
    sql(source, "INSERT INTO source_aliases VALUES ('agent:demo', ' ', 'x', '2026-07-01')")
    done = ghost_cli.row("import", "--from-ghost", source)
    assert done["source_aliases"] == 2
    assert "left out 1 source aliases without a name" in done["notes"]
    rows = ghost_cli.rows("source", "list", "-n", "agent:demo")
    assert {(row["alias"], row["canonical"]) for row in rows} == {
        ("MIA T.", "Mia"),
        ("米娅", "Mia"),
    }
    assert {row["created_at"][:19] for row in rows} == {"2026-11-15T02:11:33"}
    assert ghost_cli.row("import", "--from-ghost", source)["source_aliases"] == 0
