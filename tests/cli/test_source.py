"""ghost source: one person under several names"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import GhostCli


def test_declared_listed_and_removed(ghost_cli: "GhostCli") -> None:
    """The commands of the original Ghost, in text and in its JSON."""
    assert ghost_cli.ok("source", "alias", "bob", "--canonical", "Robert", "-n", "a") == (
        "declared a/bob = Robert\n"
    )
    assert ghost_cli.ok("source", "list", "-n", "a") == "a/bob = Robert\n"
    [row] = ghost_cli.rows("source", "list")
    assert set(row) == {"ns", "alias", "canonical", "created_at"}
    assert ghost_cli.row("source", "rm", "BOB", "-n", "a")["status"] == "removed"
    result = ghost_cli("source", "list")
    assert (result.out, result.err) == ("", "no spellings are declared\n")


def test_for_user_finds_the_other_name(ghost_cli: "GhostCli") -> None:
    """What one spelling said counts more for the other one."""
    ghost_cli.ok("put", "-n", "a", "-k", "tea", "Green tea, please.", "--source-user", "bob")
    ghost_cli.ok("source", "alias", "bob", "--canonical", "Robert", "-n", "a")
    pack = ghost_cli.row("context", "-n", "a", "tea", "--for-user", "Robert")
    assert [memory["why"]["parts"].get("source") for memory in pack["memories"]] == [1.8]


def test_wrong_uses_are_refused(ghost_cli: "GhostCli") -> None:
    """Without a name, without a namespace, in a circle, of what is not there."""
    ghost_cli.fails(2, "source", "alias", "bob", "-n", "a")
    ghost_cli.fails(2, "source", "alias", "bob", "--canonical", "BOB", "-n", "a")
    ghost_cli.ok("source", "alias", "bob", "--canonical", "Robert", "-n", "a")
    message, hint = ghost_cli.fails(4, "source", "alias", "rob", "--canonical", "Bob", "-n", "a")
    assert ("'Robert'" in message, "'Robert'" in hint) == (True, True)
    ghost_cli.fails(3, "source", "rm", "rob", "-n", "a")


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
