"""ghost notes mirror"""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from waiting import until

if TYPE_CHECKING:
    from conftest import GhostCli, Program


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look twice at once."""
    monkeypatch.setattr("ghostmem.notes.mirror.MISSING_SECONDS", 0.0)


def test_it_says_what_it_did(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """One line of counts, in step when there is nothing to do."""
    folder = tmp_path / "days"
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "--kind", "episodic", "Green tea.")
    out = ghost_cli.ok("notes", "mirror", folder, "-n", "me", "--layout", "daily")
    assert out == f"{folder}  daily, in me: 1 to the folder; 0 unchanged\n"
    assert (
        ghost_cli.ok("notes", "mirror", folder, "-n", "me")
        == f"{folder}  daily, in me: up to date; 1 unchanged\n"
    )
    (file,) = (folder / "memory").iterdir()
    file.write_text("## tea\n\nBlack tea.\n\n## pot\n\nA pot.\n")
    assert "2 to the store" in ghost_cli.ok("notes", "mirror", folder, "-n", "me")
    assert ghost_cli.ok("get", "-n", "me", "tea").strip().endswith("Black tea.")


def test_json_has_the_whole_report(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Programs get every count and list."""
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Green tea.")
    row = ghost_cli.row("notes", "mirror", tmp_path / "p", "-n", "me", "--layout", "topics")
    assert row == {
        "root": str(tmp_path / "p" / ".ai-knowledge"),
        "ns": "me",
        "layout": "topics",
        "to_folder": 1,
        "to_store": 0,
        "removed_from_folder": 0,
        "removed_from_store": 0,
        "unchanged": 0,
        "conflicts": [],
        "pending": [],
    }


def test_a_dry_run_changes_nothing(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """It says what would be, and the folder is not even made."""
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Green tea.")
    out = ghost_cli.ok(
        "notes", "mirror", tmp_path / "p", "-n", "me", "--layout", "topics", "--dry-run"
    )
    assert "would be 1 to the folder" in out
    assert not (tmp_path / "p").exists()


def test_a_conflict_is_told(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Beside the data stands where the other text is."""
    folder = tmp_path / "p"
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Green tea.")
    ghost_cli.ok("notes", "mirror", folder, "-n", "me", "--layout", "topics")
    file = folder / ".ai-knowledge" / "tea.mdk"
    file.write_text(file.read_text().replace("Green", "White"))
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Black tea.")
    result = ghost_cli("notes", "mirror", folder, "-n", "me")
    assert (result.code, "1 in conflict" in result.out) == (0, True)
    assert result.err.startswith("note: tea: two texts; the other one is kept as tea (conflict ")


def test_what_is_missing_at_once_needs_a_word(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """An empty folder ends with code 1 and a note; --accept-deletes believes it."""
    folder = tmp_path / "p"
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Green tea.")
    ghost_cli.ok("notes", "mirror", folder, "-n", "me", "--layout", "topics")
    (folder / ".ai-knowledge" / "tea.mdk").unlink()
    result = ghost_cli("notes", "mirror", folder, "-n", "me")
    assert (result.code, "--accept-deletes" in result.err, "nothing done" in result.out) == (
        1,
        True,
        True,
    )
    assert "1 removed from the store" in ghost_cli.ok(
        "notes", "mirror", folder, "-n", "me", "--accept-deletes"
    )


@pytest.mark.parametrize("layout", ["topics", "daily"])
def test_a_mirror_of_the_wrong_namespace_can_be_ended(
    ghost_cli: "GhostCli", tmp_path: Path, layout: str
) -> None:
    """`ghost notes rm` keeps files and memories, and the folder can be mirrored with another one."""
    folder = tmp_path / "my notes"
    mirror = ("notes", "mirror", folder, "--layout", layout, "-n")
    ghost_cli.ok("put", "-n", "wrong", "-k", "tea", "Green tea.")
    ghost_cli.ok(*mirror, "wrong")
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    _, hint = ghost_cli.fails(2, *mirror, "right")
    assert f"`ghost notes rm '{folder}" in hint
    assert "would remove the mirror of wrong" in ghost_cli.ok("notes", "rm", folder, "--dry-run")
    ghost_cli.fails(2, *mirror, "right")
    assert ghost_cli.row("notes", "rm", folder)["mirrored"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == files
    assert ghost_cli.ok("get", "-n", "wrong", "tea") == "Green tea.\n"
    assert "1 to the store" in ghost_cli.ok(*mirror, "right")
    assert ghost_cli.ok("get", "-n", "right", "tea") == "Green tea.\n"


@pytest.mark.parametrize("layout", ["topics", "daily"])
def test_a_deleted_folder_can_be_written_again(
    ghost_cli: "GhostCli", tmp_path: Path, layout: str
) -> None:
    """After the mirror was ended, the next run writes all memories."""
    folder = tmp_path / "p"
    mirror = ("notes", "mirror", folder, "--layout", layout, "-n", "me")
    ghost_cli.ok("put", "-n", "me", "-k", "tea", "Green tea.")
    ghost_cli.ok(*mirror)
    shutil.rmtree(folder)
    folder.mkdir()
    result = ghost_cli(*mirror)
    assert (result.code, "to write them again, run `ghost notes rm " in result.err) == (1, True)
    ghost_cli.ok("notes", "rm", folder)
    ghost_cli.fails(3, "notes", "rm", folder)
    assert "1 to the folder" in ghost_cli.ok(*mirror)
    assert "1 unchanged" in ghost_cli.ok(*mirror)


def test_it_says_what_is_wrong(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A folder that shows no layout, and a namespace that is not named."""
    assert "does not show" in ghost_cli.fails(2, "notes", "mirror", tmp_path, "-n", "me")[0]
    assert (
        "namespace is required"
        in ghost_cli.fails(2, "notes", "mirror", tmp_path, "--layout", "daily")[0]
    )


@pytest.mark.may_skip
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_watching_goes_on_until_interrupted(program: "Program", tmp_path: Path, name: int) -> None:
    """Edits on either side arrive on the other, only what changed is printed, and a signal ends it well."""
    folder = tmp_path / "p"
    program("put", "-n", "me", "-k", "tea", "Green tea.")
    child = program.start("notes", "mirror", folder, "-n", "me", "--layout", "topics", "--watch")
    try:
        file = folder / ".ai-knowledge" / "tea.mdk"
        wait(child, file.exists)
        file.write_text(file.read_text().replace("Green", "White"))
        wait(child, lambda: "White tea." in program("get", "-n", "me", "tea").out)
        time.sleep(2.5)
    finally:
        child.send_signal(name)
        out, err = child.communicate(timeout=30)
    assert child.returncode == 0, err
    assert [line.split(": ", 1)[1] for line in out.decode().splitlines()] == [
        "1 to the folder; 0 unchanged",
        "1 to the store; 0 unchanged",
    ]
    assert err.decode() == "mirroring; press Ctrl-C to stop\n"


def wait(child: "subprocess.Popen[bytes]", is_so: Callable[[], bool]) -> None:
    """Wait until something is so, as long as the process runs."""

    def is_ready() -> bool:
        assert child.poll() is None
        return is_so()

    until(is_ready)
