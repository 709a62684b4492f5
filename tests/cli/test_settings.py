"""Which settings win: arguments over GHOST_* over config.toml over defaults; and the modes of what is created"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem import Ghost

if TYPE_CHECKING:
    from conftest import GhostCli


def test_files_and_folders_are_private(ghost_cli: "GhostCli", store: Path) -> None:
    """The folder is 0700, the database and its companions 0600, also under an open umask."""
    before = os.umask(0)
    try:
        ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
        ghost_cli.ok("config", "set", "ns", "a")
        with Ghost.open(store) as ghost:
            ghost.put("a", "x", "two")
            modes = {path.name: path.stat().st_mode & 0o777 for path in store.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(
        ["memory.db", "memory.db-wal", "memory.db-shm", "config.toml"], 0o600
    )
    assert store.parent.stat().st_mode & 0o777 == 0o700


def test_a_deep_path_is_created(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Folders on the way to the store are made."""
    ghost_cli.ok("--db", tmp_path / "a" / "b" / "c.db", "put", "-n", "a", "-k", "x", "one")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
