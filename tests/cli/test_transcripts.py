"""ghost ingest --transcript and ghost capture --transcript, one test for each format"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

DATA = Path(__file__).parent.parent / "data" / "transcripts"


@pytest.mark.parametrize(
    ("path", "kind", "turns", "first"),
    [
        ("claude", "claude", 7, "a/3f1c9a52-7d1e-4b0a-9c55-0d2f6f1a7e01/0001"),
        ("codex", "codex", 2, "a/019a2d7a-41c4-78b1-b7cc-a45d62a89cd5/0001"),
        ("gemini", "gemini", 4, "a/f86f5318-f47b-4433-85f8-ec9d9a417f8e/0001"),
        ("chat.jsonl", "jsonl", 3, "a/chat/0001"),
    ],
)
def test_each_format_by_name_and_by_itself(
    ghost_cli: "GhostCli", path: str, kind: str, turns: int, first: str
) -> None:
    """Named or told by the file, the turns are the same; the second time there is nothing new."""
    out = ghost_cli.ok("ingest", "--transcript", DATA / path, "--from", kind, "-n", "a")
    assert out.startswith(f"ingested {turns} turns of ")
    assert first in ghost_cli.names("-n", "a")
    again = ghost_cli("ingest", "--transcript", DATA / path, "-n", "a", "--json")
    assert (again.rows[0]["unchanged"], again.rows[0]["created"]) == (turns, 0)


def test_broken_lines_are_named(ghost_cli: "GhostCli") -> None:
    """They are counted in the answer and named beside it."""
    result = ghost_cli("ingest", "--transcript", DATA / "claude", "-n", "a")
    assert result.code == 0
    assert "1 unreadable" in result.out
    assert "line 17" in result.err


def test_the_user_may_be_named_and_a_dry_run_stores_nothing(ghost_cli: "GhostCli") -> None:
    """--source-user, --dry-run and tags."""
    assert ghost_cli.ok(
        "ingest", "--transcript", DATA / "codex", "-n", "a", "--dry-run"
    ).startswith("would ingest 2 turns")
    assert ghost_cli.names("-n", "a") == []
    ghost_cli.ok(
        "ingest", "--transcript", DATA / "codex", "-n", "a", "--source-user", "ana", "-t", "api"
    )
    found = ghost_cli.row("get", "-n", "a", "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5/0001")
    assert (found["source_user"], found["tags"]) == ("ana", ["transcript", "api"])


def test_capture_reads_the_users_turns(ghost_cli: "GhostCli") -> None:
    """capture --transcript takes the user's words only."""
    found = ghost_cli("capture", "--transcript", DATA / "claude", "-n", "a", "--json").rows[0]
    assert "No, the tax is rounded per line, not per cart." in [
        one["content"] for one in found["candidates"]
    ]
    assert all("Understood" not in one["content"] for one in found["candidates"])


def test_wrong_uses_are_refused(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Two sources or none, options of the other sort, what cannot be told."""
    ghost_cli.fails(2, "ingest", "-n", "a")
    ghost_cli.fails(2, "ingest", "x.md", "--transcript", DATA, "-n", "a")
    ghost_cli.fails(2, "ingest", "--transcript", DATA, "-n", "a", "--kind", "semantic")
    ghost_cli.fails(3, "ingest", "--transcript", tmp_path / "gone", "-n", "a")
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    message, hint = ghost_cli.fails(2, "ingest", "--transcript", tmp_path / "x.jsonl", "-n", "a")
    assert "cannot tell" in message
    assert "--from" in hint
