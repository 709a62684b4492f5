"""ghost outline as it is typed: symbols, files and projects, as text and as JSON, and what is refused"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return a small project in two languages."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "db.py").write_text("def save(row):\n    return row\n", encoding="utf-8")
    (root / "orders.py").write_text(
        "import db\n\n\ndef order(item):\n    return db.save(check(item))\n\n\ndef check(item):\n    return item.strip()\n",
        encoding="utf-8",
    )
    (root / "notes.md").write_text("# Notes\n", encoding="utf-8")
    (root / "main.go").write_text(
        "package main\n\nfunc main() { run() }\n\nfunc run() {}\n", encoding="utf-8"
    )
    return root


@pytest.mark.requirement("004-032", "004-041", "004-047")
def test_the_language_is_that_of_the_files(ghost_cli: "GhostCli", shop: Path) -> None:
    """A file tells its language; a project is outlined in all of its languages."""
    assert "orders.order" in ghost_cli.ok("outline", "file", "orders.py", "--root", shop)
    whole = ghost_cli.ok("outline", "project", "--root", shop)
    assert "main.main  func  main.go:3" in whole
    assert "db.save  func  db.py:1" in whole
    assert "main.go:3" in ghost_cli.ok("outline", "symbol", "main.main", "--root", shop)
    data = json.loads(ghost_cli.ok("outline", "project", "--root", shop, "--format", "json"))
    assert (data["language"], data["languages"]) == (None, ["go", "python"])
    assert data["stats"]["files"] == 3


def test_nothing_is_written_into_the_project(ghost_cli: "GhostCli", shop: Path) -> None:
    """An outline only reads."""
    before = {path: path.read_bytes() for path in shop.rglob("*")}
    ghost_cli.ok("outline", "project", "--language", "python", "--root", shop)
    assert {path: path.read_bytes() for path in shop.rglob("*")} == before


HOSTILE = [
    "x\x1b[31m",
    "x\ny",
    "\x9b2J",
    "'; DROP TABLE memories; --",
    "x" * 3000,
    "\u202egnp",
    "--",
    "-x",
]


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
@pytest.mark.parametrize("what", ["symbol", "file", "language", "root", "relations"])
def test_a_hostile_value_is_one_line_that_a_terminal_does_not_obey(
    ghost_cli: "GhostCli", shop: Path, what: str, value: str
) -> None:
    """Whatever is typed, there is one error and one hint, and nothing but what can be printed."""
    words = {
        "symbol": ["symbol", "--language", "python", "--root", shop, "--", value],
        "file": ["file", "--language", "python", "--root", shop, "--", value],
        "language": ["project", f"--language={value}", "--root", shop],
        "root": ["project", "--language", "python", f"--root={value}"],
        "relations": ["project", "--language", "python", "--root", shop, f"--relations={value}"],
    }[what]
    result = ghost_cli("outline", *words)
    assert result.code in (2, 3), result
    assert result.out == ""
    assert [line.split(":")[0] for line in result.err.splitlines()] == ["error", "hint"], result.err
    assert all(
        char.isprintable() or 0x2400 <= ord(char) <= 0x2421 for char in result.err.replace("\n", "")
    )


@pytest.mark.parametrize(
    "file",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../x.py",
        ".",
        "..",
        "~/x.py",
        "orders.py/x",
        "away/x.py",
    ],
)
def test_a_file_elsewhere(ghost_cli: "GhostCli", shop: Path, file: str) -> None:
    """A path that leads out of the project, or to nothing, is named and not read."""
    (shop.parent / "x.py").write_text("SECRET = 1\n", encoding="utf-8")
    (shop / "away").symlink_to(shop.parent)
    for words in (("file", file), ("symbol", "order", "--file", file)):
        result = ghost_cli("outline", *words, "--language", "python", "--root", shop)
        assert result.code in (2, 3), result
        assert file in result.err
        assert "SECRET" not in result.err + result.out


def test_names_that_a_terminal_would_obey(ghost_cli: "GhostCli", shop: Path) -> None:
    """Names of files and what stands in them reach the terminal as text, in JSON as escapes; what is left out is told."""
    (shop / "csi\x9b2J.py").write_text(
        "def f():\n    g('\x1b[31m')\n    x.\x1b[2J()\n", encoding="utf-8"
    )
    (shop / "esc\x1b[31m.py").write_text("x = 1\n", encoding="utf-8")
    (shop / "esc\x1b]0;x\x07.py").symlink_to(shop / "db.py")
    text = ghost_cli.ok("outline", "project", "--language", "python", "--root", shop)
    line = ghost_cli.ok(
        "outline", "project", "--language", "python", "--root", shop, "--format", "json"
    )
    assert not [
        char
        for char in (text + line).replace("\n", "")
        if ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0
    ]
    data = json.loads(line)
    assert [one["file"] for one in data["stats"]["skipped"]] == [
        "esc\\x1b[31m.py",
        "esc\\x1b]0;x\\x07.py",
    ]
    assert any(match["file"] == "csi\x9b2J.py" for match in data["matches"])


def test_a_binary_file_does_not_stop_the_others(ghost_cli: "GhostCli", shop: Path) -> None:
    """It counts as one that could not be parsed."""
    (shop / "bad.py").write_bytes(b"\x7fELF\0\0\0\1")
    assert "1 file with parse errors" in ghost_cli.ok(
        "outline", "symbol", "order", "--language", "python", "--root", shop
    )
    note = "note: bad.py could not be parsed fully (line 1): symbols may be missing"
    assert note in ghost_cli.ok("outline", "file", "bad.py", "--root", shop)
    assert "note:" not in ghost_cli.ok("outline", "file", "orders.py", "--root", shop)
    result = ghost_cli("outline", "symbol", "nothing", "--root", shop)
    assert "; 1 file could not be parsed fully" in result.err
