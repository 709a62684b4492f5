"""What is done again and again: from transcripts and from procedural memories"""

from pathlib import Path

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.capture.mine_procedures import (
    mine,
    normal,
    runs,
    steps_of_action,
    steps_of_command,
    steps_of_text,
)
from ghostmem.model import Kind, Outcome, SourceKind

DATA = Path(__file__).parent.parent / "data" / "transcripts"


def test_the_longest_runs_that_sessions_share() -> None:
    """Only maximal ones, from 2 to 5 steps, in at least two sessions."""
    sessions = {
        "one": ["x", "a", "b", "c", "y"],
        "two": ["z", "a", "b", "c"],
        "three": ["b", "c", "q"],
    }
    found = mine(sessions)
    assert [(one.steps, one.sessions) for one in found] == [(("a", "b", "c"), ("one", "two"))]
    assert mine({"one": ["a", "b", "c"]}) == []
    assert mine({"one": ["a", "b"], "two": ["b", "a"]}) == []


def test_importance_grows_with_sessions_up_to_a_ceiling() -> None:
    """min(.85, .4 + .05 a session)."""
    for count, importance in ((2, 0.5), (4, 0.6), (30, 0.85)):
        [one] = mine({str(n): ["build it", "ship it"] for n in range(count)})
        assert (one.importance, one.support) == (importance, count)


def test_a_run_longer_than_the_longest_is_not_told_window_by_window() -> None:
    """Windows on one run that overlap by half are one."""
    steps = [f"step {letter}" for letter in "abcdefg"]
    found = mine({"one": steps, "two": steps})
    assert [one.steps for one in found] == [tuple(steps[:5])]


def test_looking_alone_is_no_procedure() -> None:
    """Reading and searching is what every session does; the same step again is no sequence."""
    assert mine({"one": ["Read <path>", "Grep"], "two": ["Read <path>", "Grep"]}) == []
    assert mine({"one": ["make", "make"], "two": ["make", "make"]}) == []
    assert runs(["a", "a", "b", "b", "a"]) == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("step", "plain"),
    [
        ("pytest -q tests/test_cart.py", "pytest -q <path>"),
        ("git commit -m 'Fix 17 things'", "git commit -m <text>"),
        ("git show 3f1c9a527d", "git show <id>"),
        ("kill 4711", "kill <n>"),
        ("curl https://x.example/a?b=1", "curl <url>"),
        ("close PROJ-12", "close <id>"),
        ("make release", "make release"),
        ("python3 -m build", "python3 -m build"),
        ("cat ~/.ssh/config ./a/b", "cat <path>"),
    ],
)
def test_what_differs_from_time_to_time_is_a_placeholder(step: str, plain: str) -> None:
    """Paths, texts, ids, numbers and addresses."""
    assert normal(step) == plain


def test_a_command_line_is_several_steps() -> None:
    """What only moves about is left out, and so is what a heredoc holds."""
    assert list(steps_of_command("cd /x && make lint; make test\ngit push")) == [
        "make lint",
        "make test",
        "git push",
    ]
    assert list(steps_of_command("cat > a.py <<'EOF'\nrm -rf /\nEOF")) == ["cat > <path>"]
    assert list(steps_of_action("shell", {"command": ["bash", "-lc", "make all"]})) == ["make all"]
    assert list(steps_of_action("Edit", {"file_path": "/a.py"})) == ["Edit <path>"]
    assert list(steps_of_action("mcp__x__y", {"q": 1})) == ["mcp__x__y"]
    assert list(steps_of_action("Bash", {"command": 3})) == ["Bash"]


def test_steps_of_a_text() -> None:
    """Its list, else its commands, else what follows upon each other."""
    assert steps_of_text("To ship:\n1. Build it.\n2. Push 3 tags") == ["build it", "push <n> tags"]
    assert steps_of_text("Run `make` and later `make push`.") == ["make", "make push"]
    assert steps_of_text("First stop the worker, then run the migration.") == [
        "stop the worker",
        "run the migration",
    ]


def test_transcripts_are_mined_and_stored(ghost: Ghost) -> None:
    """A dry run shows, then the same is a procedural memory; again it is reinforced."""
    dry = ghost.transfer.mine_procedures([DATA / "claude"])
    assert (dry.dry_run, dry.sessions, ghost.list()) == (True, 2, [])
    [one] = dry.procedures
    assert one.steps == (
        "Edit <path>",
        "pytest -q <path>",
        "git add -A",
        "git commit -m <text>",
        "git push",
    )
    assert (one.support, one.importance) == (2, 0.5)
    [stored] = ghost.transfer.mine_procedures(str(DATA / "claude"), "a", dry_run=False).procedures  # type: ignore[arg-type]
    memory = ghost.get("a", stored.key)
    assert (memory.kind, memory.importance, memory.source_kind) == (
        Kind.PROCEDURAL,
        0.5,
        SourceKind.OBSERVED,
    )
    assert memory.tags == ("procedure", "mined")
    assert memory.content.endswith("4. git commit -m <text>\n5. git push")
    [again] = ghost.transfer.mine_procedures([DATA / "claude"], "a", dry_run=False).procedures
    assert again.outcome is Outcome.REINFORCED
    assert len(ghost.list(ns="a")) == 1


def test_procedural_memories_are_mined(ghost: Ghost) -> None:
    """Each is a session; what was mined before is no new evidence."""
    ghost.put(
        "a",
        "hotfix",
        "1. branch from the tag\n2. fix it\n3. run the tests\n4. push",
        kind="procedural",
    )
    ghost.put("a", "release", "1. bump it\n2. run the tests\n3. push", kind="procedural")
    ghost.put("a", "note", "1. run the tests\n2. push", kind="semantic")
    [one] = ghost.transfer.mine_procedures(ns="a", dry_run=False).procedures
    assert (one.steps, one.sessions) == (("run the tests", "push"), ("hotfix", "release"))
    assert [found.sessions for found in ghost.transfer.mine_procedures(ns="a").procedures] == [
        ("hotfix", "release")
    ]


def test_what_is_needed_is_asked_for(ghost: Ghost) -> None:
    """Somewhere to look, and somewhere to store."""
    with pytest.raises(InvalidInputError, match="nothing to mine"):
        ghost.transfer.mine_procedures()
    with pytest.raises(InvalidInputError):
        ghost.transfer.mine_procedures([DATA], dry_run=False)
    with pytest.raises(InvalidInputError, match="fewest"):
        ghost.transfer.mine_procedures([DATA], fewest=1)


@pytest.mark.wide
def test_a_megabyte_of_commands_is_read_in_passing() -> None:
    """No command line makes the placeholders slow."""
    for text in (
        "a/" * 500_000,
        "'" * 1_000_000,
        "1." * 500_000,
        "a.b" * 300_000,
        "deadbeef0" * 100_000,
        "- " * 500_000,
    ):
        assert len(normal(text)) <= 160
        assert list(steps_of_command(text)) is not None
        assert steps_of_text(text) is not None


def test_sessions_of_the_caller(ghost: Ghost) -> None:
    """Steps are taken as they are; sessions and transcripts exclude each other."""
    sessions = [["edit a.py", "make"], ("edit a.py", "make", "push")]
    dry = ghost.transfer.mine_procedures(sessions=sessions)
    assert [(one.steps, one.sessions) for one in dry.procedures] == [
        (("edit a.py", "make"), ("1", "2"))
    ]
    stored = ghost.transfer.mine_procedures((), "a", sessions=sessions, tags=["ci"], dry_run=False)
    assert ghost.get("a", stored.procedures[0].key).tags == ("procedure", "mined", "ci")
    assert ghost.transfer.mine_procedures((), "a", sessions=[]).sessions == 0
    with pytest.raises(InvalidInputError, match="two sources"):
        ghost.transfer.mine_procedures([DATA], sessions=sessions)
    with pytest.raises(InvalidInputError, match="must be a list"):
        ghost.transfer.mine_procedures(sessions=["edit make"])  # a session is a list, not a text
    with pytest.raises(InvalidInputError, match="at least 4 and at most 3"):
        ghost.transfer.mine_procedures(sessions=sessions, shortest=4, longest=3)
