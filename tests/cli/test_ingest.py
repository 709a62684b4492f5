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


def contents(ghost_cli: "GhostCli", ns: str = "agent:me") -> dict[str, str]:
    """Return what a namespace holds."""
    return {row["key"]: row["content"] for row in ghost_cli.rows("list", "-n", ns, "-l", "100")}


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
