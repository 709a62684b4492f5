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


def edit(root: Path, old: str, new: str, file: str = "shop.go") -> None:
    """Change a source file."""
    path = root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def names(memory: Any) -> list[str]:
    """Return the symbols that a memory is about."""
    return [symbol["name"] for symbol in memory.get("symbols", [])]


def states(cli: GhostCli, *args: object) -> dict[str, tuple[str, str]]:
    """Return what became of each memory's symbol, and its new name."""
    return {row["key"]: (row["state"], row.get("now", "")) for row in cli.rows("stale", *args)}


def test_a_symbol_is_recorded_with_its_place_and_text(ghost_cli: GhostCli, shop: Path) -> None:
    """A name in part is resolved to its canonical name, file, project and the hash of its text."""
    put(ghost_cli, shop, "total", "Cart.Total")
    (symbol,) = ghost_cli.row("get", "-n", "a", "total")["symbols"]
    assert (symbol["name"], symbol["language"], symbol["path"]) == (
        "shop.(*Cart).Total",
        "go",
        "shop.go",
    )
    assert (symbol["root"], symbol["rel"], len(symbol["hash"])) == (str(shop), "modified", 64)


def test_the_files_tell_the_language(ghost_cli: GhostCli, shop: Path) -> None:
    """With a file named, no language is needed; the relation counts for both."""
    made = ghost_cli.row(
        *"put -n a -k x --files shop.go --symbols Price,Fact --root".split(),
        shop,
        "--file-rel",
        "read",
        "Two.",
    )
    assert names(made) == ["shop.Fact", "shop.Price"]
    assert {one["rel"] for one in (*made["symbols"], *made["files"])} == {"read"}


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


def test_unchanged_code_is_current(ghost_cli: GhostCli, shop: Path) -> None:
    """What is as it was is listed only on request, and other code may change around it."""
    put(ghost_cli, shop, "price", "Price")
    edit(shop, "+ 1", "+ 2")
    edit(shop, "package shop\n", "package shop\n\n// moved down\n")
    assert states(ghost_cli) == {}
    assert ghost_cli("stale").err == "no linked code has changed\n"
    assert states(ghost_cli, "--all") == {"price": ("current", "")}
    assert ghost_cli.ok("stale", "--all") == "a/price  shop.Price  shop.go  current\n"


def test_changed_code_is_marked(ghost_cli: GhostCli, shop: Path) -> None:
    """A symbol whose text differs now is changed; until a new version looks at it again."""
    put(ghost_cli, shop, "price", "Price")
    edit(shop, "len(c.items)", "2 * len(c.items)")
    assert states(ghost_cli) == {"price": ("changed", "")}
    assert ghost_cli.ok("stale", "-n", "a") == "a/price  shop.Price  shop.go  code changed since\n"
    assert put(ghost_cli, shop, "price", "Price")["version"] == 2
    assert states(ghost_cli) == {}


@pytest.mark.parametrize(
    ("symbol", "old", "new", "now"),
    [
        pytest.param("Price", "Price", "Cost", "shop.Cost", id="function"),
        pytest.param("Fact", "Fact", "Factorial", "shop.Factorial", id="recursive"),
        pytest.param("Cart.Total", "Cart", "Basket", "shop.(*Basket).Total", id="receiver"),
    ],
)
def test_a_rename_is_offered_and_nothing_rewritten(
    ghost_cli: GhostCli, shop: Path, symbol: str, old: str, new: str, now: str
) -> None:
    """The same text under another name is offered; the link stays what it was."""
    before = put(ghost_cli, shop, "it", symbol)
    edit(shop, old, new)
    assert states(ghost_cli) == {"it": ("renamed", now)}
    assert f"renamed to {now}?" in ghost_cli.ok("stale")
    assert ghost_cli.row("get", "-n", "a", "it")["symbols"] == before["symbols"]


def test_a_symbol_moved_to_another_package_is_offered(ghost_cli: GhostCli, shop: Path) -> None:
    """The text is looked for in every file."""
    put(ghost_cli, shop, "price", "Price")
    body = "func Price(c *Cart) int {\n\treturn len(c.items)\n}\n"
    edit(shop, body, "")
    edit(shop, "package till\n", f"package till\n\n{body}", "till/till.go")
    assert states(ghost_cli) == {"price": ("renamed", "till.Price")}


def test_two_that_could_be_it_are_no_rename(ghost_cli: GhostCli, shop: Path) -> None:
    """A rename is offered only when one symbol alone has the text."""
    put(ghost_cli, shop, "price", "Price")
    body = "func Price(c *Cart) int {\n\treturn len(c.items)\n}\n"
    edit(shop, body, body.replace("Price", "Cost") + body.replace("Price", "Worth"))
    assert states(ghost_cli) == {"price": ("gone", "")}


@pytest.mark.parametrize("how", ["symbol", "file", "everything"])
def test_a_symbol_that_is_gone(ghost_cli: GhostCli, shop: Path, how: str) -> None:
    """What was deleted is gone, and the memory is not."""
    put(ghost_cli, shop, "price", "Price")
    if how == "symbol":
        edit(shop, "func Price(c *Cart) int {\n\treturn len(c.items)\n}\n", "")
    for file in {
        "file": ["shop.go"],
        "everything": ["shop.go", "till/till.go", "door/door.go"],
    }.get(how, []):
        (shop / file).unlink()
    assert states(ghost_cli) == {"price": ("gone", "")}
    assert ghost_cli.ok("stale") == "a/price  shop.Price  shop.go  symbol gone\n"
    assert ghost_cli.ok("get", "-n", "a", "price") == "What price is for.\n"


def test_several_of_a_name_are_linked_by_file(ghost_cli: GhostCli, shop: Path) -> None:
    """An ambiguous name is stored as the files of all candidates, with a note that names them."""
    result = ghost_cli(
        *"put -n a -k open --symbols Open --language go --root".split(),
        shop,
        "Opens.",
    )
    assert result.code == 0
    assert "2 symbols match 'Open'" in result.err
    assert "door.Open (door/door.go:3), till.Open (till/till.go:3)" in result.err
    memory = ghost_cli.row("get", "-n", "a", "open")
    assert names(memory) == []
    assert [file["path"] for file in memory["files"]] == ["door/door.go", "till/till.go"]
    assert "notes" not in memory
    assert "2 symbols match" in put(ghost_cli, shop, "other", "Open")["notes"][0]


def test_a_file_decides_between_several(ghost_cli: GhostCli, shop: Path) -> None:
    """A file that is named with an ambiguous symbol says which one is meant."""
    made = ghost_cli.row(
        *"put -n a -k x --files".split(),
        "till/till.go",
        "--symbols",
        "Open",
        "--root",
        shop,
        "Tills.",
    )
    assert names(made) == ["till.Open"]
    assert "notes" not in made


def test_an_ambiguous_name_keeps_the_files_from_before(ghost_cli: GhostCli, shop: Path) -> None:
    """Files that a new version would take over stay when candidates' files join."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "--files", "notes.md", "One.")
    made = put(ghost_cli, shop, "x", "Open", text="Two.")
    assert [file["path"] for file in made["files"]] == ["door/door.go", "notes.md", "till/till.go"]


def test_an_unknown_symbol_stores_nothing(ghost_cli: GhostCli, shop: Path) -> None:
    """The error names what comes close, and neither this symbol nor the others are stored."""
    error, hint = ghost_cli.fails(
        3,
        *"put -n a -k x --symbols Fact,Pricee --language go --root".split(),
        shop,
        "Prices.",
    )
    assert "there is no symbol 'Pricee' in the go code of" in error
    assert "shop.Price" in hint
    assert ghost_cli.fails(3, "get", "-n", "a", "x")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        pytest.param(
            ["--symbols", "Price"], "the language of the symbols is required", id="no-language"
        ),
        pytest.param(
            ["--symbols", "Price", "--files", "a.go,b.py"],
            "the files are of go and python",
            id="two-languages",
        ),
        pytest.param(
            ["--symbols", "Price", "--language", "klingon"],
            "unknown language 'klingon'",
            id="klingon",
        ),
        pytest.param(["--language", "go"], "--language go needs a symbol", id="language-alone"),
        pytest.param(["--root", "."], "--root . needs a symbol", id="root-alone"),
    ],
)
def test_what_cannot_be_resolved_is_a_plain_error(
    ghost_cli: GhostCli, args: list[str], says: str
) -> None:
    """Wrong values are named with what would be right."""
    error, hint = ghost_cli.fails(2, "put", "-n", "a", "-k", "x", *args, "Text.")
    assert says in error
    assert hint


def test_the_language_of_a_project_is_detected(ghost_cli: GhostCli, shop: Path) -> None:
    """Where all files are of one language, it need not be named."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "--symbols", "shop.Price", "--root", shop, "Text.")
    assert "shop.Price" in ghost_cli.ok("stale", "--root", shop, "--all")


@pytest.mark.parametrize("root", ["nowhere", "shop/shop.go", "\x1b[31m", "../" * 40 + "nowhere"])
def test_a_root_that_is_no_project(ghost_cli: GhostCli, shop: Path, root: str) -> None:
    """A put into a project that is not there fails and stores nothing."""
    place = shop.parent / root
    error, _ = ghost_cli.fails(
        3,
        *"put -n a -k x --symbols Price --language go --root".split(),
        place,
        "Text.",
    )
    assert "there is no folder" in error
    assert "\x1b" not in error


def test_versions_inherit_symbols(ghost_cli: GhostCli, shop: Path) -> None:
    """A new version takes symbols over as they were; names replace them, and an empty list takes them away."""
    first = put(ghost_cli, shop, "price", "Price")
    edit(shop, "len(c.items)", "0")
    second = put(ghost_cli, shop, "price", text="Prices, again.")
    assert second["symbols"] == first["symbols"]
    assert names(put(ghost_cli, shop, "price", "Fact", text="Facts.")) == ["shop.Fact"]
    assert ghost_cli.row("put", "-n", "a", "-k", "price", "Facts.")["outcome"] == "reinforced"
    assert "symbols" not in ghost_cli.row(
        "put", "-n", "a", "-k", "price", "--symbols", "", "Nothing."
    )
    history = [names(row) for row in ghost_cli.rows("history", "-n", "a", "price")]
    assert history == [["shop.Price"], ["shop.Price"], ["shop.Fact"], []]
    assert names(ghost_cli.row("restore", "-n", "a", "price", "--version", "1")) == ["shop.Price"]


def test_reads_show_symbols(ghost_cli: GhostCli, shop: Path) -> None:
    """Listings and hits carry symbols as they carry files; a removal and its restore lose none."""
    put(ghost_cli, shop, "price", "Price", text="Prices are in cents.")
    for args in (
        ["list", "-n", "a"],
        ["search", "-n", "a", "prices in cents"],
        ["history", "-n", "a", "price"],
    ):
        assert names(ghost_cli.row(*args)) == ["shop.Price"]
    ghost_cli.ok("rm", "-n", "a", "price")
    assert names(ghost_cli.row("restore", "-n", "a", "price")) == ["shop.Price"]
    ghost_cli.ok("rm", "-n", "a", "price", "--hard")
    assert states(ghost_cli, "--all") == {}


def test_an_export_carries_symbols(ghost_cli: GhostCli, shop: Path, tmp_path: Path) -> None:
    """Exporting, importing elsewhere and exporting again gives the same bytes."""
    put(ghost_cli, shop, "price", "Price", "Cart.Total")
    put(ghost_cli, shop, "price", text="Prices, again.")
    before = ghost_cli.ok("export")
    assert before.count("shop.(*Cart).Total") == 2
    other = ("--db", tmp_path / "other.db")
    ghost_cli.ok("import", "--trust", *other, input=before)
    assert ghost_cli.ok("export", *other) == before
    edit(shop, "+ 1", "+ 2")
    assert [row["symbol"] for row in ghost_cli.rows("stale", *other)] == ["shop.(*Cart).Total"]


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


def test_a_project_that_is_gone(ghost_cli: GhostCli, shop: Path) -> None:
    """Nothing can be said of a project that is not there; it is not the same as a deleted symbol."""
    put(ghost_cli, shop, "price", "Price")
    shop.rename(shop.parent / "moved")
    state, why = states(ghost_cli)["price"]
    assert (state, why) == ("unknown", f"there is no folder {shop}")


def test_one_namespace_or_project(ghost_cli: GhostCli, shop: Path, tmp_path: Path) -> None:
    """-n and --root narrow what is looked at."""
    put(ghost_cli, shop, "price", "Price")
    edit(shop, "len(c.items)", "0")
    assert states(ghost_cli, "-n", "b") == {}
    assert states(ghost_cli, "--root", tmp_path) == {}
    assert states(ghost_cli, "--root", shop) == {"price": ("changed", "")}


def reasons(cli: GhostCli, *args: object) -> dict[str, str]:
    """Return why each memory is in a pack, which does not hold the whole namespace."""
    cli.monkeypatch.setenv("GHOST_CONTEXT_WHOLE", "0")
    pack = cli.row("context", "-n", "a", "zzz", *args)
    return {memory["key"]: memory["why"].get("note", "") for memory in pack["memories"]}


def test_memories_about_a_symbol_and_its_callers_join(ghost_cli: GhostCli, shop: Path) -> None:
    """A symbol at hand brings what is known about it and, damped, about what calls it, each with its reason."""
    put(ghost_cli, shop, "price", "Price")
    put(ghost_cli, shop, "total", "Cart.Total")
    put(ghost_cli, shop, "till", "till.Open")
    asked = ("--symbol", "Price", "--root", shop)
    assert reasons(ghost_cli, *asked) == {
        "price": "about shop.Price",
        "total": "about shop.(*Cart).Total, which calls shop.Price",
    }
    scores = [
        memory["score"] for memory in ghost_cli.row("context", "-n", "a", "zzz", *asked)["memories"]
    ]
    assert scores[1] == pytest.approx(0.3 * scores[0], abs=0.02)
    edit(shop, "len(c.items)", "0")
    assert reasons(ghost_cli, *asked)["price"] == "about shop.Price (code changed since)"
    assert reasons(ghost_cli, "--symbol", "Fact", "--root", shop) == {}
    assert reasons(ghost_cli) == {}


def test_memories_about_a_file_and_its_callers_join(
    ghost_cli: GhostCli, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file at hand brings what is about it, about its symbols, and about what calls these from elsewhere."""
    edit(
        shop,
        "package till\n",
        'package till\n\nimport "example.org/shop"\n\nfunc Ring() int { return shop.Price(nil) }\n',
        "till/till.go",
    )
    put(ghost_cli, shop, "price", "Price")
    put(ghost_cli, shop, "ring", "till.Ring")
    put(ghost_cli, shop, "door", "door.Open")
    ghost_cli.ok("put", "-n", "a", "-k", "file", "--files", "shop.go", "The shop's file.")
    monkeypatch.chdir(shop)
    expected = {
        "price": "about shop.Price",
        "file": "about shop.go",
        "ring": "about till.Ring, which calls shop.Price",
    }
    assert reasons(ghost_cli, "--file", "shop.go") == expected
    assert reasons(ghost_cli, "--file", "./shop.go").keys() == expected.keys()
    assert reasons(ghost_cli, "--files", "shop.go") == {"file": ""}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        pytest.param(["--language", "klingon"], "unknown language 'klingon'", id="klingon"),
        pytest.param(["--symbol", "Nonsense"], "there is no symbol 'Nonsense'", id="unknown"),
    ],
)
def test_a_project_that_cannot_be_read_gives_a_note(
    ghost_cli: GhostCli, shop: Path, args: list[str], says: str
) -> None:
    """A context never fails for its code: what memories say of their symbols has to do."""
    put(ghost_cli, shop, "price", "Price")
    pack = ghost_cli.row(
        "context", "-n", "a", "zzz", "--symbol", "shop.Price", "--root", shop, *args
    )
    assert [memory["key"] for memory in pack["memories"]] == ["price"]
    assert says in " ".join(pack["notes"])


def test_no_project_gives_a_note(ghost_cli: GhostCli, shop: Path) -> None:
    """A folder that nothing is linked to, or that has gone, is no error either."""
    pack = ghost_cli.row(
        "context", "-n", "a", "zzz", "--symbol", "Price", "--root", shop / "nowhere"
    )
    assert pack["notes"] == [f"no memory is about symbols of {shop / 'nowhere'}"]
    put(ghost_cli, shop, "price", "Price")
    shop.rename(shop.parent / "moved")
    pack = ghost_cli.row("context", "-n", "a", "zzz", "--symbol", "shop.Price", "--root", shop)
    assert [memory["key"] for memory in pack["memories"]] == ["price"]
    assert "there is no folder" in pack["notes"][0]
