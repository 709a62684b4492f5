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
    (root / "main.go").write_text("package main\n\nfunc main() { run() }\n\nfunc run() {}\n", encoding="utf-8")
    return root


def test_a_symbol(ghost_cli: "GhostCli", shop: Path) -> None:
    """What it calls, who calls it, and what stayed open."""
    out = ghost_cli.ok("outline", "symbol", "order", "--language", "python", "--root", shop)
    assert out.startswith("orders.order  func  orders.py:4\n")
    assert "  calls\n" in out
    assert "    db.save  func  db.py:1\n" in out
    assert "    orders.check  func  orders.py:8\n" in out
    assert out.splitlines()[-1].startswith("-- 1 symbol, ")
    back = ghost_cli.ok("outline", "symbol", "save", "--language", "py", "--root", shop, "--relations", "calledBy")
    assert "orders.order  func  orders.py:4" in back


def test_a_file_and_a_project(ghost_cli: "GhostCli", shop: Path) -> None:
    """All symbols of a file, and of all files of a language."""
    out = ghost_cli.ok("outline", "file", "orders.py", "--language", "python", "--root", shop, "--depth", "1")
    assert "orders.order" in out
    assert "orders.check" in out
    whole = ghost_cli.ok("outline", "project", "--language", "go", "--root", shop)
    assert "main.main  func  main.go:3" in whole
    assert "db.save" not in whole


def test_json(ghost_cli: "GhostCli", shop: Path) -> None:
    """One object, with the canonical name, the statistics and the query."""
    data = json.loads(ghost_cli.ok("outline", "symbol", "order", "--language", "python", "--root", shop, "--format", "json"))
    assert data["matches"][0]["name"] == "orders.order"
    assert data["stats"]["files"] == 2
    assert data["query"]["symbol"] == "order"
    assert data["truncated"] is False


def test_a_cut_is_seen(ghost_cli: "GhostCli", shop: Path) -> None:
    """A tree that is too large says where it ends."""
    out = ghost_cli.ok("outline", "project", "--language", "python", "--root", shop, "--max-nodes", "2")
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
        (["symbol", "order"], 2, "--language"),
    ],
)
def test_what_is_refused(ghost_cli: "GhostCli", shop: Path, words: list[str], code: int, says: str) -> None:
    """Each with a sentence and a next step."""
    result = ghost_cli("outline", *words, "--root", shop)
    assert result.code == code, result
    assert says in result.err
    assert "hint:" in result.err


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
