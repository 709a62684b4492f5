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
    assert (result.code, result.out, result.err) == (
        0,
        "",
        "no sequence was repeated in 1 session\n",
    )


def test_notes_are_printed_with_json(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Each line of the output is a procedure, so the notes are on standard error."""
    recorded = tmp_path / "broken.jsonl"
    recorded.write_text("{no json\n", encoding="utf-8")
    result = ghost_cli("mine-procedures", recorded, "--from", "claude", "--json")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("note: left out broken.jsonl, line 1: ")


def test_procedural_memories_of_a_namespace(ghost_cli: "GhostCli") -> None:
    """Without paths the namespace's own procedures are looked at."""
    ghost_cli.ok(
        *"put -n a -k one --kind procedural".split(),
        "1. build it\n2. run the tests\n3. push",
    )
    ghost_cli.ok(
        *"put -n a -k two --kind procedural".split(),
        "1. fix it\n2. run the tests\n3. push",
    )
    assert "1. run the tests\n    2. push" in ghost_cli.ok("mine-procedures", "-n", "a")


def test_wrong_uses_are_refused(ghost_cli: "GhostCli") -> None:
    """Nowhere to look, nowhere to store, no such file."""
    ghost_cli.fails(2, "mine-procedures", "-n", "")
    ghost_cli.fails(2, "mine-procedures", DATA, "-n", "", "--store")
    ghost_cli.fails(3, "mine-procedures", "gone")


SESSIONS = "edit build test commit\nbuild test commit\n\nedit build test\n"


def test_sessions_on_standard_input_are_stored(ghost_cli: "GhostCli") -> None:
    """One session per line, actions separated by spaces, as the original Ghost reads them."""
    result = ghost_cli("mine-procedures", "-n", "a", "-t", "ci, team:web", input=SESSIONS)
    assert result.code == 0
    assert "    1. build\n    2. test\n    3. commit\n" in result.out
    found = [ghost_cli.row("get", "-n", "a", name.removeprefix("a/")) for name in ghost_cli.names()]
    assert {tuple(memory["tags"]) for memory in found} == {("procedure", "mined", "ci", "team:web")}
    assert ghost_cli("mine-procedures", "-", "--json", "--dry-run", input=SESSIONS).rows


def test_sessions_on_standard_input_can_be_shown_only(ghost_cli: "GhostCli") -> None:
    """--dry-run stores nothing and needs no namespace."""
    rows = ghost_cli("mine-procedures", "--dry-run", "--json", input=SESSIONS).rows
    assert [row["steps"] for row in rows] == [
        ["build", "test", "commit"],
        ["edit", "build", "test"],
    ]
    assert ghost_cli.names() == []
    result = ghost_cli("mine-procedures", "--dry-run", input="a b\nc d\n")
    assert (result.out, result.err) == ("", "no sequence was repeated in 2 sessions\n")


def test_lengths_support_and_number_of_procedures(ghost_cli: "GhostCli") -> None:
    """The original's flags limit what is found."""

    def steps(*flags: object) -> list[list[str]]:
        given = ("mine-procedures", "--dry-run", "--json", *flags)
        return [row["steps"] for row in ghost_cli(*given, input=SESSIONS).rows]

    assert steps("--max-len", 2) == [["build", "test"], ["edit", "build"], ["test", "commit"]]
    assert steps("--min-support", 3) == [["build", "test"]]
    assert steps("--min-support", 3, "--min-len", 3) == []
    assert steps("--top", 1) == [["build", "test", "commit"]]


def test_wrong_standard_input_is_refused(ghost_cli: "GhostCli") -> None:
    """A transcript, nothing where something was promised, lengths that exclude each other."""
    _, hint = ghost_cli.fails(2, "mine-procedures", "-n", "a", input='{"a": 1}\n')
    assert "give its file name" in hint
    message, _ = ghost_cli.fails(2, "mine-procedures", "-n", "a", "-", input="\n")
    assert "no sessions" in message
    ghost_cli.fails(2, "mine-procedures", "-n", "a", "--min-len", 4, "--max-len", 3, input="a b")
    ghost_cli.fails(2, "mine-procedures", "-n", "a", "--min-len", 1, input="a b")


def test_the_recorder_is_refused_without_recordings(ghost_cli: "GhostCli") -> None:
    """`--from` would have no effect on text, and on sessions from standard input."""
    for args in (["capture", "I prefer tabs."], ["mine-procedures", "-"]):
        result = ghost_cli(*args, "-n", "a", "--from", "claude", input="edit test\nedit test\n")
        assert (result.code, "--from is for recorded conversations" in result.err) == (2, True)
    assert ghost_cli.names() == []
