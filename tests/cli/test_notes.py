"""ghost notes as a stranger types it: every subcommand, what it prints, what it leaves, and the hints when it is wrong."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

TEXT = "# Garden\n\nplants of the year\n\n## Beds\n\nberries in the north bed\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a folder of notes."""
    root = tmp_path / "my vault"
    (root / "sub").mkdir(parents=True)
    (root / "garden.md").write_text(TEXT)
    (root / "sub" / "tools.md").write_text("# Tools\n\na rake, see [[garden]]\n")
    return root


@pytest.fixture
def added(ghost_cli: "GhostCli", vault: Path) -> Path:
    """Return a folder of notes that is searched in the namespace `n`."""
    ghost_cli.ok("notes", "add", vault, "-n", "n")
    return vault


def test_writing_a_section(ghost_cli: "GhostCli", added: Path) -> None:
    """The text comes from the arguments or from standard input; another base is a conflict with the present text."""
    path = added / "garden.md"
    assert (
        ghost_cli.ok("notes", "write", "-n", "n", "garden.md#beds", "## Beds\n\nroses")
        == "wrote garden.md, line 5\n"
    )
    assert path.read_text() == TEXT.replace("berries in the north bed", "roses")
    ghost_cli.ok("notes", "write", "-n", "n", "garden.md#beds", input="## Beds\n\ntulips\n")
    assert path.read_text() == TEXT.replace("berries in the north bed", "tulips")
    assert ghost_cli.rows("search", "-n", "n", "tulips")[0]["key"] == "garden.md#beds"
    wrong = ghost_cli(
        "--json", "notes", "write", "-n", "n", "--base", "0" * 64, "garden.md#beds", "x"
    )
    assert wrong.code == 4
    assert hashlib.sha256(path.read_bytes()).hexdigest() in wrong.err + wrong.out
    assert "tulips" in wrong.err + wrong.out
    path.write_text(TEXT)
    assert (
        "changed"
        in ghost_cli.fails(4, "notes", "write", "-n", "n", "garden.md#beds", "## Beds\n\nlilies")[0]
    )
    assert path.read_text() == TEXT
    assert "not a section of a note" in _refused(ghost_cli)
    assert "not found" in ghost_cli.fails(3, "notes", "write", "-n", "n", "nope.md", "x")[0]
    assert "namespace is required" in ghost_cli.fails(2, "notes", "write", "garden.md", "x")[0]


def _refused(ghost_cli: "GhostCli") -> str:
    ghost_cli.ok("put", "-n", "n", "-k", "mine", "text")
    return ghost_cli.fails(2, "notes", "write", "-n", "n", "mine", "x")[0]


def test_a_daily_workspace(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """MEMORY.md and notes of any age are detected, read as they are, and found: also what was written years ago."""
    root = tmp_path / "agent"
    (root / "memory").mkdir(parents=True)
    facts = "".join(
        f"## Topic {number}\n\nfact number {number} about subject{number}\n\n"
        for number in range(300)
    )
    (root / "MEMORY.md").write_text(f"# Memory\n\n{facts}## Boiler\n\nthe boiler code is 4711\n")
    (root / "memory" / "2023-01-05.md").write_text("# Day\n\nmet the plumber Nakamura\n")
    (root / "memory" / "2026-03-13.md").write_text("# Day\n\nnothing happened\n")
    files = {path: path.read_bytes() for path in root.rglob("*.md")}
    assert ghost_cli.row("notes", "add", root, "-n", "n")["folder"]["layout"] == "daily"
    hit = ghost_cli.rows("search", "-n", "n", "plumber Nakamura")[0]
    assert (hit["path"], hit["created_at"][:10]) == ("memory/2023-01-05.md", "2023-01-05")
    hit = ghost_cli.rows("search", "-n", "n", "what is the boiler code?", "-l", "1")[0]
    assert (hit["path"], hit["match_chunk"]) == (
        "MEMORY.md",
        "## Boiler\n\nthe boiler code is 4711",
    )
    assert (root / "MEMORY.md").read_text().split("\n")[
        hit["line"] - 1
    ] == "the boiler code is 4711"
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == files


def test_the_installed_program_in_pipes(program: "Program", vault: Path) -> None:
    """Two programs in a row see each other's files and stores; names with blanks need no care."""
    done = program.shell(
        f'ghost notes add "{vault}" -n n && echo "a spade" > "{vault}/spade.md" && ghost search --in notes -n n spade --json'
    )
    assert done.code == 0
    assert '"path": "spade.md"' in done.out.splitlines()[-1]
    assert program("notes", "rm", vault, "-y").code == 0
    assert program("notes", "sync").code == 0


def test_a_page_that_shows_role_files_is_no_role_file(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """A folder is one of role files if at least half of its files are; others keep their subfolders."""
    stamped = "## Build\n_2026-02-21 14:27_\n\nUse pnpm.\n"
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "deep" / "page.md").write_text("# Deep\n\ntext\n")
    (docs / "roles.md").write_text(stamped)
    assert "layout roles" in ghost_cli.ok("notes", "add", docs)
    ghost_cli.ok("notes", "rm", docs)
    for number in range(2):
        (docs / f"page-{number}.md").write_text("# Page\n\ntext\n")
    assert "4 notes in notes:docs, layout markdown" in ghost_cli.ok("notes", "add", docs)


def test_consolidating_asks_the_judge(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the settings ask for it, a fact without any phrase is proposed with its probability."""
    note = tmp_path / "ws" / "memory" / "2026-02-10.md"
    note.parent.mkdir(parents=True)
    note.write_text("The staging database of the shop is named heron.\n", encoding="utf-8")
    assert ghost_cli.row("notes", "consolidate", note.parents[1], "--all")["proposals"] == []
    monkeypatch.setenv("GHOST_JUDGE", "on")
    [proposal] = ghost_cli.row("notes", "consolidate", note.parents[1], "--all")["proposals"]
    assert (proposal["path"], proposal["line"]) == ("memory/2026-02-10.md", 1)
    assert proposal["reasons"][0].startswith("judge: ")


def test_a_moved_folder_with_a_link_at_its_place_can_be_removed(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """The folder is found by the path with which it was added."""
    folder, moved = tmp_path / "vault", tmp_path / "moved"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nplums\n")
    ghost_cli.ok("notes", "add", str(folder), "-n", "n")
    folder.rename(moved)
    folder.symlink_to(moved)
    assert ghost_cli.row("notes", "rm", str(folder))["notes"] == 1
    assert ghost_cli.rows("notes", "list") == []
