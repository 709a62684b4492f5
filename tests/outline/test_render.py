"""A tree in text and in JSON is what the specification promises, and both tell the same."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.outline.graph import (
    EXTERNAL,
    NATIVE,
    PROJECT,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.render import LinkedMemory, OutlineStats, to_json, to_text
from ghostmem.outline.tree import Options
from outline.conftest import IDS, OPTIONS, build, find, graphs

DATA = Path(__file__).parent.parent / "data" / "outline"
STATS = OutlineStats(3, 2, (), (("big.go", "larger than 2 MB"),), "9f3c0aab")
WHOLE = replace(STATS, skipped=())  # the text says when something was left out


def symbol(name: str, kind: str, file: str, line: int, **more: Any) -> OutlineNode:
    """Return a symbol of the project."""
    return OutlineNode(
        project_id(file, name, line),
        name,
        kind,
        PROJECT,
        file,
        line,
        line + 4,
        f"{kind} {name}",
        **more,
    )


def example() -> Linked:
    """Return the graph of the specification's example, and some more."""
    register = symbol(
        "outline.(*OutlineManager).RegisterExtractor", "method", "internal/outline/manager.go", 42
    )
    manager = symbol("outline.OutlineManager", "type", "internal/outline/manager.go", 12)
    normalize = symbol("outline.normalize", "function", "internal/outline/util.go", 10)
    setup = symbol("main.setup", "function", "cmd/mcp/main.go", 31)
    file = OutlineNode(
        file_id("internal/outline/manager.go"),
        "internal/outline/manager.go",
        "file",
        PROJECT,
        "internal/outline/manager.go",
        1,
        90,
    )
    lower = OutlineNode(
        outside_id(NATIVE, "strings.ToLower"), "strings.ToLower", "function", NATIVE
    )
    strings = OutlineNode(outside_id(NATIVE, "strings"), "strings", "module", NATIVE)
    cobra = OutlineNode(
        outside_id(EXTERNAL, "github.com/spf13/cobra"),
        "cobra",
        "module",
        EXTERNAL,
        where="github.com/spf13/cobra",
    )
    links = [
        OutlineLink(register.id, "calls", normalize.id, 44, "package"),
        OutlineLink(normalize.id, "calls", lower.id, 11, "native"),
        OutlineLink(setup.id, "calls", register.id, 33, "receiver"),
        OutlineLink(file.id, "declares", manager.id, 12, "file"),
        OutlineLink(manager.id, "declares", register.id, 42, "type"),
        OutlineLink(file.id, "imports", strings.id, 4, "import"),
        OutlineLink(file.id, "imports", cobra.id, 5, "import"),
    ]
    nodes = (register, manager, normalize, setup, file, lower, strings, cobra)
    loose = [Loose(register.id, "calls", "ext.Init", 47, "Init", 0)]
    return Linked({node.id: node for node in nodes}, links, loose)


def golden(name: str, text: str) -> None:
    """Compare with a file that is kept."""
    assert text + "\n" == (DATA / name).read_text(encoding="utf-8")


def as_json(data: object) -> str:
    """Return data as the golden files have it."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def test_the_example_of_the_specification() -> None:
    """The text is the specification's, letter by letter."""
    graph = example()
    tree = build(graph, find(graph, "RegisterExtractor"), Options(relations=("calls", "calledBy")))
    golden("symbol.txt", to_text(tree, symbol="RegisterExtractor", stats=WHOLE))
    query = {"symbol": "RegisterExtractor", "depth": 2}
    golden(
        "symbol.json",
        as_json(to_json(tree, languages=["go"], root="/src/einstein", query=query, stats=STATS)),
    )


def test_without_a_filter_the_example_is_the_same() -> None:
    """All fourteen kinds add nothing that is not there."""
    graph = example()
    tree = build(graph, find(graph, "RegisterExtractor"), Options())
    golden("symbol.txt", to_text(tree, symbol="RegisterExtractor", stats=WHOLE))


def test_a_file_tells_what_it_declares_and_imports() -> None:
    """A file is named once, what it imports says where it is from, and memories stand under their nodes."""
    graph = example()
    path = "internal/outline/manager.go"
    memories = {
        file_id(path): [
            LinkedMemory("ltm", "auth-refactor", "modified", "2026-02-21"),
            *(LinkedMemory("stm", f"note-{day}", "read", f"2026-03-0{day}") for day in range(1, 6)),
            LinkedMemory("ltm", "house-rules", "created", "2025-01-01", True),
        ],
        find(graph, "OutlineManager")[0].id: [
            LinkedMemory("ltm", "manager", "modified", "2026-02-21", note="code changed since")
        ],
    }
    tree = build(graph, [graph.nodes[file_id(path)]], Options())
    broken = OutlineStats(3, parse_errors=(("a.go", 2), ("a.go", 9)), sha="9f3c0aab")
    golden("file.txt", to_text(tree, memories=memories, stats=broken))
    golden(
        "file.json",
        as_json(
            to_json(
                tree,
                languages=["go"],
                root="/src",
                query={"file": path},
                memories=memories,
                stats=broken,
            )
        ),
    )


def test_several_matches_cycles_and_what_was_not_found() -> None:
    """Every match is a tree; a cycle, a node told before, zero callers and a cut are all visible."""
    first, second = symbol("a.A.send", "method", "a.py", 3), symbol("b.B.send", "method", "b.py", 5)
    helper, other = (
        symbol("a.helper", "function", "a.py", 20),
        symbol("a.other", "function", "a.py", 30),
    )
    links = [
        OutlineLink(first.id, "calls", helper.id, 4, "x"), OutlineLink(first.id, "calls", other.id, 5, "x"), OutlineLink(helper.id, "calls", other.id, 21, "x"),
        OutlineLink(other.id, "calls", other.id, 31, "x"), OutlineLink(other.id, "calls", helper.id, 32, "x"),
    ]  # fmt: skip
    loose = [
        Loose(other.id, "calls", f"thing{line}\n  .send", line, "send", 2) for line in range(40, 47)
    ]
    graph = Linked(
        {node.id: node for node in (first, second, helper, other)},
        links,
        loose,
        ["kotlin has no calls"],
    )
    tree = build(graph, find(graph, "send"), Options(depth=3))
    golden("several.txt", to_text(tree, symbol="send", stats=WHOLE))
    cut = build(graph, find(graph, "send"), Options(depth=3, max_nodes=4))
    golden("truncated.txt", to_text(cut, symbol="send"))
    told = to_json(tree)
    assert [one["unresolved_named"] for one in told["matches"]] == [
        {"calledBy": 7},
        {"calledBy": 7},
    ]
    assert told["notes"] == ["kotlin has no calls"]
    assert to_json(cut)["truncated"] is True


def test_namesakes_print_their_full_name_and_keep_their_canonical_name_in_json() -> None:
    """Text tells two packages of an outline apart by path; JSON has the canonical and the full name."""
    nodes = [
        symbol("util.F", "function", f"{at}/util/u.go", 1, full=f"x.org/{at}/util.F")
        for at in ("a", "b")
    ]
    graph = Linked({node.id: node for node in nodes})
    tree = build(graph, nodes, Options(depth=0))
    assert to_text(tree, symbol="F").splitlines()[1:3] == [
        "x.org/a/util.F  func  a/util/u.go:1",
        "x.org/b/util.F  func  b/util/u.go:1",
    ]
    assert [(one["name"], one["full"]) for one in to_json(tree)["matches"]] == [
        ("util.F", "x.org/a/util.F"),
        ("util.F", "x.org/b/util.F"),
    ]
    alone = build(graph, nodes[:1], Options(depth=0))
    assert to_text(alone).splitlines()[0] == "util.F  func  a/util/u.go:1"


def test_nothing_breaks_a_line() -> None:
    """A name with a line break or a control character stays on its line."""
    node = symbol("a\nb\x1b[31m", "function", "f\r.py", 1)
    tree = build(Linked({node.id: node}), [node], Options(depth=0))
    assert to_text(tree).splitlines()[0] == "a b\N{REPLACEMENT CHARACTER}[31m  func  f .py:1"


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 symbols, 0 relations"), (1, "1 symbol, 0 relations")]
)
def test_the_last_line_counts(count: int, said: str) -> None:
    """One is one; without an index nothing is said about it."""
    nodes = [symbol("f", "function", "f.py", 1)][:count]
    text = to_text(build(Linked({node.id: node for node in nodes}), nodes, Options(depth=0)))
    assert text.splitlines()[-1] == f"-- {said}, 0 unresolved; 0 files with parse errors"


MEMORIES = st.dictionaries(
    st.sampled_from(IDS),
    st.lists(
        st.builds(
            LinkedMemory,
            st.just("ltm"),
            st.sampled_from("ab"),
            st.just("read"),
            st.sampled_from(["2026-01-01", "2026-01-02"]),
            st.booleans(),
        ),
        max_size=7,
    ),
    max_size=3,
)


def json_nodes(one: dict[str, Any], level: int = 0) -> Iterator[tuple[int, str]]:
    """Return level and id of every node of JSON, in order."""
    yield level, one.get("ref", one.get("id", ""))
    for found in one.get("relations", {}).values():
        for child in found:
            yield from json_nodes(child["node"], level + 2)


@settings(deadline=None)
@given(graphs(), OPTIONS, MEMORIES, st.randoms(use_true_random=False))
def test_text_and_json_tell_the_same_nodes(
    graph: Linked, options: Options, memories: dict[str, list[LinkedMemory]], chance: random.Random
) -> None:
    """Node by node and level by level; references point at nodes that are told; any order of input gives the same output."""
    tree = build(graph, graph.nodes.values(), options)
    text, data = to_text(tree, symbol="x", memories=memories), to_json(tree, memories=memories)
    told = [node for match in data["matches"] for node in json_nodes(match)]
    lines = [re.fullmatch(r"( *)(n\d)  \w+.*", line) for line in text.splitlines()]
    assert [(len(line[1]) // 2, line[2]) for line in lines if line] == told
    assert len(told) <= options.max_nodes
    assert json.loads(json.dumps(data)) == data
    assert data["stats"]["relations"] == tree.relations
    for match in data["matches"]:
        whole = {node for _, node in json_nodes(match)}
        assert set(re.findall(r'"ref": "(n\d)"', json.dumps(match))) <= whole
    nodes, links, loose = list(graph.nodes.items()), list(graph.links), list(graph.loose)
    for one in (nodes, links, loose, *memories.values()):
        chance.shuffle(one)
    again = build(Linked(dict(nodes), links, loose), [node for _, node in nodes], options)
    assert (
        to_text(again, symbol="x", memories=memories),
        as_json(to_json(again, memories=memories)),
    ) == (text, as_json(data))


def test_the_last_line_says_what_was_left_out() -> None:
    """How many files, and the first of them, on one line whatever its name."""
    graph = example()
    tree = build(graph, find(graph, "RegisterExtractor"), Options(relations=("calls",)))

    def last(*skipped: str) -> str:
        return to_text(
            tree, stats=OutlineStats(skipped=tuple((name, "why") for name in skipped))
        ).splitlines()[-1]

    assert "left out" not in last()
    assert last("b.go").endswith("; 1 file left out (b.go)")
    assert last("b\nc.go", "a\x1b.go", "d.go").endswith(
        "; 3 files left out (a\N{REPLACEMENT CHARACTER}.go, …)"
    )
    assert len(last("x" * 5000)) < 250
