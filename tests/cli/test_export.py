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


def test_every_line_is_an_object_and_the_first_names_the_format(ghost_cli: "GhostCli") -> None:
    """A header with the number of memories, then every version of every one, then days of use."""
    rows = [json.loads(line) for line in ghost_cli.ok("export").split("\n") if line]
    assert rows[0] == {"type": "ghost", "format": 1, "memories": 4}
    memories = [(row["ns"], row["key"], row["version"]) for row in rows if row["type"] == "memory"]
    assert memories == [("a:x", "tea", 1), ("a:x", "tea", 2), ("a:y", "gone", 1), ("b", "z", 1)]
    assert [row["used"] for row in rows if row["type"] == "access"] == [1]


def test_the_same_store_gives_the_same_bytes(ghost_cli: "GhostCli") -> None:
    """No time of export is in it, and exporting changes nothing."""
    assert ghost_cli.ok("export") == ghost_cli.ok("export") == ghost_cli.ok("--json", "export")


@pytest.mark.parametrize(
    ("ns", "keys"),
    [("a:x", {"tea"}), ("a:*", {"tea", "gone"}), ("*", {"tea", "gone", "z"}), ("no", set())],
)
def test_a_namespace_or_a_prefix_can_be_exported(
    ghost_cli: "GhostCli", ns: str, keys: set[str]
) -> None:
    """-n narrows to what matches."""
    rows = ghost_cli.rows("export", "-n", ns)
    assert {row["key"] for row in rows if row["type"] == "memory"} == keys


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


def test_a_dash_is_standard_output(ghost_cli: "GhostCli") -> None:
    """-o - prints."""
    assert ghost_cli.ok("export", "-o", "-") == ghost_cli.ok("export")


def test_a_database_is_not_replaced_by_an_export(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A backup that is named by mistake keeps its bytes."""
    ghost_cli.ok("backup", tmp_path / "copy.db")
    before = (tmp_path / "copy.db").read_bytes()
    assert "is a database" in ghost_cli.fails(4, "export", "-o", tmp_path / "copy.db")[0]
    assert (tmp_path / "copy.db").read_bytes() == before


@pytest.mark.parametrize(
    "command", [("export", "-o"), ("backup",), ("ingest", "-n", "a"), ("notes", "add")]
)
def test_an_empty_path_is_refused(ghost_cli: "GhostCli", command: tuple[str, ...]) -> None:
    """A variable of the shell that is not set does not stand for the current folder."""
    assert ghost_cli.fails(2, *command, "")[0].endswith(" is empty")


def test_a_namespace_without_memories_is_named(ghost_cli: "GhostCli") -> None:
    """A mistyped namespace is noticed, although the export is valid."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "text")
    assert ghost_cli("export", "-n", "typo").err == (
        "no current memories in typo; `ghost ns list` shows all namespaces\n"
    )
    assert ghost_cli("export", "-n", "a").err == ""


def test_an_empty_store_exports_its_header(ghost_cli: "GhostCli") -> None:
    """Nothing stored: one line."""
    assert ghost_cli.rows("--db", ":memory:", "export") == [
        {"type": "ghost", "format": 1, "memories": 0}
    ]


@pytest.mark.parametrize("target", ["missing/x.jsonl", "folder", "file/x.jsonl"])
def test_a_target_that_cannot_be_written_is_a_plain_error(
    ghost_cli: "GhostCli", tmp_path: Path, target: str
) -> None:
    """A missing folder or a folder as the file is named, with an exit code that says whose fault it is."""

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    result = ghost_cli("export", "-o", tmp_path / target)
    assert result.code in {2, 3, 5}, result
    assert target.split("/", maxsplit=1)[0] in result.err
    assert "Error:" not in result.err


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


def test_the_file_may_be_an_argument(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """`ghost export FILE` is `ghost export -o FILE`; two files are refused."""
    ghost_cli.ok("put", "-n", "agent:me", "-k", "tea", "green tea")
    path = tmp_path / "memories.jsonl"
    ghost_cli.ok("export", str(path))
    assert path.read_text(encoding="utf-8") == ghost_cli.ok("export")
    assert "two files were given" in ghost_cli.fails(2, "export", str(path), "-o", "b.jsonl")[0]
