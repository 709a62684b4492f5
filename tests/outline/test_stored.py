"""Graphs that are kept: they say what one made anew says, or nothing"""

from pathlib import Path
from shutil import rmtree

import pytest

from ghostmem import Ghost
from ghostmem.outline import project_graph as outline_graph
from ghostmem.outline.column_graph import opened, pack
from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked, Loose, OutlineLink, OutlineNode
from ghostmem.settings import Settings

LINKED = Linked(
    {
        "b#b": OutlineNode(
            "b#b", "b", "function", file="b", line=3, end_line=9, signature="def b()", body="0" * 64
        ),
        "a#a": OutlineNode("a#a", "a", "variable", file="a", line=1, end_line=1, full="x.a"),
    },
    [OutlineLink("b#b", "accesses", "a#a", 4, "import")],
    [Loose("b#b", "calls", "c.\ud83d", 5, "d", 2)],
    ["a note"],
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project that counts as large."""
    monkeypatch.setattr(outline_graph, "MIN_STORED_FILES", 2)
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "go.mod").write_text("module example.com/one\n", encoding="utf-8")
    (root / "a.go").write_text(
        'package a\n\nimport "example.com/one/sub"\n\nfunc F() { sub.G() }\n', encoding="utf-8"
    )
    (root / "sub" / "b.go").write_text("package sub\n\nfunc G() {}\n", encoding="utf-8")
    return root


def said(store: Path | str, root: Path, *, forget: bool = True) -> tuple[str, int]:
    """Return what a new process would say, and how many files it parsed for that."""
    if forget:
        outline_graph._RECENT.clear()
    with Ghost.open(store, settings=Settings(embed_provider="none")) as ghost:
        made = ghost.outline.project(language="go", root=root, depth=3)
    return made.text, made.data["stats"]["parsed"]


def test_a_graph_survives_bytes() -> None:
    """Nodes are in the order of files, links and what is loose keep their fields."""
    graph = opened(pack(LINKED, {"more": 1}))
    assert graph is not None
    assert (graph.more, graph.notes) == ({"more": 1}, ["a note"])
    assert list(graph.nodes()) == [LINKED.nodes["a#a"], LINKED.nodes["b#b"]]
    assert graph.related(1) == {"accesses": {0: (4, "import")}}
    assert graph.related(0) == {"accessedBy": {1: (4, "import")}}
    assert (graph.loose(0), graph.loose(1)) == ([], LINKED.loose)
    assert (graph.loose_named("d"), graph.loose_named("e")) == ([("calls", 1)], [])
    empty = opened(pack(Linked()))
    assert empty is not None
    assert (len(empty), empty.shown_alone(), empty.containing("x")) == (0, [], [])


def test_what_is_damaged_is_nothing() -> None:
    """Half a graph is none, and neither are facts whose rest was cut."""
    packed = pack(LINKED)
    assert all(opened(packed[:size]) is None for size in range(len(packed)))
    assert opened(packed[:-1] + bytes([packed[-1] ^ 1])) is None
    facts = Facts(rest=[1, 2, 3]).packed()
    assert Facts.unpacked(facts) is not None
    assert all(Facts.unpacked(facts[:size]) is None for size in range(len(facts)))


def test_another_process_links_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large graph is taken from the store, and tells what the first process told."""
    first, _ = said(tmp_path / "store.db", project)
    monkeypatch.setattr(outline_graph, "_link", None)
    assert said(tmp_path / "store.db", project) == (first, 0)


@pytest.mark.parametrize("forget", [True, False])
def test_what_linking_read_counts_too(project: Path, tmp_path: Path, forget: bool) -> None:
    """Another go.mod makes another graph, though no source file changed; in this process and in the next."""
    assert "sub.G" in said(tmp_path / "store.db", project)[0]
    (project / "go.mod").write_text("module example.com/two\n", encoding="utf-8")
    assert said(tmp_path / "store.db", project, forget=forget)[0] == said(":memory:", project)[0]


def test_a_graph_of_another_program_is_not_used(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another version linked is linked again."""
    first, _ = said(tmp_path / "store.db", project)
    with (
        Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost,
        ghost.store.engine.write() as tx,
    ):
        tx.db.execute("UPDATE outline_facts SET facts = x'00' WHERE hash LIKE 'graph %'")
    assert said(tmp_path / "store.db", project) == (first, 0)
    monkeypatch.setattr(outline_graph, "program", lambda: "another")
    monkeypatch.setattr(outline_graph, "opened", None)
    assert said(tmp_path / "store.db", project) == (first, 0)


def test_gc_keeps_the_graph_of_a_project_that_is_there(project: Path, tmp_path: Path) -> None:
    """It goes with the last of its files."""
    said(tmp_path / "store.db", project)
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:

        def kept() -> int:
            with ghost.store.engine.read() as tx:
                return int(
                    tx.db.execute(
                        "SELECT count(*) FROM outline_facts WHERE hash LIKE 'graph %'"
                    ).get
                )

        ghost.lifecycle.gc()
        assert kept() == 1
        for path in (project / "a.go", project / "sub" / "b.go"):
            path.unlink()
        ghost.outline.project(language="go", root=project)
        ghost.lifecycle.gc()
        assert kept() == 0


def test_gc_forgets_a_project_whose_folder_is_gone(project: Path, tmp_path: Path) -> None:
    """Nobody outlines it any more, so that nothing else would."""
    said(tmp_path / "store.db", project)
    with Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost:
        rmtree(project)
        ghost.lifecycle.gc()
        with ghost.store.engine.read() as tx:
            assert (
                tx.db.execute(
                    "SELECT (SELECT count(*) FROM outline_facts) + (SELECT count(*) FROM outline_files)"
                ).get
                == 0
            )


def test_facts_of_an_older_extractor_give_way(project: Path, tmp_path: Path) -> None:
    """Those of its own language only: a header is C and C++ alike."""
    said(tmp_path / "store.db", project)
    with (
        Ghost.open(tmp_path / "store.db", settings=Settings(embed_provider="none")) as ghost,
        ghost.store.engine.write() as tx,
    ):
        [(mark, maker)] = tx.db.execute(
            "SELECT hash, maker FROM outline_facts WHERE hash NOT LIKE 'graph %' LIMIT 1"
        ).fetchall()
        tx.outline.put_facts([(mark, b"x")], "goo 1, other")
        tx.outline.put_facts([(mark, b"y")], "go 99, newer")
        makers = tx.db.execute(
            "SELECT maker FROM outline_facts WHERE hash = ? ORDER BY maker", (mark,)
        ).fetchall()
    assert maker.startswith("go ")
    assert makers == [("go 99, newer",), ("goo 1, other",)]
