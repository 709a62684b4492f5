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
