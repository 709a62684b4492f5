"""Graphs in the store: they are read as they were linked, and replaced when anything changed"""

import random
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from threading import Thread

import pytest
from tests.outline.conftest import all_nodes, stored

from ghostmem import Ghost
from ghostmem.errors import StoreBusyError
from ghostmem.outline import project_graph
from ghostmem.outline.graph import (
    REVERSE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    project_id,
)
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.project_graph import code_graphs
from ghostmem.settings import Settings

TABLES = ("outline_graphs", "outline_nodes", "outline_links", "outline_unresolved")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a small project."""
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "go.mod").write_text("module example.com/one\n", encoding="utf-8")
    (root / "a.go").write_text(
        'package a\n\nimport "example.com/one/sub"\n\nfunc F() { sub.G(); x() }\n', encoding="utf-8"
    )
    (root / "sub" / "b.go").write_text("package sub\n\nfunc G() {}\n", encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    project_graph._UNSAVED.clear()


def opened(store: Path | str) -> Ghost:
    """Open a store."""
    return Ghost.open(store, settings=Settings(embed_provider="none"))


def outlined(store: Path | str, root: Path) -> tuple[str, int]:
    """Return an outline, and how many files were parsed for it."""
    with opened(store) as ghost:
        outline = ghost.outline.project(language="go", root=root, depth=3)
    return outline.text, outline.data["stats"]["parsed"]


def counts(ghost: Ghost) -> list[int]:
    """Return the number of rows of each table of graphs."""
    with ghost.store.engine.read() as tx:
        return [tx.db.get(f"SELECT count(*) FROM {table}") for table in TABLES]


def random_graph() -> Linked:
    """Return a graph of 5,000 nodes in any order."""
    order = random.Random(3)
    files = [f"f{number}.py" for number in range(40)]
    nodes = [OutlineNode(file_id(file), file, "file", file=file, line=1) for file in files]
    for number in range(5000):
        file, name = order.choice(files), f"m.f{number}"
        node_id = project_id(file, name, number)
        nodes.append(OutlineNode(node_id, name, "function", "project", file, number, number))
    nodes.append(OutlineNode("native:len", "len", "function", "native"))
    nodes.append(
        OutlineNode("b#b", "b", "variable", "project", "b", 3, 9, "b = 1", "", "x.b", "0" * 64)
    )
    ids = [node.id for node in nodes]
    links = [
        OutlineLink(order.choice(ids), order.choice([*REVERSE]), order.choice(ids), line, "type")
        for line in range(12_000)
    ]
    links += [links[5]._replace(line=7, via="import"), links[5]._replace(end="unknown")]
    loose = [
        Loose(order.choice(ids), "calls", f"x.g{n % 9}", n, f"g{n % 9}", 1) for n in range(5000)
    ]
    order.shuffle(nodes)
    return Linked({node.id: node for node in nodes}, links, loose, ["a note"])


def test_a_graph_is_read_as_it_was_linked() -> None:
    """Relations, unresolved references and names are those of the links, whatever their order."""
    linked = random_graph()
    with stored(linked) as graph:
        nodes = all_nodes(graph)
        assert sorted(nodes.values()) == sorted(linked.nodes.values())
        assert graph.notes == ["a note"]
        graph.load(nodes)
        found = {
            (nodes[number].id, kind, nodes[other].id, line)
            for number in nodes
            for kind, others in graph.relations[number].items()
            for other, (line, _) in others.items()
        }
        unresolved = [each for number in nodes for each in graph.unresolved[number]]
        owners = [
            nodes[owner].id
            for _, owner in graph.tables.unresolved_named(graph.project, "g4")
            if owner is not None
        ]
        names = [nodes[number].name for number in graph.tables.containing(graph.project, "f4321")]
        assert graph.tables.unresolved_named(graph.project, "nothing") == []
    first: dict[tuple[str, str, str], int] = {}
    for link in linked.links:
        if link.end in linked.nodes:
            first[link[:3]] = min(link.line, first.get(link[:3], link.line))
    expected = {(start, kind, end, line) for (start, kind, end), line in first.items()}
    expected |= {(end, REVERSE[kind], start, line) for (start, kind, end), line in first.items()}
    assert found == expected
    assert sorted(unresolved) == sorted(linked.loose)
    assert sorted(owners) == sorted(each.owner for each in linked.loose if each.name == "g4")
    assert names == ["m.f4321"]
    with stored(Linked()) as empty:
        assert (all_nodes(empty), empty.shown_alone()) == ({}, [])


def test_damaged_facts_are_none() -> None:
    """Half of the facts of a file are not used."""
    facts = Facts([1, 2], b"file").packed()
    assert Facts.unpacked(facts) == Facts([1, 2], b"file")
    assert all(Facts.unpacked(facts[:size]) is None for size in range(len(facts)))


def test_another_process_links_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph is taken from the store, and gives the same answer."""
    first, _ = outlined(tmp_path / "store.db", project)
    monkeypatch.setattr(project_graph, "_build", None)
    assert outlined(tmp_path / "store.db", project) == (first, 0)


def test_a_changed_project_replaces_its_graph(project: Path, tmp_path: Path) -> None:
    """The rows of the old graph are gone, and those of another project stay."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "o.go").write_text("package o\n\nfunc O() { y() }\n", encoding="utf-8")
    store = tmp_path / "store.db"
    outlined(store, project)
    before = outlined(store, other)[0]
    (project / "a.go").write_text("package a\n", encoding="utf-8")
    outlined(store, project)
    assert outlined(store, project)[0] == outlined(":memory:", project)[0]
    assert outlined(store, other) == (before, 0)
    with opened(tmp_path / "new.db") as fresh:
        for root in (project, other):
            fresh.outline.project(language="go", root=root)
        expected = counts(fresh)
    with opened(store) as ghost:
        assert counts(ghost) == expected


def test_what_linking_read_counts_too(project: Path, tmp_path: Path) -> None:
    """Another go.mod makes another graph, although no source file changed."""
    assert "sub.G" in outlined(tmp_path / "store.db", project)[0]
    (project / "go.mod").write_text("module example.com/two\n", encoding="utf-8")
    assert outlined(tmp_path / "store.db", project)[0] == outlined(":memory:", project)[0]


def test_a_graph_of_another_program_is_not_used(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another version linked is linked again, from the cached facts."""
    first, _ = outlined(tmp_path / "store.db", project)
    with opened(tmp_path / "store.db") as ghost, ghost.store.engine.write() as tx:
        tx.db.execute("DELETE FROM outline_nodes")
    monkeypatch.setattr(project_graph, "program", lambda: "another")
    assert outlined(tmp_path / "store.db", project) == (first, 0)


def test_a_kill_leaves_the_old_graph(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph is replaced in one transaction."""
    first, _ = outlined(tmp_path / "store.db", project)
    text = (project / "a.go").read_text(encoding="utf-8")
    (project / "a.go").write_text("package a\n", encoding="utf-8")
    real = project_graph.graph_rows

    def fail(linked: Linked) -> object:
        head, rows = real(linked)
        return head, rows._replace(links=(1 / 0 for _ in range(1)))

    with monkeypatch.context() as patch:
        patch.setattr(project_graph, "graph_rows", fail)
        with pytest.raises(ZeroDivisionError):
            outlined(tmp_path / "store.db", project)
    (project / "a.go").write_text(text, encoding="utf-8")
    monkeypatch.setattr(project_graph, "_build", None)
    assert outlined(tmp_path / "store.db", project)[0] == first


@pytest.mark.parametrize("why", ["read-only", "busy"])
def test_a_store_that_cannot_be_written(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """The graph is kept in memory, and linked again when a file changes."""
    expected, _ = outlined(":memory:", project)
    with opened(tmp_path / "store.db") as ghost:
        engine = ghost.store.engine
        if why == "read-only":
            monkeypatch.setattr(engine, "read_only", True)
        else:

            def busy(**_: object) -> object:
                raise StoreBusyError("busy", "wait")

            monkeypatch.setattr(engine, "write", busy)
        assert ghost.outline.project(language="go", root=project, depth=3).text == expected
        assert counts(ghost) == [0, 0, 0, 0]
        with monkeypatch.context() as patch:
            patch.setattr(project_graph, "_build", None)
            assert ghost.outline.project(language="go", root=project, depth=3).text == expected
        (project / "a.go").write_text("package a\n\nfunc New() {}\n", encoding="utf-8")
        assert "a.New" in ghost.outline.project(language="go", root=project).text
        for number in range(project_graph.MAX_UNSAVED + 1):
            folder = tmp_path / f"p{number}"
            folder.mkdir()
            (folder / "p.go").write_text("package p\n\nfunc P() {}\n", encoding="utf-8")
            assert "p.P" in ghost.outline.project(language="go", root=folder).text
    assert len(project_graph._UNSAVED) <= project_graph.MAX_UNSAVED


def test_another_process_replaces_the_graph_meanwhile(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is built again; if that happens each time, an error says so."""
    expected, _ = outlined(":memory:", project)
    real, times = project_graph._build, [1]

    def replaced(store: object, files: project_graph.CodeGraph) -> None:
        real(store, files)  # type: ignore[arg-type]
        if times[0]:
            times[0] -= 1
            with ghost.store.engine.write() as tx:
                tx.db.execute("UPDATE outline_graphs SET version = 'of other files'")

    monkeypatch.setattr(project_graph, "_build", replaced)
    with opened(tmp_path / "store.db") as ghost:
        assert ghost.outline.project(language="go", root=project, depth=3).text == expected
        (project / "a.go").write_text("package a\n", encoding="utf-8")
        times[0] = project_graph.MAX_ATTEMPTS
        with pytest.raises(StoreBusyError, match="other processes"):
            ghost.outline.project(language="go", root=project)


def test_a_graph_is_read_in_one_state(project: Path, tmp_path: Path) -> None:
    """An open graph stays the same while another connection replaces it."""
    with opened(tmp_path / "store.db") as ghost:
        with code_graphs(ghost.store, project, ["go"]) as [graph]:
            (project / "a.go").write_text("package a\n", encoding="utf-8")
            other = Thread(target=outlined, args=(tmp_path / "store.db", project))
            other.start()
            other.join()
            names = {node.name for node in all_nodes(graph.stored).values()}
        assert {"a.F", "sub.G"} <= names
        assert "a.F" not in ghost.outline.project(language="go", root=project).text


def test_gc_keeps_the_graph_of_a_project_that_is_there(project: Path, tmp_path: Path) -> None:
    """It goes with the last of its files."""
    outlined(tmp_path / "store.db", project)
    with opened(tmp_path / "store.db") as ghost:
        ghost.lifecycle.gc()
        assert all(counts(ghost))
        for path in (project / "a.go", project / "sub" / "b.go"):
            path.unlink()
        ghost.outline.project(language="go", root=project)
        ghost.lifecycle.gc()
        assert counts(ghost) == [0, 0, 0, 0]


def test_gc_forgets_a_project_whose_folder_is_gone(project: Path, tmp_path: Path) -> None:
    """Nobody outlines it any more, so that nothing else would."""
    outlined(tmp_path / "store.db", project)
    with opened(tmp_path / "store.db") as ghost:
        rmtree(project)
        ghost.lifecycle.gc()
        with ghost.store.engine.read() as tx:
            assert tx.db.get("SELECT count(*) FROM outline_facts") == 0
            assert tx.db.get("SELECT count(*) FROM outline_files") == 0
        assert counts(ghost) == [0, 0, 0, 0]


def test_facts_of_an_older_extractor_give_way(project: Path, tmp_path: Path) -> None:
    """Those of its own language only: a header is C and C++ alike."""
    outlined(tmp_path / "store.db", project)
    with opened(tmp_path / "store.db") as ghost, ghost.store.engine.write() as tx:
        digest, maker = tx.db.row("SELECT hash, maker FROM outline_facts")
        tx.outline.put_facts({digest: b"x"}, "goo 1, other")
        tx.outline.put_facts({digest: b"y"}, "go 99, newer")
        makers = tx.db.rows(
            "SELECT maker FROM outline_facts WHERE hash = ? ORDER BY maker", (digest,)
        )
    assert maker.startswith("go ")
    assert makers == [("go 99, newer",), ("goo 1, other",)]
