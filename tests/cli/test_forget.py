"""ghost forget"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

MALLORY = ("--source-user", "mallory")


@pytest.fixture(autouse=True)
def poisoned(ghost_cli: "GhostCli") -> None:
    """Store facts, a lie over one of them, and a summary that believed it."""
    ghost_cli.ok("put", "-n", "a", "-k", "gate", "the gate is green")
    ghost_cli.ok("put", "-n", "a", "-k", "fence", "the fence is white")
    ghost_cli.ok("put", "-n", "a", "-k", "gate", *MALLORY, "the gate is xylopurpurea")
    ghost_cli.ok("put", "-n", "a", "-k", "roof", *MALLORY, "the roof is gold")
    ghost_cli.ok(
        *"consolidate -n a --summary-key all --keys gate,fence".split(),
        "xylopurpurea gate, white fence",
    )


def test_hard_leaves_no_byte_and_names_the_backup(
    ghost_cli: "GhostCli", store: Path, tmp_path: Path
) -> None:
    """The words are in no file of the store; the copies that have or may have them are named."""
    ghost_cli.ok("backup", tmp_path / "copy.db")
    ghost_cli.ok("backup", tmp_path / "broken.db")
    (tmp_path / "broken.db").write_text("no database")
    result = ghost_cli("forget", "--source", "mallory", "--hard")
    assert (result.code, result.err) == (
        0,
        f"still in {tmp_path / 'copy.db'}; delete it or make a new backup\n"
        f"maybe still in {tmp_path / 'broken.db'}, which cannot be read; delete it or make a new "
        "backup\n",
    )
    assert result.out.endswith("deleted for good, 1 brought back\n")
    assert all(
        b"xylopurp" not in path.read_bytes() for path in store.parent.iterdir() if path.is_file()
    )
    assert ghost_cli.ok("check") == "clean\n"
