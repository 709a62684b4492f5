"""ghost mine-procedures"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import GhostCli

DATA = Path(__file__).parent.parent / "data" / "transcripts"


def test_shown_then_stored(ghost_cli: "GhostCli") -> None:
    """The default is to show; --store makes a procedural memory."""
    result = ghost_cli("mine-procedures", DATA / "claude")
    assert result.code == 0
    assert "in 2 sessions" in result.out
    assert "    2. pytest -q <path>\n" in result.out
    assert "nothing was stored" in result.err
    ghost_cli.ok("mine-procedures", DATA / "claude", "-n", "a", "--store")
    [name] = ghost_cli.names("-n", "a")
    found = ghost_cli.row("get", "-n", "a", name.removeprefix("a/"))
    assert (found["kind"], found["importance"], found["tags"]) == (
        "procedural",
        0.5,
        ["procedure", "mined"],
    )


def test_json_and_nothing(ghost_cli: "GhostCli") -> None:
    """One object per procedure; nothing is said beside the data."""
    [found] = ghost_cli("mine-procedures", DATA / "claude", "--json").rows
    assert (found["support"], len(found["steps"])) == (2, 5)
    result = ghost_cli("mine-procedures", DATA / "codex")
    assert (result.code, result.out, result.err) == (0, "", "nothing was repeated in 1 session\n")


def test_procedural_memories_of_a_namespace(ghost_cli: "GhostCli") -> None:
    """Without paths the namespace's own procedures are looked at."""
    ghost_cli.ok(
        "put",
        "-n",
        "a",
        "-k",
        "one",
        "--kind",
        "procedural",
        "1. build it\n2. run the tests\n3. push",
    )
    ghost_cli.ok(
        "put",
        "-n",
        "a",
        "-k",
        "two",
        "--kind",
        "procedural",
        "1. fix it\n2. run the tests\n3. push",
    )
    assert "1. run the tests\n    2. push" in ghost_cli.ok("mine-procedures", "-n", "a")


def test_wrong_uses_are_refused(ghost_cli: "GhostCli") -> None:
    """Nowhere to look, nowhere to store, no such file."""
    ghost_cli.fails(2, "mine-procedures", "-n", "")
    ghost_cli.fails(2, "mine-procedures", DATA, "-n", "", "--store")
    ghost_cli.fails(3, "mine-procedures", "gone")
