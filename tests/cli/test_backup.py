"""ghost backup"""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

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
