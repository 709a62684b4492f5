"""ghost notes as a stranger types it: every subcommand, what it prints, what it leaves, and the hints when it is wrong."""

import hashlib
import os
import shutil
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


def test_a_first_round(ghost_cli: "GhostCli", vault: Path) -> None:
    """Add, list, search, look, sync and remove; the files are as they were in the end."""
    assert ghost_cli("notes", "list").err == "no folders yet; add one with `ghost notes add`\n"
    shown = ghost_cli.ok("notes", "add", vault)
    assert (
        shown
        == f"{vault}: 2 notes in notes:my-vault, layout markdown (detected; --layout selects another)\n"
    )
    assert ghost_cli.ok("notes", "list") == f"{vault}  markdown, in notes:my-vault\n"
    found = ghost_cli.ok("search", "--all", "berries")
    assert found.startswith("notes:my-vault/garden.md#beds")
    assert f"{vault}/garden.md:7" in found
    assert (
        ghost_cli.ok("notes", "status").splitlines()[1]
        == "    2 notes on disk, 2 indexed: up to date"
    )
    assert "2 notes: nothing new" in ghost_cli.ok("notes", "sync")
    (vault / "new.md").write_text("gloves\n")
    assert "1 to be indexed" in ghost_cli.ok("notes", "status")
    assert "3 notes: 1 added" in ghost_cli.ok("notes", "sync")
    assert ghost_cli.ok("notes", "rm", vault).startswith(
        f"removed 3 notes of {vault} from notes:my-vault; no file was changed"
    )
    assert (vault / "garden.md").read_text() == TEXT
    assert ghost_cli("search", "--all", "berries").out == ""


def test_json_objects(ghost_cli: "GhostCli", vault: Path) -> None:
    """Every subcommand prints objects for programs, one a line, and nothing beside them."""
    done = ghost_cli.row("notes", "add", vault, "-n", "n", "--layout", "obsidian")
    assert (done["folder"]["root"], done["folder"]["ns"], done["folder"]["layout"]) == (
        str(vault),
        "n",
        "obsidian",
    )
    assert (
        done["report"]["notes"],
        done["report"]["added"],
        done["report"]["failed"],
        done["detected"],
    ) == (2, 2, [], False)
    assert ghost_cli.row("notes", "list")["root"] == str(vault)
    assert ghost_cli.rows("notes", "list", "-n", "other") == []
    status = ghost_cli.row("notes", "status", vault)
    wanted = {
        "on_disk": 2,
        "indexed": 2,
        "pending": 0,
        "orphans": 0,
        "failed": [],
        "watcher": "none",
    }
    assert wanted.items() <= status.items()
    assert status["last_reconcile"].endswith("Z")
    assert ghost_cli.row("notes", "sync", "n")["added"] == 0
    hit = ghost_cli.row("search", "-n", "n", "berries")
    assert (hit["key"], hit["path"], hit["line"], hit["root"]) == (
        "garden.md#beds",
        "garden.md",
        7,
        str(vault),
    )
    block = ghost_cli.row("notes", "grep", "--dir", vault, "rake")
    assert block == {"blocks": []}
    assert (
        ghost_cli.row("notes", "write", "-n", "n", "garden.md#beds", "## Beds\n\nroses")["changed"]
        is True
    )
    gone = ghost_cli.row("notes", "rm", vault, "--dry-run")
    assert (gone["notes"], gone["memories"], gone["dry_run"]) == (2, 3, True)
    assert ghost_cli.row("notes", "rm", "n")["dry_run"] is False
    assert ghost_cli.rows("notes", "status") == []


@pytest.mark.parametrize(
    "command", ["", "add", "list", "status", "sync", "watch", "rm", "write", "grep", "consolidate"]
)
def test_help(ghost_cli: "GhostCli", command: str) -> None:
    """Every subcommand tells what it is for."""
    shown = ghost_cli.ok("notes", *([command] if command else []), "--help")
    assert shown.startswith(f"Usage: ghost notes{f' {command}' if command else ''} ")


def test_errors_say_what_to_do(ghost_cli: "GhostCli", vault: Path, tmp_path: Path) -> None:
    """A layout that is not there, a file, no folder, a folder that is not searched: each has a hint."""
    error, hint = ghost_cli.fails(2, "notes", "add", vault, "--layout", "wiki")
    assert "wiki" in error
    assert "obsidian" in hint
    error, hint = ghost_cli.fails(2, "notes", "add", vault / "garden.md")
    assert "is a file" in error
    assert "ghost ingest" in hint
    assert "no folder" in ghost_cli.fails(3, "notes", "add", tmp_path / "nope")[0]
    assert "invalid namespace" in ghost_cli.fails(2, "notes", "add", vault, "-n", "no good")[0]
    assert ghost_cli.rows("notes", "list") == []
    assert "ghost notes add" in ghost_cli.fails(3, "notes", "rm", vault)[1]
    ghost_cli.ok("notes", "add", vault, "-n", "n")
    for command in ("rm", "sync", "status"):
        error, hint = ghost_cli.fails(3, "notes", command, tmp_path / "nope")
        assert "is not a folder of notes" in error
        assert str(vault) in hint
    assert "notes, memories" in ghost_cli.fails(2, "search", "--in", "files", "x")[1]


def test_a_folder_twice(ghost_cli: "GhostCli", added: Path) -> None:
    """Adding again looks again; into another namespace it is refused; by a relative path or a link it is the same folder."""
    (added / "new.md").write_text("gloves\n")
    assert ghost_cli.row("notes", "add", added)["report"]["added"] == 1
    assert ghost_cli.row("notes", "add", f"{added}/sub/..")["report"]["added"] == 0
    error, hint = ghost_cli.fails(2, "notes", "add", added, "-n", "m")
    assert "already searched in n" in error
    assert "notes rm" in hint
    link = added.with_name("link")
    os.symlink(added, link)
    assert ghost_cli.row("notes", "add", link)["report"]["added"] == 0
    assert len(ghost_cli.rows("notes", "list")) == 1
    ghost_cli.ok("notes", "rm", link)
    assert ghost_cli.rows("notes", "list") == []


def test_search_in_notes_or_memories(ghost_cli: "GhostCli", added: Path) -> None:
    """--in keeps to one of both."""
    ghost_cli.ok("put", "-n", "n", "-k", "mine", "berries of my own")
    keys = {
        within: [row["key"] for row in ghost_cli.rows("search", "-n", "n", *within, "berries")]
        for within in [(), ("--in", "notes"), ("--in", "memories")]
    }
    assert sorted(keys[()]) == ["garden.md#beds", "mine"]
    assert keys["--in", "notes"] == ["garden.md#beds"]
    assert keys["--in", "memories"] == ["mine"]


def test_a_sync_with_work_left_does_not_leave_with_zero(ghost_cli: "GhostCli", added: Path) -> None:
    """When notes are missing at once, or the folder is, the code is 1, the reason is printed, and searches say so too."""
    aside = added.with_name("aside")
    os.rename(added, aside)
    for there in (False, True):
        if there:
            added.mkdir()
        done = ghost_cli("notes", "sync")
        assert done.code == 1
        assert ("missing at once" if there else "cannot be read") in done.err
        found = ghost_cli("search", "-n", "n", "berries")
        assert "garden.md#beds" in found.out
        assert f"note: {added}" in found.err
        assert ("missing at once" if there else "cannot be read") in ghost_cli.ok("notes", "status")
    shutil.rmtree(added)
    os.rename(aside, added)
    assert ghost_cli("notes", "sync").code == 0
    assert "up to date" in ghost_cli.ok("notes", "status")
    for name in ("garden.md", "sub/tools.md"):
        (added / name).unlink()
    assert ghost_cli("notes", "sync").code == 1
    done = ghost_cli("notes", "sync", "--accept-deletes")
    assert (done.code, "2 removed" in done.out) == (0, True)
    assert ghost_cli("search", "-n", "n", "berries").out == ""


def test_problems_are_told(ghost_cli: "GhostCli", added: Path) -> None:
    """What is not read as it should is named beside the data by add, sync and status, and is no failure of the run."""
    (added / "bad.md").write_bytes(b"caf\xe9\n")
    os.symlink("/etc/hostname", added / "out.md")
    done = ghost_cli("notes", "sync", "--full")
    assert done.code == 0
    assert "note: bad.md: is not UTF-8" in done.err
    assert "note: out.md: is a link" in done.err
    status = ghost_cli.ok("notes", "status")
    assert "    bad.md: is not UTF-8" in status
    assert "    out.md: is a link" in status
    assert {one["path"] for one in ghost_cli.row("notes", "status")["failed"]} == {
        "bad.md",
        "out.md",
    }


def test_notes_about_a_written_section(ghost_cli: "GhostCli", added: Path) -> None:
    """The command says that a secret was redacted, and that the text has no heading."""
    secret = "## Beds\n\npassword = hunter2hunter2"
    done = ghost_cli("notes", "write", "-n", "n", "garden.md#beds", input=secret)
    assert "redacted" in done.err
    assert "hunter2" not in (added / "garden.md").read_text()
    done = ghost_cli("notes", "write", "-n", "n", "garden.md#beds", "roses")
    assert (done.code, "has no heading" in done.err) == (0, True), done


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


def test_a_note_cannot_be_put(ghost_cli: "GhostCli", added: Path) -> None:
    """The file is where a note is changed."""
    assert "locked" in ghost_cli.fails(4, "put", "-n", "n", "-k", "garden.md", "mine now")[0]
    assert (added / "garden.md").read_text() == TEXT


def test_wiping_the_namespace_is_healed_by_a_full_sync(ghost_cli: "GhostCli", added: Path) -> None:
    """`ns rm --hard --unlock` takes the memories, and `sync --full` brings them back."""
    names = ghost_cli.names("-n", "n")
    assert len(names) == 3
    ghost_cli.ok("ns", "rm", "n", "--hard", "--unlock", "-y")
    assert ghost_cli.names("-n", "n") == []
    ghost_cli.ok("notes", "sync", "--full")
    assert sorted(ghost_cli.names("-n", "n")) == sorted(names)


def test_nothing_is_made_by_looking(ghost_cli: "GhostCli", store: Path, vault: Path) -> None:
    """Commands that only look do not make a store, and neither does a folder that cannot be added."""
    for words in (("list",), ("status",), ("sync",), ("grep", "x", "--dir", str(vault))):
        ghost_cli("notes", *words)
        assert not store.exists()


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


def test_files_that_a_layout_leaves_out_are_named(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """notes add and status say how many markdown files are not read, and how to read them."""
    (tmp_path / "docs" / "memory").mkdir(parents=True)
    (tmp_path / "docs" / "projects").mkdir()
    for name in ("memory/2026-01-01.md", "projects/shop.md", "readme.md"):
        (tmp_path / "docs" / name).write_text("# Title\n\ntext\n")
    added = ghost_cli("notes", "add", tmp_path / "docs")
    assert "1 note in notes:docs, layout daily" in added.out
    note = "2 markdown files are not notes of the layout daily and left out (projects/shop.md, readme.md)"
    assert note in added.err
    assert "--layout markdown" in added.err
    assert note in ghost_cli("notes", "status").err
    assert ghost_cli.row("notes", "status")["left_out"] == ["projects/shop.md", "readme.md"]
    ghost_cli.ok("notes", "rm", tmp_path / "docs")
    again = ghost_cli("notes", "add", tmp_path / "docs", "--layout", "markdown")
    assert ("3 notes" in again.out, again.err) == (True, "")


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


def test_notes_search_is_search_in_notes(ghost_cli: "GhostCli", vault: Path) -> None:
    """It searches every folder, whatever the namespace, and only notes; the place is the match's line."""
    ghost_cli.ok("notes", "add", vault)
    ghost_cli.ok("put", "-n", "a", "-k", "jam", "Jam is made of berries.")
    found = ghost_cli.ok("notes", "search", "berries")
    assert found == ghost_cli.ok("search", "--in", "notes", "berries")
    assert f"{vault}/garden.md:7" in found
    assert "jam" not in found
    assert ghost_cli.ok("notes", "search", "-n", "a", "berries") == ""


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


@pytest.mark.usefixtures("added")
@pytest.mark.parametrize("command", [("put", "text"), ("rm",), ("curate", "--op", "pin")])
def test_a_locked_note_names_its_file(ghost_cli: "GhostCli", command: tuple[str, ...]) -> None:
    """The hint is to change the file, not to unlock the indexed copy."""
    name, *args = command
    error, hint = ghost_cli.fails(4, name, "-n", "n", "-k", "garden.md#beds", *args)
    assert error == "n/garden.md#beds is locked"
    assert hint == "it is a section of the note garden.md: change that file instead"


def test_mirrors_are_listed(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """They are not searched, but somebody has to find the folder again to end a mirror."""
    ghost_cli.ok("put", "-n", "n", "-k", "tea", "Green tea.")
    ghost_cli.ok("notes", "mirror", tmp_path / "days", "-n", "n", "--layout", "daily")
    told = ghost_cli("notes", "list").err
    assert "no folders are searched; add one" in told
    assert f"note: {tmp_path / 'days'} is a mirror of n, layout daily\n" in told
    assert "mirror" not in ghost_cli("notes", "list", "-n", "other").err


@pytest.mark.parametrize("folder", [".", "docs"])
def test_notes_inside_a_project_are_found_by_its_search(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Search and context of a project find the notes of its folders without a namespace."""
    project = tmp_path / "shop"
    (project / "docs").mkdir(parents=True)
    (project / "docs" / "tv.md").write_text("The ErsatzTV API listens on port 8409.\n")
    monkeypatch.chdir(project)
    assert "1 note in project:shop" in ghost_cli.ok("notes", "add", folder)
    assert "port 8409" in ghost_cli.ok("search", "ErsatzTV")
    assert "port 8409" in ghost_cli.ok("context", "ErsatzTV port")


def test_notes_of_a_repository_belong_to_its_project(
    ghost_cli: "GhostCli", vault: Path, tmp_path: Path
) -> None:
    """A folder in a git repository goes into the namespace of the repository, added from anywhere."""
    (tmp_path / "my vault" / ".git").mkdir()
    assert "2 notes in project:my-vault" in ghost_cli.ok("notes", "add", vault)


def test_a_folder_that_was_added_keeps_its_namespace(
    ghost_cli: "GhostCli", added: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adding a folder again without a namespace does not move its notes."""
    monkeypatch.chdir(added)
    assert "2 notes in n, layout" in ghost_cli.ok("notes", "add", ".")


def test_a_vault_in_the_home_folder_has_its_own_namespace(
    ghost_cli: "GhostCli", home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home folder is not a project, so that a folder in it is named after itself."""
    (home / "vault").mkdir()
    (home / "vault" / "tv.md").write_text("The ErsatzTV API listens on port 8409.\n")
    monkeypatch.chdir(home)
    assert "1 note in notes:vault" in ghost_cli.ok("notes", "add", "vault")
