"""ghost setup agents-md"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

MINE = b"# Agents\r\n\r\nBe kind."


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a project's folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_the_file_is_made_filled_and_taken_away(ghost_cli: "GhostCli", project: Path) -> None:
    """Without a path it is AGENTS.md in the working folder; what was made goes again."""
    assert ghost_cli.ok("setup", "agents-md") == "created AGENTS.md\n"
    made = (project / "AGENTS.md").read_text(encoding="utf-8")
    assert made.startswith("<!-- ghost:begin agents-md -->\n")
    assert made.endswith("<!-- ghost:end agents-md -->\n")
    assert "once a week" in made
    assert ghost_cli.ok("setup", "agents-md") == "the guidance in AGENTS.md is as it should be\n"
    assert (project / "AGENTS.md").read_text(encoding="utf-8") == made
    assert ghost_cli.ok("setup", "agents-md", "--remove") == "deleted AGENTS.md, which held nothing else\n"
    assert not (project / "AGENTS.md").exists()
    assert ghost_cli.ok("setup", "agents-md", "--remove") == "there is no guidance in AGENTS.md\n"


@pytest.mark.parametrize("path", ["CLAUDE.md", "docs/AGENTS.md", "docs"])
def test_another_file_or_folder_is_named(ghost_cli: "GhostCli", project: Path, path: str) -> None:
    """What was in a file is there again afterwards, to the byte."""
    (project / "docs").mkdir()
    file = project / (path if path.endswith(".md") else f"{path}/AGENTS.md")
    file.write_bytes(MINE)
    shown = file.relative_to(project)
    assert ghost_cli.ok("setup", "agents-md", path) == f"wrote the guidance into {shown}\n"
    assert file.read_bytes().startswith(MINE)
    assert ghost_cli.ok("setup", "agents-md", path, "--remove") == f"took the guidance out of {shown}\n"
    assert file.read_bytes() == MINE


def test_a_dry_run_prints_a_diff(ghost_cli: "GhostCli", project: Path) -> None:
    """What would change is shown, and nothing is; nothing to change is told beside the data."""
    shown = ghost_cli.ok("setup", "agents-md", "--dry-run")
    assert shown.startswith("--- /dev/null\n+++ AGENTS.md\n@@ -0,0 +1,")
    assert "+<!-- ghost:begin agents-md -->\n" in shown
    assert list(project.iterdir()) == []
    ghost_cli.ok("setup", "agents-md")
    result = ghost_cli("setup", "agents-md", "--dry-run")
    assert (result.code, result.out, result.err) == (0, "", "the guidance in AGENTS.md is as it should be\n")
    removed = ghost_cli.ok("setup", "agents-md", "--dry-run", "--remove")
    assert removed.startswith("--- AGENTS.md\n+++ /dev/null\n")
    assert (project / "AGENTS.md").exists()


def test_print_touches_no_file(ghost_cli: "GhostCli", project: Path, home: Path) -> None:
    """The block to paste by hand is the one that would be written."""
    shown = ghost_cli.ok("setup", "agents-md", "--print")
    assert list(project.iterdir()) == []
    assert list(home.iterdir()) == []
    ghost_cli.ok("setup", "agents-md")
    assert (project / "AGENTS.md").read_text(encoding="utf-8") == shown


def test_json(ghost_cli: "GhostCli") -> None:
    """One object says which file and what happened."""
    planned = ghost_cli.row("setup", "agents-md", "--dry-run")
    assert planned.pop("diff").startswith("--- /dev/null\n")
    assert planned == {"path": "AGENTS.md", "action": "created", "dry_run": True}
    assert ghost_cli.row("setup", "agents-md") == {"path": "AGENTS.md", "action": "created", "dry_run": False}
    assert ghost_cli.row("setup", "agents-md")["action"] == "unchanged"
    assert ghost_cli.row("setup", "agents-md", "--remove")["action"] == "deleted"
    assert ghost_cli.row("setup", "agents-md", "--print")["text"].startswith("<!-- ghost:begin agents-md -->\n")


def test_a_damaged_block_is_an_error(ghost_cli: "GhostCli", project: Path) -> None:
    """Half a block is neither replaced nor removed."""
    file = project / "AGENTS.md"
    file.write_text("<!-- ghost:begin agents-md -->\nmine\n", encoding="utf-8")
    for more in ([], ["--remove"]):
        error, hint = ghost_cli.fails(2, "setup", "agents-md", *more)
        assert "<!-- ghost:end agents-md --> not at all; nothing was changed" in error
        assert "delete both" in hint
    assert file.read_text(encoding="utf-8") == "<!-- ghost:begin agents-md -->\nmine\n"


def test_what_cannot_be_done_is_told(ghost_cli: "GhostCli") -> None:
    """A folder that is not there, and flags that exclude each other."""
    assert "there is no folder" in ghost_cli.fails(3, "setup", "agents-md", "no/AGENTS.md")[0]
    assert "stands alone" in ghost_cli.fails(2, "setup", "agents-md", "--print", "--remove")[0]


def test_no_store_is_opened(ghost_cli: "GhostCli", home: Path) -> None:
    """Guidance needs no memory yet."""
    ghost_cli.ok("setup", "agents-md")
    assert list(home.iterdir()) == []
