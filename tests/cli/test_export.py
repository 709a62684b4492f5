"""ghost export"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture(autouse=True)
def some(ghost_cli: "GhostCli") -> None:
    """Store memories with versions, files, a removed one and a used one."""
    ghost_cli.ok(
        *"put -n a:x -k tea -t t --files f.py --meta".split(),
        '{"ü": [1.5]}',
        "one",
    )
    ghost_cli.ok("put", "-n", "a:x", "-k", "tea", "two\u2028lines\n")
    ghost_cli.ok("put", "-n", "a:y", "-k", "gone", "--ttl", "7d", "removed")
    ghost_cli.ok("rm", "-n", "a:y", "gone")
    ghost_cli.ok("put", "-n", "b", "-k", "z", "--pinned", "z")
    ghost_cli.ok("get", "-n", "b", "z")


@pytest.mark.requirement("002-189")
def test_the_same_store_gives_the_same_bytes(ghost_cli: "GhostCli") -> None:
    """No time of export is in it, and exporting changes nothing."""
    assert ghost_cli.ok("export") == ghost_cli.ok("export") == ghost_cli.ok("--json", "export")


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_a_file_is_written_whole_and_private(
    ghost_cli: "GhostCli", tmp_path: Path, flag: str
) -> None:
    """-o writes the same bytes to a new file with mode 0600, and leaves nothing else."""
    target = tmp_path / "out" / "x.jsonl"
    target.parent.mkdir()
    result = ghost_cli("export", flag, target)
    assert (result.code, result.out, result.err) == (0, "", f"wrote {target}\n")
    assert target.read_bytes().decode() == ghost_cli.ok("export")
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["x.jsonl"]


@pytest.mark.requirement("002-189")
def test_the_array_for_the_original(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Current memories after their earlier versions, with the original's fields; meta is a text."""
    put = ("put", "-n", "a", "-k")
    assert ghost_cli.ok("export", "--as", "original", "-n", "a") == "[]\n"
    ghost_cli.ok(
        *put, "tea", "Green tea.", "-t", "x,y", "--meta", '{"by": "日本"}', "--files", "a.py"
    )
    ghost_cli.ok(*put, "tea", "White tea.", "--source-user", "Bob", "--valid-from", "2026-01-01")
    ghost_cli.ok(*put, "pot", "A pot.")
    ghost_cli.ok(*put, "gone", "Gone.")
    ghost_cli.ok("rm", "-n", "a", "gone")
    rows = json.loads(ghost_cli.ok("export", "--as", "original", "-n", "a"))
    assert [(row["key"], row["version"], row["content"]) for row in rows] == [
        ("pot", 1, "A pot."),
        ("tea", 1, "Green tea."),
        ("tea", 2, "White tea."),
    ]
    assert (rows[2]["meta"], rows[2]["tags"]) == ('{"by": "日本"}', ["x", "y"])
    assert rows[2]["files"] == [{"path": "a.py", "rel": "modified"}]
    assert not {"valid_from", "recorded_at", "source_client", "type"} & set(rows[2])
    copy = ("--db", str(tmp_path / "copy.db"))
    ghost_cli.ok(*copy, "import", "--trust", input=json.dumps(rows))
    again = json.loads(ghost_cli.ok(*copy, "export", "--as", "original"))
    assert again == rows
    ghost_cli.fails(2, "export", "--as", "original", "--mark")
