"""ghost ingest"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem import Ghost, InvalidInputError

if TYPE_CHECKING:
    from conftest import GhostCli

MEMORY = """\
---
title: not content
---
What this file is about.

## EV (My Human)
Likes tea.

## 🎉
Party.

## Empty

## Café & Bar 日本
```
## not a heading
```
### Deeper
stays inside
"""
NS = ("-n", "agent:me")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Write a folder of markdown: a file, a day, a file of the same heading below, and what must be left alone."""
    root = tmp_path / "notes"
    (root / "sub").mkdir(parents=True)
    (root / ".hidden").mkdir()
    for name, text in {
        "MEMORY.md": MEMORY,
        "2026-02-15.md": "woke up\n\n## Morning Tasks\nran\n",
        "sub/other.markdown": "## EV (My Human)\nOther words.\n",
        "readme.txt": "## No\nnot markdown\n",
        ".hidden/x.md": "## No\nhidden\n",
    }.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


KEYS = {
    "_preamble": "What this file is about.",
    "ev-my-human": "Likes tea.",
    "untitled": "Party.",
    "cafe-bar-日本": "```\n## not a heading\n```\n### Deeper\nstays inside",
    "2026-02-15:_preamble": "woke up",
    "2026-02-15:morning-tasks": "ran",
    "sub-other:ev-my-human": "Other words.",
}


def contents(ghost_cli: "GhostCli", ns: str = "agent:me") -> dict[str, str]:
    """Return what a namespace holds."""
    return {row["key"]: row["content"] for row in ghost_cli.rows("list", "-n", ns, "-l", "100")}


def test_a_file_becomes_a_memory_per_section(ghost_cli: "GhostCli", notes: Path) -> None:
    """Keys are the headings' slugs, empty sections are skipped, front matter and fences are understood."""
    out = ghost_cli.ok("ingest", notes / "MEMORY.md", *NS)
    assert out == "ingested 4 sections of 1 file: 4 new, 0 updated, 0 unchanged\n"
    assert contents(ghost_cli) == dict(list(KEYS.items())[:4])


def test_a_folder_is_read_recursively(ghost_cli: "GhostCli", notes: Path) -> None:
    """Every markdown file below counts, hidden ones and others do not; a heading met twice gets its file's name."""
    found = ghost_cli.row("ingest", notes, *NS)
    assert {
        name: found[name]
        for name in ("files", "ingested", "created", "updated", "unchanged", "dry_run")
    } == {
        "files": 3,
        "ingested": 7,
        "created": 7,
        "updated": 0,
        "unchanged": 0,
        "dry_run": False,
    }
    assert contents(ghost_cli) == KEYS


def test_ingesting_again_changes_nothing(ghost_cli: "GhostCli", notes: Path) -> None:
    """The second time everything is unchanged, and no version is added."""
    ghost_cli.ok("ingest", notes, *NS)
    assert (
        ghost_cli.ok("ingest", notes, *NS)
        == "ingested 7 sections of 3 files: 0 new, 0 updated, 7 unchanged\n"
    )
    assert {row["version"] for row in ghost_cli.rows("list", *NS)} == {1}


def test_ingesting_again_is_not_a_use(ghost_cli: "GhostCli", notes: Path) -> None:
    """A nightly ingest of unchanged files must not count as interest in them."""

    ghost_cli.ok("ingest", notes, *NS)
    ghost_cli.ok("ingest", notes, *NS)
    assert {row["access_count"] for row in ghost_cli.rows("list", *NS)} == {0}


def test_an_edited_section_becomes_the_next_version(ghost_cli: "GhostCli", notes: Path) -> None:
    """Only what changed is updated; a new heading is added."""
    ghost_cli.ok("ingest", notes, *NS)
    (notes / "MEMORY.md").write_text(
        MEMORY.replace("Likes tea.", "Likes coffee.") + "## New\nfresh\n", encoding="utf-8"
    )
    assert (
        ghost_cli.ok("ingest", notes, *NS)
        == "ingested 8 sections of 3 files: 1 new, 1 updated, 6 unchanged\n"
    )
    assert [row["content"] for row in ghost_cli.rows("history", *NS, "ev-my-human")] == [
        "Likes tea.",
        "Likes coffee.",
    ]


def test_fields_and_origin_are_stored(ghost_cli: "GhostCli", notes: Path) -> None:
    """Kind, tags, priority and meta apply to every section, with the file and heading it came from."""
    fields = ["--kind", "procedural", "-t", "notes,x", "-p", "high", "--meta", '{"by": "me"}']
    ghost_cli.ok("ingest", notes / "MEMORY.md", *NS, *fields)
    found = ghost_cli.row("get", *NS, "ev-my-human")
    assert (found["kind"], found["tags"], found["priority"]) == (
        "procedural",
        ["notes", "x"],
        "high",
    )
    assert found["meta"] == {"by": "me", "section": "ev-my-human", "heading": "EV (My Human)"}
    assert found["files"] == [{"path": str(notes / "MEMORY.md"), "rel": "read"}]


def test_the_default_kind_is_semantic(ghost_cli: "GhostCli", notes: Path) -> None:
    """Notes are knowledge unless said otherwise."""
    ghost_cli.ok("ingest", notes / "MEMORY.md", *NS)
    assert {row["kind"] for row in ghost_cli.rows("list", *NS)} == {"semantic"}


def test_date_ns_puts_the_day_behind_the_namespace(ghost_cli: "GhostCli", notes: Path) -> None:
    """With --date-ns a daily file has a namespace of its own, other files do not."""
    ghost_cli.ok("ingest", notes, *NS, "--date-ns")
    assert contents(ghost_cli, "agent:me:2026-02-15") == {
        "_preamble": "woke up",
        "morning-tasks": "ran",
    }
    assert "ev-my-human" in contents(ghost_cli)


def test_dry_run_shows_the_memories_and_stores_nothing(ghost_cli: "GhostCli", notes: Path) -> None:
    """--dry-run prints every memory that would be made, and the store stays empty."""
    rows = ghost_cli.rows("ingest", notes / "MEMORY.md", *NS, "--dry-run", "-t", "x")
    assert {row["key"]: row["content"] for row in rows} == dict(list(KEYS.items())[:4])
    assert rows[0]["tags"] == ["x"]
    assert "agent:me/ev-my-human" in ghost_cli.ok("ingest", notes / "MEMORY.md", *NS, "--dry-run")
    assert ghost_cli.names() == []


def test_dry_run_names_the_keys_of_the_real_run(ghost_cli: "GhostCli", notes: Path) -> None:
    """What a dry run promises is what the run then stores, also for a heading in two files."""

    assert sorted(
        row["key"] for row in ghost_cli.rows("ingest", notes, *NS, "--dry-run")
    ) == sorted(KEYS)


def test_files_of_one_name_in_two_folders_do_not_overwrite_each_other(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """Several projects' README.md, ingested one by one, keep all their `Setup` sections."""

    names = ("one", "two", "three", "two")
    for name in names:
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "README.md").write_text(f"## Setup\nof {name}\n", encoding="utf-8")
        ghost_cli.ok("ingest", tmp_path / name / "README.md", *NS)
    assert contents(ghost_cli) == {
        "setup": "of one",
        "readme:setup": "of two",
        "readme-2:setup": "of three",
    }


def test_files_whose_names_have_one_slug_do_not_overwrite_each_other(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """`a b.md` and `a-b.md` keep their sections, and ingesting again changes nothing."""
    names = ["a b.md", "a-b.md", "first.md", "0.md"]
    for name in names:
        (tmp_path / name).write_text(f"## Setup\nof {name}\n", encoding="utf-8")
    assert ghost_cli.row("ingest", tmp_path, *NS)["created"] == 4
    assert ghost_cli.row("ingest", tmp_path, *NS)["unchanged"] == 4
    assert sorted(contents(ghost_cli).values()) == sorted(f"of {name}" for name in names)


@pytest.mark.may_skip
@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", [b"caf\xe9.md", b"two\nlines.md"])
def test_a_file_whose_name_cannot_be_stored_is_left_out(
    ghost: Ghost, tmp_path: Path, name: bytes
) -> None:
    """The other files of its folder are ingested, and the export can be imported."""
    bad = tmp_path / os.fsdecode(name)
    bad.write_text("## Bad\ntext\n", encoding="utf-8")
    (tmp_path / "good.md").write_text("## Good\ntext\n", encoding="utf-8")
    assert [note.startswith(f"left out {bad}: ") for note in ghost.ingest(tmp_path, "a").notes] == [
        True
    ]
    assert [memory.key for memory in ghost.list("a")] == ["good"]
    with pytest.raises(InvalidInputError, match="file path"):
        ghost.ingest(bad, "a")
    with Ghost.open(":memory:") as copy:
        assert copy.import_(ghost.export()).imported == 1


def test_a_file_ingested_alone_and_with_its_folder_is_one_file(
    ghost_cli: "GhostCli", notes: Path
) -> None:
    """The same file reached by two paths updates instead of doubling."""

    ghost_cli.ok("ingest", notes, *NS)
    ghost_cli.ok("ingest", notes / "sub" / "other.markdown", *NS)
    assert contents(ghost_cli) == KEYS


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"## A\ncaf\xe9\n", " is not UTF-8 (byte 8)", id="latin-1"),
        pytest.param(b"## A\nx\x00y\n", ": content contains a NUL byte at position 1", id="nul"),
    ],
)
def test_a_bad_file_is_left_out_and_named(
    ghost_cli: "GhostCli", notes: Path, data: bytes, reason: str
) -> None:
    """The other files of its folder are ingested; alone, it is an error that names it."""
    bad = notes / "aa.md"
    bad.write_bytes(data)
    result = ghost_cli("ingest", notes, *NS)
    assert (result.code, f"left out {bad}{reason}" in result.err) == (0, True)
    assert "of 3 files" in result.out
    assert contents(ghost_cli) == KEYS
    assert ghost_cli.fails(2, "ingest", bad, *NS)[0] == f"{bad}{reason}"


@pytest.mark.may_skip
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_named(ghost_cli: "GhostCli", notes: Path) -> None:
    """The other files are ingested, and a note names the folder."""
    (notes / "sub").chmod(0)
    try:
        ingested, imported = (
            ghost_cli("ingest", notes, *NS),
            ghost_cli("import", "--from", "markdown", notes, "-n", "b"),
        )
    finally:
        (notes / "sub").chmod(0o700)
    assert f"left out {notes / 'sub'}: Permission denied" in ingested.err
    assert f"skipped {notes / 'sub'}: Permission denied" in imported.err
    assert "sub-other:ev-my-human" not in contents(ghost_cli)


def test_a_byte_order_mark_and_windows_line_ends_are_read(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """Files as other systems write them have the same keys."""
    (tmp_path / "dos.md").write_bytes(b"\xef\xbb\xbf## One\r\nfirst\r\n\r\n## Two\r\nsecond\r\n")
    ghost_cli.ok("ingest", tmp_path / "dos.md", *NS)
    assert contents(ghost_cli) == {"one": "first", "two": "second"}


@pytest.mark.parametrize(
    ("args", "code", "named"),
    [
        (["nope.md"], 3, "nope.md"),
        (["{empty}"], 3, "no markdown file below"),
        (["{notes}", "--kind", "odd"], 2, "'odd'"),
        (["{notes}", "-p", "odd"], 2, "'odd'"),
        (["{notes}", "--meta", "[1]"], 2, "[1]"),
        (["{notes}", "-n", "bad ns"], 2, "'bad ns'"),
    ],
)
def test_bad_requests_store_nothing(
    ghost_cli: "GhostCli", notes: Path, tmp_path: Path, args: list[str], code: int, named: str
) -> None:
    """A missing path, an empty folder or a bad field is one clear error."""
    (tmp_path / "empty").mkdir()
    filled = [arg.format(notes=notes, empty=tmp_path / "empty") for arg in args]
    error, _ = ghost_cli.fails(code, "ingest", *NS, *filled)
    assert named in error
    assert ghost_cli.names() == []


@pytest.mark.parametrize("option", [("--source-user", "ana"), ("--from", "claude")])
def test_options_of_recordings_are_refused_for_markdown(
    ghost_cli: "GhostCli", notes: Path, option: tuple[str, str]
) -> None:
    """They would have no effect."""
    result = ghost_cli("ingest", notes, *NS, *option)
    assert (result.code, f"{option[0]} is for recorded conversations" in result.err) == (2, True)
    assert ghost_cli.names() == []


def test_notes_of_a_dry_run_are_printed_with_json(ghost_cli: "GhostCli", notes: Path) -> None:
    """The lines of the output are memories, so the notes are on standard error."""
    (notes / "bad.md").write_bytes(b"## One\n\n\xff\n")
    result = ghost_cli("ingest", notes, *NS, "--dry-run", "--json")
    assert all("key" in row for row in result.rows)
    assert f"note: left out {notes / 'bad.md'}" in result.err


def test_source_files_are_not_touched(ghost_cli: "GhostCli", notes: Path) -> None:
    """Markdown we did not write is read, never rewritten."""
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in notes.rglob("*")
        if path.is_file()
    }
    ghost_cli.ok("ingest", notes, *NS)
    assert {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in notes.rglob("*")
        if path.is_file()
    } == before


def test_the_meta_of_a_caller_does_not_stop_an_ingest(
    ghost_cli: "GhostCli", tmp_path: Path
) -> None:
    """A memory about the file whose `section` is not a text is not one of its sections."""
    file = tmp_path / "list.md"
    file.write_text("## One\n\nFirst.\n")
    ghost_cli.ok(
        "put", "-n", "a", "-k", "mine", "--files", str(file), "--meta", '{"section": []}', "Mine."
    )
    assert ghost_cli.row("ingest", str(file), "-n", "a")["created"] == 1
    assert ghost_cli.ok("get", "-n", "a", "mine") == "Mine.\n"
