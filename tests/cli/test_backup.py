"""ghost backup"""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

pytestmark = pytest.mark.usefixtures("some")

WRITER = """
import itertools, sys
from ghostmem import Ghost
with Ghost.open(sys.argv[1]) as ghost:
    for number in itertools.count():
        ghost.put("w", f"k{number}", f"content {number} " * 50)
        print(number, flush=True)
"""


def test_the_copy_is_a_whole_store(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A backup opens like any store, is clean, and exports the same bytes."""
    target = tmp_path / "copy.db"
    out = ghost_cli.ok("backup", target)
    assert out.startswith(f"wrote {target} (")
    assert ghost_cli.ok("--db", target, "export") == ghost_cli.ok("export")
    assert ghost_cli.ok("--db", target, "check") == "clean\n"
    ghost_cli.ok("--db", target, "put", "-n", "a", "-k", "x", "three")


def test_json_names_the_file_and_its_size(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """JSON has the path and the bytes; the file is private and alone."""
    folder = tmp_path / "deep" / "er"
    found = ghost_cli.row("backup", folder / "copy.db")
    assert found == {
        "path": str(folder / "copy.db"),
        "size_bytes": (folder / "copy.db").stat().st_size,
    }
    assert (folder / "copy.db").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["copy.db"]


def test_a_folder_gets_a_file_named_by_the_time(
    ghost_cli: "GhostCli", tmp_path: Path, wind: Any
) -> None:
    """Into a folder goes ghost-<time>.db."""
    folder = tmp_path / "backups"
    folder.mkdir()
    assert ghost_cli.row("backup", folder)["path"] == str(folder / "ghost-20260314T092653Z.db")


def test_an_existing_file_is_replaced_only_by_force(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Without --force an existing file is kept and named."""
    target = tmp_path / "copy.db"
    target.write_text("precious")
    error, hint = ghost_cli.fails(4, "backup", target)
    assert (str(target) in error, "--force" in hint) == (True, True)
    assert target.read_text() == "precious"
    ghost_cli.ok("backup", target, "--force")
    assert ghost_cli.ok("--db", target, "check") == "clean\n"


@pytest.mark.parametrize("target", ["file/copy.db", "file/deep/copy.db"])
def test_a_target_that_cannot_be_written_is_a_plain_error(
    ghost_cli: "GhostCli", tmp_path: Path, target: str
) -> None:
    """A path below a file exits 5 with its name."""

    (tmp_path / "file").write_text("x")
    error, _ = ghost_cli.fails(5, "backup", tmp_path / target)
    assert target in error


def test_the_store_is_never_its_own_backup(ghost_cli: "GhostCli", store: Path) -> None:
    """Even with --force the live file is not replaced under those who have it open."""

    # file that was there before, and lose every write
    before = store.stat().st_ino
    result = ghost_cli("backup", store, "--force")
    assert (result.code, store.stat().st_ino) == (4, before)


def test_a_store_in_use_is_copied_in_one_state(
    ghost_cli: "GhostCli", tmp_path: Path, store: Path
) -> None:
    """While another process writes, the backup is clean and has everything acknowledged before it began."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(10)][-1]
        ghost_cli.ok("backup", tmp_path / "copy.db")
        later = int(writer.stdout.readline())
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()
    keys = ghost_cli.names("--db", tmp_path / "copy.db", "-n", "w")
    assert {f"w/k{number}" for number in range(acknowledged + 1)} <= set(keys)
    assert later > acknowledged
    assert ghost_cli.ok("--db", tmp_path / "copy.db", "check") == "clean\n"
    assert ghost_cli.ok("check") == "clean\n"
