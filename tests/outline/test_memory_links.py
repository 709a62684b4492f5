"""Memories beside code: which node of an outline each is about, and that nothing of it costs those who do not ask."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.outline.conftest import all_nodes

from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.caller import CALLER, Caller
from ghostmem.model import FileRel, SymbolRef
from ghostmem.outline.project_graph import code_graphs
from ghostmem.outline.render import LinkedMemory as Mention
from ghostmem.outline.stale import memories_of
from ghostmem.outline.symbols import relative_path

SOURCE = """package shop

func Price() int {
	return 1
}

func Total() int {
	return Price() + Price()
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a small project and return its folder."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "go.mod").write_text("module example.org/shop\n", encoding="utf-8")
    (folder / "shop.go").write_text(SOURCE, encoding="utf-8")
    return folder


def put(ghost: Ghost, root: Path, key: str, *symbols: str, **fields: Any) -> None:
    """Store a memory about symbols."""
    ghost.put("a", key, f"What {key} says.", symbols=symbols, language="go", root=root, **fields)


def mentions(ghost: Ghost, root: Path, ns: str | None = None) -> dict[str, list[Mention]]:
    """Return what is remembered about each node, by its name."""
    with code_graphs(ghost.store, root, ["go"]) as [graph]:
        by_node = memories_of(graph, ghost.store.clock(), ns)
        names = {node.id: node.name for node in all_nodes(graph.stored).values()}
    return {names[node]: mentions for node, mentions in by_node.items()}


def lines(made: list[Mention]) -> list[str]:
    """Return mentions in short, in order."""
    return sorted(
        " ".join(part for part in (one.tier, one.name, one.rel, one.date, one.note) if part)
        for one in made
    )


def test_each_node_has_its_memories(ghost: Ghost, root: Path) -> None:
    """A symbol shows what is about it, a file what names it, however it is spelled."""
    put(ghost, root, "price", "Price", tier="ltm")
    ghost.put("a", "short", "By its path.", files=[("shop.go", "read")])
    ghost.put("a", "long", "By its whole path.", files=[str(root / "shop.go")])
    ghost.put("a", "other", "By another.", files=["other/shop.go"])
    found = mentions(ghost, root)
    assert lines(found["shop.Price"]) == ["ltm price modified 2026-03-14"]
    assert lines(found["shop.go"]) == ["stm long modified 2026-03-14", "stm short read 2026-03-14"]
    assert found.keys() == {"shop.Price", "shop.go"}


def test_marks_follow_the_code(ghost: Ghost, root: Path) -> None:
    """Changed code is marked, renamed code shows its memory under the new name, and what is gone stands with its file."""
    put(ghost, root, "price", "Price")
    put(ghost, root, "total", "Total")
    file = root / "shop.go"
    file.write_text(SOURCE.replace("return 1", "return 2"), encoding="utf-8")
    assert lines(mentions(ghost, root)["shop.Price"]) == [
        "stm price modified 2026-03-14 code changed since"
    ]
    file.write_text(SOURCE.replace("Total", "Sum"), encoding="utf-8")
    assert lines(mentions(ghost, root)["shop.Sum"]) == [
        "stm total modified 2026-03-14 shop.Total: renamed to shop.Sum?"
    ]
    file.write_text("package shop\n", encoding="utf-8")
    found = mentions(ghost, root)
    assert set(lines(found["shop.go"])) == {
        "stm price modified 2026-03-14 shop.Price: symbol gone",
        "stm total modified 2026-03-14 shop.Total: symbol gone",
    }


@pytest.mark.parametrize(("encoding", "line_end"), [("latin-1", "\n"), ("utf-8", "\r")])
def test_renames_in_other_encodings(ghost: Ghost, root: Path, encoding: str, line_end: str) -> None:
    """A rename is recognised also where the file is not UTF-8, or has carriage returns alone."""
    text = SOURCE.replace("Price()", "Größe()").replace("\n", line_end)
    (root / "shop.go").write_bytes(text.encode(encoding))
    put(ghost, root, "total", "Total")
    (root / "shop.go").write_bytes(text.replace("Total", "Sum").encode(encoding))
    assert lines(mentions(ghost, root)["shop.Sum"]) == [
        "stm total modified 2026-03-14 shop.Total: renamed to shop.Sum?"
    ]


def test_only_live_memories_of_this_project_that_the_caller_may_read(
    ghost: Ghost, root: Path, tmp_path: Path
) -> None:
    """Removed memories, other projects, other namespaces and what a token has no grant for stay outside."""
    put(ghost, root, "price", "Price")
    put(ghost, root, "gone", "Price")
    ghost.rm("a", "gone")
    elsewhere = SymbolRef("shop.Price", "go", "shop.go", str(tmp_path), "", FileRel.READ)
    ghost.put("a", "elsewhere", "Another project.", symbols=[elsewhere])
    assert [one.name for one in mentions(ghost, root)["shop.Price"]] == ["price"]
    assert mentions(ghost, root, "b") == {}
    token = CALLER.set(Caller("guest", (("b", "read"),)))
    try:
        assert mentions(ghost, root) == {}
    finally:
        CALLER.reset(token)


def test_the_library_takes_names_pairs_and_references(ghost: Ghost, root: Path) -> None:
    """Symbols may be given as names, with what was done to them, or as they were read from another memory."""
    ghost.put(
        "a",
        "one",
        "One.",
        symbols=[("Price", "created"), "Total"],
        language="golang",
        root=str(root),
    )
    refs = ghost.get("a", "one").symbols
    assert [(ref.name, ref.rel) for ref in refs] == [
        ("shop.Price", "created"),
        ("shop.Total", "modified"),
    ]
    assert ghost.put("a", "two", "Two.", symbols=refs).symbols == refs
    assert ghost.put("a", "two", "Two.", symbols=[]).symbols == ()
    assert ghost.get("a", "two").version == 2
    assert [
        (one.key, one.state) for one in ghost.outline.stale("a", root=root, everything=True)
    ] == [("one", "current")] * 2


@pytest.mark.parametrize("symbols", ["Price", [""], [("Price", "eaten")], ["a\x00"]])
def test_what_is_no_symbol_is_refused(ghost: Ghost, root: Path, symbols: Any) -> None:
    """Values of the wrong sort are named, and nothing is stored."""
    with pytest.raises(InvalidInputError):
        ghost.put("a", "x", "Text.", symbols=symbols, language="go", root=root)
    with pytest.raises(NotFoundError):
        ghost.get("a", "x")


def test_an_import_into_another_history_keeps_symbols(open_ghost: Any, root: Path) -> None:
    """A key that exists with another history takes the imported symbols with the imported content."""
    here, there = open_ghost("here.db"), open_ghost("there.db")
    put(here, root, "price", "Price")
    there.put("a", "price", "Something else.")
    there.import_(list(here.export()))
    assert there.get("a", "price").symbols == here.get("a", "price").symbols


def test_nothing_is_outlined_unless_asked(
    ghost: Ghost, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a put nor a context reads code when no symbol and no project is named."""
    put(ghost, root, "price", "Price")

    def fail(*_: object) -> None:
        raise AssertionError("code was read")

    monkeypatch.setattr("ghostmem.outline.sources.sources", fail)
    monkeypatch.setattr("ghostmem.outline.project_graph.sources", fail)
    assert ghost.put("a", "price", "A new text.").symbols[0].name == "shop.Price"
    assert ghost.context("zzz", "a", files=["shop.go"], whole=False).keys == []
    assert ghost.context("a new text", "a").keys == ["price"]
    assert ghost.context("zzz", "a", files=["other.py"], root=root.parent).notes == ()


@pytest.mark.parametrize(
    "error",
    [
        InvalidInputError("the code outline is not installed", "pip install"),
        ImportError("tree_sitter"),
    ],
)
def test_without_the_extra_a_context_and_a_listing_still_answer(
    ghost: Ghost, root: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Code that cannot be read is said beside the answer; a put that needs it fails and stores nothing."""
    put(ghost, root, "price", "Price")

    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr("ghostmem.outline.project_graph.language_named", fail)
    pack = ghost.context(
        "zzz", "a", symbols=["shop.Price"], files=["shop.go", "../x.go"], root=root
    )
    assert [(packed.key, packed.why.note) for packed in pack] == [("price", "about shop.Price")]
    assert str(error) in pack.notes[0]
    assert [(one.state, one.now) for one in ghost.outline.stale()] == [("unknown", str(error))]
    with pytest.raises(type(error)):
        put(ghost, root, "other", "Price")
    assert [memory.key for memory in ghost.list("a")] == ["price"]


def test_symbols_of_a_context_are_a_list(ghost: Ghost) -> None:
    """A bare text is most likely a slip."""
    with pytest.raises(InvalidInputError, match="symbols must be a list"):
        ghost.context("zzz", "a", symbols="Price")


COLD = """
import sys
from ghostmem import Ghost
with Ghost.open(":memory:") as ghost:
    ghost.put("a", "k", "Green tea.", files=["f.go"])
    ghost.put("a", "k", "Black tea.", symbols=[])
    ghost.get("a", "k"), ghost.history("a", "k"), ghost.list("a"), ghost.search("tea", "a")
    ghost.context("tea", "a", files=["f.go"])
print(*(name for name in sys.modules if "outline" in name or "tree_sitter" in name or "symbols" in name))
"""


def test_who_names_no_symbol_imports_nothing_of_it() -> None:
    """The outline stays outside of a process that does without."""
    done = subprocess.run(
        [sys.executable, "-c", COLD], capture_output=True, env=os.environ, check=True, text=True
    )
    assert [
        name
        for name in done.stdout.split()
        if name.startswith("ghostmem.") and ".engine." not in name
    ] == []


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("a.go", "a.go"),
        ("./b/../a.go", "a.go"),
        ("/p/a.go", "a.go"),
        ("../x.go", "../x.go"),
        ("/pp/a.go", "/pp/a.go"),
    ],
)
def test_a_file_is_known_however_it_is_spelled(file: str, path: str) -> None:
    """A path below the root is told from there, another stays what it is."""
    assert relative_path("/p", file) == path
