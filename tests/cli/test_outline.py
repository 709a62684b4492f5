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


def test_a_symbol(ghost_cli: "GhostCli", shop: Path) -> None:
    """What it calls, who calls it, and what stayed open."""
    out = ghost_cli.ok("outline", "symbol", "order", "--language", "python", "--root", shop)
    assert out.startswith("orders.order  func  orders.py:4\n")
    assert "  calls\n" in out
    assert "    db.save  func  db.py:1\n" in out
    assert "    orders.check  func  orders.py:8\n" in out
    assert out.splitlines()[-1].startswith("-- 1 symbol, ")
    back = ghost_cli.ok(
        "outline", "symbol", "save", "--language", "py", "--root", shop, "--relations", "calledBy"
    )
    assert "orders.order  func  orders.py:4" in back


def test_a_file_and_a_project(ghost_cli: "GhostCli", shop: Path) -> None:
    """All symbols of a file, and of all files of a language."""
    out = ghost_cli.ok(
        "outline", "file", "orders.py", "--language", "python", "--root", shop, "--depth", "1"
    )
    assert "orders.order" in out
    assert "orders.check" in out
    whole = ghost_cli.ok("outline", "project", "--language", "go", "--root", shop)
    assert "main.main  func  main.go:3" in whole
    assert "db.save" not in whole


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


def test_pages(ghost_cli: "GhostCli", shop: Path) -> None:
    """What one answer cannot hold follows in the next, and nothing is left out."""
    words = ("outline", "project", "--root", shop, "--depth", "0", "--max-nodes", "2")
    offset, names, pages = 0, [], 0
    while offset is not None:
        page = json.loads(ghost_cli.ok(*words, "--offset", str(offset), "--format", "json"))
        names += [match["name"] for match in page["matches"]]
        offset, pages = page.get("next_offset"), pages + 1
        assert page["truncated"] is (offset is not None)
    assert (pages, names) == (
        3,
        ["main.main", "main.run", "db.save", "orders.order", "orders.check"],
    )
    assert "symbols 3 to 4 of 5, continue with offset 4" in ghost_cli.ok(*words, "--offset", "2")


def test_json(ghost_cli: "GhostCli", shop: Path) -> None:
    """One object, with the canonical name, the statistics and the query."""
    data = json.loads(
        ghost_cli.ok(
            "outline", "symbol", "order", "--language", "python", "--root", shop, "--format", "json"
        )
    )
    assert data["matches"][0]["name"] == "orders.order"
    assert data["stats"]["files"] == 2
    assert data["query"]["symbol"] == "order"
    assert data["truncated"] is False


def test_a_cut_is_seen(ghost_cli: "GhostCli", shop: Path) -> None:
    """A tree that is too large says where it ends."""
    out = ghost_cli.ok(
        "outline", "project", "--language", "python", "--root", shop, "--max-nodes", "2"
    )
    assert "... truncated at 2 nodes" in out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["symbol", "order", "--language", "cobol"], 2, "unknown language"),
        (["symbol", "ordre", "--language", "python"], 3, "order"),
        (["symbol", " ", "--language", "python"], 2, "empty"),
        (["symbol", "order", "--language", "python", "--depth", "11"], 2, "depth"),
        (["symbol", "order", "--language", "python", "--relations", "callz"], 2, "calledBy"),
        (["file", "../secret.py", "--language", "python"], 2, "not below"),
        (["file", "none.py", "--language", "python"], 3, "no file"),
        (["file", "main.go", "--language", "python"], 2, "main.go"),
        (["file", "notes.md"], 2, "recognised by their names"),
        (["symbol", "ordre"], 3, "order"),
    ],
)
def test_what_is_refused(
    ghost_cli: "GhostCli", shop: Path, words: list[str], code: int, says: str
) -> None:
    """Each with a sentence and a next step."""
    result = ghost_cli("outline", *words, "--root", shop)
    assert result.code == code, result
    assert says in result.err
    assert "hint:" in result.err


def test_a_file_by_its_absolute_path(ghost_cli: "GhostCli", shop: Path) -> None:
    """As editors and agents give it; a file elsewhere is refused with the way to its project."""
    assert ghost_cli.ok("outline", "file", shop / "orders.py", "--root", shop) == ghost_cli.ok(
        "outline", "file", "orders.py", "--root", shop
    )
    (shop.parent / "elsewhere").mkdir()
    result = ghost_cli("outline", "file", shop / "orders.py", "--root", shop.parent / "elsewhere")
    assert result.code == 2
    assert "set the root" in result.err


def test_a_project_without_source_files(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The message says what is missing."""
    (tmp_path / "empty").mkdir()
    result = ghost_cli("outline", "project", "--root", tmp_path / "empty")
    assert result.code == 2
    assert "there is no file of a known language" in result.err


def test_a_root_that_is_not_there(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Nothing is made, and the error names it."""
    result = ghost_cli("outline", "project", "--language", "python", "--root", tmp_path / "nowhere")
    assert result.code == 3
    assert "nowhere" in result.err


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


@pytest.mark.parametrize("number", ["-1", "11", "1000000000", "1.5", "x", "", "0x2", "٣x"])
def test_a_depth_that_is_none(ghost_cli: "GhostCli", shop: Path, number: str) -> None:
    """The value is named."""
    error, _ = ghost_cli.fails(
        2, "outline", "project", "--language", "python", "--root", shop, f"--depth={number}"
    )
    assert number in error


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


def test_json_of_memories_does_not_reach_a_terminal_raw(ghost_cli: "GhostCli") -> None:
    """A memory may hold what a terminal would obey; its JSON holds the same, in a harmless spelling."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "before \x9b2J\x7f after")
    out = ghost_cli.ok("--json", "get", "-n", "a", "k")
    assert "\x9b" not in out
    assert json.loads(out)["content"] == "before \x9b2J\x7f after"
