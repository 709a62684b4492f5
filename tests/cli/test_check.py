"""ghost check and ghost repair"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

DAMAGE = {
    "chunks": ("DELETE FROM chunks WHERE id = 1", "1 live memories without chunks"),
    "full text": ("DELETE FROM chunks_fts WHERE rowid = 1", "1 chunks missing from full text"),
    "substrings": (
        "DELETE FROM chunks_tri WHERE rowid = 2",
        "1 chunks missing from the substring index",
    ),
    "all full text": (
        "INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')",
        "2 chunks missing from full text",
    ),
    "orphan": (
        "INSERT INTO memory_files VALUES ('nobody', 'f.py', 'read', '2026-01-01T00:00:00.000000Z')",
        "memory_files",
    ),
    "namespace": ("DELETE FROM namespaces WHERE name = 'b'", "1 namespaces without a row"),
}


@pytest.fixture(autouse=True)
def two_memories(ghost_cli: "GhostCli") -> None:
    """Store two memories."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one two three")
    ghost_cli.ok("put", "-n", "b", "-k", "y", "four five six")


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_and_repaired(
    ghost_cli: "GhostCli", store: Path, sql: Callable[..., Any], name: str
) -> None:
    """check exits 5 and says what is wrong; repair rebuilds it from the rows, which stay as they are."""
    statement, problem = DAMAGE[name]
    before = ghost_cli.ok("export")
    sql(store, statement)
    result = ghost_cli("check")
    assert result.code == 5
    assert problem in result.out
    assert "ghost repair" in result.err
    found = ghost_cli("--json", "check")
    assert (found.code, found.rows[0]["ok"]) == (5, False)
    assert problem in " ".join(found.rows[0]["problems"])
    assert ghost_cli.ok("repair").startswith("indexed 2 memories (2 chunks), removed ")
    assert ghost_cli.ok("check") == "clean\n"
    assert ghost_cli.ok("export") == before


def test_repair_in_json_says_what_was_done(
    ghost_cli: "GhostCli", store: Path, sql: Callable[..., Any]
) -> None:
    """JSON counts orphans, memories and chunks, and has what a check says afterwards."""
    sql(store, DAMAGE["orphan"][0])
    done = ghost_cli.row("repair")
    assert done == {
        "ok": True,
        "done": {"fields": 0, "orphans": 1, "demoted": 0, "memories": 2, "chunks": 2},
        "problems": [],
    }


def test_repairing_what_is_whole_changes_no_memory(ghost_cli: "GhostCli") -> None:
    """A repair of a healthy store is harmless."""
    before = ghost_cli.ok("export")
    assert ghost_cli.ok("repair") == "indexed 2 memories (2 chunks), removed 0 orphans\n"
    assert ghost_cli.ok("export") == before


def test_a_truncated_file_is_damaged(ghost_cli: "GhostCli", store: Path) -> None:
    """A file cut in the middle exits 5 and is named; it is not made worse."""
    data = store.read_bytes()[:50_000]
    store.write_bytes(data)
    error, _ = ghost_cli.fails(5, "check")
    assert f"{store} is damaged" in error
    assert ghost_cli("repair").code == 5
    assert store.read_bytes() == data


def test_the_hint_of_a_damaged_file_leads_further(ghost_cli: "GhostCli", store: Path) -> None:
    """Whoever runs `ghost check` on a damaged file is not told to run `ghost check`."""

    store.write_bytes(store.read_bytes()[:50_000])
    _, hint = ghost_cli.fails(5, "check")
    assert "`ghost check`" not in hint


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST"])
def test_a_store_that_left_wal_mode_is_still_ours(
    ghost_cli: "GhostCli", store: Path, sql: Callable[..., Any], mode: str
) -> None:
    """Other tools may switch the journal mode (`sqlite3 memory.db 'PRAGMA journal_mode=delete'`); the memories stay reachable."""
    before = ghost_cli.ok("export")
    sql(store, f"PRAGMA journal_mode={mode}")
    assert ghost_cli.ok("export") == before
    ghost_cli.ok("put", "-n", "a", "-k", "x", "new")
