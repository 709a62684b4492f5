"""Memories that know which symbol they are about: put with symbols, and ghost stale, which says what became of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import GhostCli, Program

SHOP = """package shop

type Cart struct{ items []int }

func (c *Cart) Total() int {
	return Price(c) + 1
}

func Price(c *Cart) int {
	return len(c.items)
}

func Fact(n int) int {
	if n < 2 {
		return 1
	}
	return n * Fact(n-1)
}
"""
OTHER = """package till

func Open() int { return 1 }

func Close() int { return 0 }
"""
DOOR = """package door

func Open() string { return "creak" }
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Write a small project and return its folder."""
    root = tmp_path / "shop"
    for name, text in {
        "go.mod": "module example.org/shop\n",
        "shop.go": SHOP,
        "till/till.go": OTHER,
        "door/door.go": DOOR,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def put(cli: GhostCli, root: Path, key: str, *symbols: str, text: str = "") -> Any:
    """Store a memory about symbols and return it."""
    named = [part for symbol in symbols for part in ("--symbols", symbol)]
    about = ("--language", "go", "--root", root) if symbols else ()
    return cli.row("put", "-n", "a", "-k", key, *named, *about, text or f"What {key} is for.")


def states(cli: GhostCli, *args: object) -> dict[str, tuple[str, str]]:
    """Return what became of each memory's symbol, and its new name."""
    return {row["key"]: (row["state"], row.get("now", "")) for row in cli.rows("stale", *args)}


def test_the_working_folder_is_the_project(program: Program, shop: Path) -> None:
    """Without --root the project is where the command runs."""
    there = type(program)(shop)
    assert (
        there(
            "put", "-n", "a", "-k", "x", "--files", "shop.go", "--symbols", "Price", "Prices."
        ).code
        == 0
    )
    (row,) = there("get", "-n", "a", "x", "--json").rows
    assert row["symbols"][0]["root"] == str(shop)


def imported(cli: GhostCli, symbol: object) -> Any:
    """Import a memory with a symbol that somebody else wrote."""
    line = {
        "type": "memory",
        "id": "",
        "ns": "a",
        "key": "k",
        "content": "c",
        "created_at": "2026-01-01T00:00:00Z",
    }
    text = (
        json.dumps({"type": "ghost", "format": 1}) + "\n" + json.dumps({**line, "symbols": symbol})
    )
    return cli("import", input=text)


SYMBOL = {
    "name": "shop.Price",
    "language": "go",
    "path": "shop.go",
    "root": "/nowhere",
    "hash": "0" * 64,
    "rel": "read",
}


@pytest.mark.parametrize(
    "symbol",
    [
        pytest.param("shop.Price", id="text"),
        pytest.param(["shop.Price"], id="texts"),
        pytest.param([{"name": "shop.Price"}], id="too-few"),
        pytest.param([{**SYMBOL, "more": 1}], id="too-many"),
        pytest.param([{**SYMBOL, "root": "/a\nb"}], id="two-lines"),
        pytest.param([{**SYMBOL, "path": 7}], id="number"),
        pytest.param([{**SYMBOL, "rel": "eaten"}], id="relation"),
        pytest.param([{**SYMBOL, "name": ""}], id="empty"),
    ],
)
def test_an_import_checks_symbols(ghost_cli: GhostCli, symbol: object) -> None:
    """What is no symbol is refused with the line that it stands on."""
    result = imported(ghost_cli, symbol)
    assert result.code == 2
    assert "line 2: " in result.err


@pytest.mark.parametrize("root", ["/", "/nowhere", "..", "~", "-rf", "$HOME"])
def test_a_hostile_root_is_not_read(ghost_cli: GhostCli, root: str) -> None:
    """A root that came with an import cannot have the disk or the home read, and does not stop the others."""
    assert imported(ghost_cli, [{**SYMBOL, "root": root}]).code == 0
    assert states(ghost_cli)["k"][0] == "unknown"
    assert "cannot be checked: " in ghost_cli.ok("stale")


def test_a_path_that_leads_outside_is_not_read(ghost_cli: GhostCli, shop: Path) -> None:
    """A symbol's path is only compared with the project's own files."""
    assert (
        imported(
            ghost_cli, [{**SYMBOL, "root": str(shop), "name": "x.Y", "path": "../../../etc/passwd"}]
        ).code
        == 0
    )
    assert states(ghost_cli) == {"k": ("gone", "")}
