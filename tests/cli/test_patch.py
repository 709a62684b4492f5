"""ghost patch"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

KEY = ("-n", "agent:me", "-k", "notes")
TEXT = "# Notes\n\nalpha\nbeta\ngamma"
DIFF = "--- a\n+++ b\n@@ -3,3 +3,3 @@\n alpha\n-beta\n+BETA\n gamma\n"


@pytest.fixture(autouse=True)
def notes(ghost_cli: "GhostCli") -> None:
    """Store a text of five lines."""
    ghost_cli.ok("put", *KEY, "-t", "n", input=TEXT)


@pytest.mark.parametrize("args", [KEY, ("-n", "agent:me", "notes")])
def test_a_diff_makes_the_next_version(ghost_cli: "GhostCli", args: tuple[str, ...]) -> None:
    """The diff on standard input changes the text and keeps everything else."""
    assert ghost_cli.ok("patch", *args, input=DIFF) == "patched agent:me/notes, now v2\n"
    found = ghost_cli.row("get", *KEY)
    assert (found["content"], found["version"], found["tags"]) == (
        TEXT.replace("beta", "BETA"),
        2,
        ["n"],
    )


def test_json_is_the_new_memory(ghost_cli: "GhostCli") -> None:
    """JSON shows the memory as stored."""
    found = ghost_cli.row("patch", *KEY, input=DIFF)
    assert (found["version"], found["outcome"], found["content"]) == (
        2,
        "updated",
        TEXT.replace("beta", "BETA"),
    )


def test_dry_run_shows_the_text_and_changes_nothing(ghost_cli: "GhostCli") -> None:
    """--dry-run prints what would be stored."""
    assert (
        ghost_cli.ok("patch", *KEY, "--dry-run", input=DIFF) == TEXT.replace("beta", "BETA") + "\n"
    )
    assert ghost_cli.row("patch", *KEY, "--dry-run", input=DIFF)["content"] == TEXT.replace(
        "beta", "BETA"
    )
    assert len(ghost_cli.rows("history", *KEY)) == 1


def test_context_must_match(ghost_cli: "GhostCli") -> None:
    """A diff against another text is refused with what was expected, and nothing changes."""
    error, hint = ghost_cli.fails(4, "patch", *KEY, input=DIFF.replace(" alpha", " ALPHA"))
    assert "'ALPHA'" in error
    assert "current text" in hint
    assert ghost_cli.ok("get", *KEY) == TEXT + "\n"


def test_base_version_must_be_current(ghost_cli: "GhostCli") -> None:
    """--base-version refuses when somebody was faster."""
    error, _ = ghost_cli.fails(4, "patch", *KEY, "--base-version", "7", input=DIFF)
    assert "version 7" in error
    ghost_cli.ok("patch", *KEY, "--base-version", "1", input=DIFF)


def test_base_version_counts_in_a_dry_run_too(ghost_cli: "GhostCli") -> None:
    """A dry run fails where the real run would."""

    ghost_cli.fails(4, "patch", *KEY, "--dry-run", "--base-version", "7", input=DIFF)


def test_locked_needs_unlock(ghost_cli: "GhostCli") -> None:
    """A locked memory is patched only with --unlock."""
    ghost_cli.ok("put", *KEY, "-t", "locked", input=TEXT)
    error, _ = ghost_cli.fails(4, "patch", *KEY, input=DIFF)
    assert "locked" in error
    assert ghost_cli.row("patch", *KEY, "--unlock", input=DIFF)["version"] == 3


def test_locked_counts_in_a_dry_run_too(ghost_cli: "GhostCli") -> None:
    """A dry run of a locked memory says that it is locked."""

    ghost_cli.ok("put", *KEY, "-t", "locked", input=TEXT)
    ghost_cli.fails(4, "patch", *KEY, "--dry-run", input=DIFF)


@pytest.mark.parametrize(
    ("diff", "code", "named"),
    [
        ("", 2, "diff"),
        ("not a diff", 2, "'not a diff'"),
        ("@@ -1,9 +1,9 @@\n # Notes\n", 2, "hunk 1"),
        ("@@ -1,5 +0,0 @@\n-# Notes\n-\n-alpha\n-beta\n-gamma\n", 2, "agent:me/notes empty"),
    ],
)
def test_bad_diffs_change_nothing(ghost_cli: "GhostCli", diff: str, code: int, named: str) -> None:
    """What is no diff, or would leave nothing, is refused by name."""
    error, _ = ghost_cli.fails(code, "patch", *KEY, input=diff)
    assert named in error
    assert ghost_cli.ok("get", *KEY, "-v", "1") == TEXT + "\n"


def test_the_key_must_be_named_and_known(ghost_cli: "GhostCli") -> None:
    """Without a key the exit is 2, with an unknown one 3."""
    error, _ = ghost_cli.fails(3, "patch", "-n", "agent:me", "nope", input=DIFF)
    assert error == "memory not found: agent:me/nope"
    error, _ = ghost_cli.fails(2, "patch", "-n", "agent:me", input=DIFF)
    assert error == "a key is required"


def test_the_diff_may_be_in_a_file(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """--patch-file reads it; a file that is missing or no text is refused."""
    (tmp_path / "edit.diff").write_text(DIFF, encoding="utf-8")
    ghost_cli.ok("patch", *KEY, "--patch-file", tmp_path / "edit.diff")
    assert ghost_cli.row("get", *KEY)["content"] == TEXT.replace("beta", "BETA")
    (tmp_path / "bad.diff").write_bytes(b"\xff\xfe")
    ghost_cli.fails(2, "patch", *KEY, "--patch-file", tmp_path / "bad.diff")
    ghost_cli.fails(2, "patch", *KEY, "--patch-file", tmp_path / "missing.diff")
