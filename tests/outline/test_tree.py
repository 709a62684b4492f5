"""A tree is bounded, complete within its bounds, and the same whatever order the graph came in."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.outline.graph import (
    EXTERNAL,
    FORWARD,
    NATIVE,
    REVERSE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
)
from ghostmem.outline.tree import BACK, CYCLE, SEEN, Branch, Options, Tree, is_test
from outline.conftest import OPTIONS, build, graphs


def linked(*edges: str, loose: tuple[Loose, ...] = (), **changes: dict[str, Any]) -> Linked:
    """Return a graph from edges such as `a calls b`; the line of a node is its letter's place, changes are by its name."""
    links = []
    for line, edge in enumerate(edges, 1):
        start, kind, end = edge.split()
        links.append(OutlineLink(start, kind, end, line, "test"))
    names = (
        {name for link in links for name in (link.start, link.end)}
        | set(changes)
        | {one.owner for one in loose}
    )
    nodes = {
        name: OutlineNode(name, name, "function", file="f.py", line=ord(name[0]))._replace(
            **changes.get(name, {})
        )
        for name in names
    }
    return Linked(nodes, links, list(loose))


def shown(branch: Branch) -> Any:
    """Return a branch as nested plain data: its name and mark, and its relations."""
    if not branch.relations:
        return branch.node.name + branch.mark
    return {
        branch.node.name + branch.mark: {
            kind: [shown(child) for child in found] for kind, found in branch.relations.items()
        }
    }


def grown(graph: Linked, root: str, **options: Any) -> Any:
    """Return the only tree from one node as nested plain data."""
    (branch,) = build(graph, [graph.nodes[root]], Options(**options)).matches
    return shown(branch)


def branches(tree: Tree) -> Iterator[Branch]:
    """Return every branch of a tree."""
    stack = list(tree.matches)
    while stack:
        branch = stack.pop()
        yield branch
        stack.extend(child for found in branch.relations.values() for child in found)


def test_depth_bounds_the_tree() -> None:
    """Depth 0 is the symbol alone, each level adds one."""
    graph = linked("a calls b", "b calls c", "c calls d")
    assert grown(graph, "a", depth=0) == "a"
    assert grown(graph, "a", depth=1) == {"a": {"calls": ["b"]}}
    assert grown(graph, "a", depth=2) == {"a": {"calls": [{"b": {"calls": ["c"]}}]}}
    assert grown(graph, "a", depth=10) == {
        "a": {"calls": [{"b": {"calls": [{"c": {"calls": ["d"]}}]}}]}
    }


def test_reverse_kinds_are_derived_and_the_way_back_is_not_told() -> None:
    """That b calls a is what led from a to b: it is not told again below b."""
    graph = linked("b calls a", "c calls b", "b uses a")
    assert grown(graph, "a", depth=2) == {
        "a": {"calledBy": [{"b": {"calledBy": ["c"], "uses": ["a↩"]}}], "usedBy": ["b…"]}
    }


def test_a_cycle_ends() -> None:
    """What is on the path is marked, also a node that calls itself."""
    graph = linked("a calls b", "b calls a", "a calls a")
    assert grown(graph, "a", depth=10, relations=("calls",)) == {
        "a": {"calls": ["a" + CYCLE, {"b": {"calls": ["a" + CYCLE]}}]}
    }


def test_a_node_is_expanded_once() -> None:
    """What was told elsewhere in this tree is marked; what has nothing below it is not."""
    graph = linked("a calls b", "a calls c", "b calls d", "c calls d", "d calls e")
    assert grown(graph, "a", depth=10, relations=("calls",)) == {
        "a": {
            "calls": [{"b": {"calls": [{"d": {"calls": ["e"]}}]}}, {"c": {"calls": ["d" + SEEN]}}]
        }
    }
    assert grown(graph, "a", depth=2, relations=("calls",)) == {
        "a": {"calls": [{"b": {"calls": ["d"]}}, {"c": {"calls": ["d"]}}]}
    }


def test_each_match_is_a_tree_of_its_own() -> None:
    """What one tree told is told again in the next."""
    graph = linked("a calls c", "b calls c", "c calls d")
    tree = build(graph, [graph.nodes["b"], graph.nodes["a"]], Options(relations=("calls",)))
    below = [{"c": {"calls": ["d"]}}]
    assert [shown(one) for one in tree.matches] == [
        {"a": {"calls": below}},
        {"b": {"calls": below}},
    ]


def test_children_are_ordered_by_kind_file_line_and_name() -> None:
    """The order is the table's, then the place's."""
    graph = linked(
        "a uses z", "a calls y", "a calls x", "a calls w", "a calls v", "u calls a",
        x={"file": "a.py", "line": 9}, y={"file": "a.py", "line": 10}, w={"file": "b.py", "line": 1}, v={"file": "b.py", "line": 1},
    )  # fmt: skip
    assert grown(graph, "a", depth=1) == {
        "a": {"calls": ["x", "y", "v", "w"], "calledBy": ["u"], "uses": ["z"]}
    }


def test_relations_filter_at_every_level() -> None:
    """Only the kinds that were asked for are followed."""
    graph = linked("a calls b", "a uses c", "b uses c", "b calls d")
    assert grown(graph, "a", relations=("calls",)) == {"a": {"calls": [{"b": {"calls": ["d"]}}]}}
    assert grown(graph, "c", relations=("usedBy",)) == {"c": {"usedBy": ["a", "b"]}}


def test_natives_can_be_omitted_and_externals_stay() -> None:
    """Omit what the language brings; nothing outside is expanded."""
    graph = linked(
        "a calls n", "a calls x", "b calls x", n={"origin": NATIVE}, x={"origin": EXTERNAL}
    )
    assert grown(graph, "a") == {"a": {"calls": ["n", "x"]}}
    assert grown(graph, "a", omit_native=True) == {"a": {"calls": ["x"]}}
    assert grown(graph, "x", depth=1) == {"x": {"calledBy": ["a", "b"]}}


def test_tests_can_be_left_out() -> None:
    """Callers that are tests go; a root that is one stays when nothing else was asked for."""
    graph = linked("a calls b", "t calls b", t={"file": "tests/test_b.py"}, b={"file": "b.py"})
    assert grown(graph, "b", include_tests=False) == {"b": {"calledBy": ["a"]}}
    assert grown(graph, "t", include_tests=False) == {"t": {"calls": [{"b": {"calledBy": ["a"]}}]}}
    both = build(graph, [graph.nodes["t"], graph.nodes["b"]], Options(include_tests=False))
    assert [one.node.id for one in both.matches] == ["b"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a_test.go", True), ("tests/x.py", True), ("test_x.py", True), ("src/x.test.ts", True), ("src/__tests__/x.js", True),
        ("x_spec.rb", True), ("src/test/java/A.java", True), ("ATest.java", True), ("App.Tests/A.cs", True), ("conftest.py", True),
        ("contest.py", False), ("src/latest/x.go", False), ("testing/x.go", False), ("Latest.java", False), ("src/test.go", False),
    ],
)  # fmt: skip
def test_a_test_is_known_by_its_path(path: str, expected: bool) -> None:
    """The usual places and names of tests are known."""
    assert is_test(path) is expected


def test_the_limit_cuts_visibly() -> None:
    """Not one node more than asked, and the cut is told; a tree that just fits is whole."""
    graph = linked(*(f"a calls b{number}" for number in range(10)))
    cut = build(graph, [graph.nodes["a"]], Options(max_nodes=5))
    assert (len(list(branches(cut))), cut.truncated, cut.relations) == (5, True, 4)
    assert not build(graph, [graph.nodes["a"]], Options(max_nodes=11)).truncated
    roots = build(graph, list(graph.nodes.values()), Options(max_nodes=3, depth=0))
    assert (len(roots.matches), roots.found, roots.truncated) == (3, 11, True)


def test_the_first_level_is_complete_before_the_second() -> None:
    """A tree that is cut has all direct relations of its root before those of their ends."""
    graph = linked(*(f"a calls b{n}" for n in range(4)), *(f"b0 calls c{n}" for n in range(4)))
    options = Options(max_nodes=6, depth=2, relations=("calls",))
    root = build(graph, [graph.nodes["a"]], options).matches[0]
    assert [child.node.id for child in root.relations["calls"]] == ["b0", "b1", "b2", "b3"]
    assert [child.node.id for child in root.relations["calls"][0].relations["calls"]] == ["c0"]


def test_pages_show_every_root_once() -> None:
    """A page ends before a root that does not fit; only a root larger than a page is cut."""
    graph = linked("a calls b", "b calls c", "b calls d", "b calls e", "c calls d")
    roots, offset, pages = list(graph.nodes.values()), 0, []
    while offset is not None:
        options = Options(max_nodes=3, depth=1, relations=("calls",), offset=offset)
        page = build(graph, roots, options)
        pages.append([branch.node.id for branch in page.matches])
        assert (page.found, page.truncated) == (5, page.next_offset is not None)
        offset = page.next_offset
    assert pages == [["a"], ["b"], ["c", "d"], ["e"]]
    assert build(graph, roots, Options(offset=9)).matches == []


def test_a_member_that_is_a_root_is_expanded_once() -> None:
    """With roots apart, what a root declares is shown on its own and marked there."""
    graph = linked("t declares m", "m calls f", t={"kind": "type"})
    roots = [graph.nodes["t"], graph.nodes["m"]]
    tree = build(graph, roots, Options(), apart=True)
    method, type_ = tree.matches
    assert [child.mark for child in type_.relations["declares"]] == [SEEN]
    assert [child.node.id for child in method.relations["calls"]] == ["f"]


def test_several_references_are_one_relation_with_the_first_line() -> None:
    """A caller that calls twice is one caller."""
    graph = linked("a calls b", "a calls b")
    graph.links.reverse()
    (branch,) = build(graph, [graph.nodes["a"]], Options(depth=1)).matches
    assert [(child.node.id, child.line, child.via) for child in branch.relations["calls"]] == [
        ("b", 1, "test")
    ]


def test_unresolved_references_stay_with_their_owner() -> None:
    """They are counted where they stand, and only of the kinds that are asked for."""
    loose = (
        Loose("a", "calls", "x.go", 7, "go", 2),
        Loose("a", "uses", "T", 3, "T", 0),
        Loose("b", "calls", "y", 1, "y", 0),
    )
    graph = linked("a calls b", loose=loose)
    tree = build(graph, [graph.nodes["a"]], Options(depth=2, relations=("calls",)))
    assert tree.matches[0].loose == [loose[0]]
    assert tree.unresolved == 2
    assert build(graph, [graph.nodes["a"]], Options(depth=1)).unresolved == 2
    assert build(graph, [graph.nodes["a"]], Options(depth=0)).unresolved == 0


def test_an_empty_kind_tells_unresolved_references_of_that_name() -> None:
    """Nobody calls it as far as is known, but three calls might."""
    loose = tuple(Loose("b", "calls", "x.send", line, "send", 1) for line in (1, 2, 3))
    graph = linked(loose=loose, a={"name": "m.A.send"}, t={"name": "m.T", "kind": "type"})
    missing = {
        name: build(graph, [graph.nodes[name]], Options()).matches[0].missing for name in "abt"
    }
    assert missing == {"a": {"calledBy": 3}, "b": {"calledBy": 0}, "t": {}}
    (asked,) = build(graph, [graph.nodes["t"]], Options(relations=("extendedBy",))).matches
    assert asked.missing == {"extendedBy": 0}


def test_a_language_without_calls_says_nothing_about_callers() -> None:
    """Nothing was looked for, so nothing was not found; unless somebody asks."""
    graph = linked(a={})
    assert build(graph, [graph.nodes["a"]], Options()).matches[0].missing == {}
    assert build(graph, [graph.nodes["a"]], Options(relations=("calledBy",))).matches[
        0
    ].missing == {"calledBy": 0}


def test_options_that_can_be() -> None:
    """The defaults hold, and relations come in their order, once."""
    assert Options.checked() == Options() == Options.checked(None) == Options.checked([])
    made = Options.checked(["imports", "calls", "calls"], depth=10, max_nodes=5)
    assert (made.kinds, made.depth, made.max_nodes) == (("calls", "imports"), 10, 5)


GRAPHS = graphs(names=("m.a", "m.b"), ends=("gone",))


@settings(deadline=None)
@given(GRAPHS, OPTIONS, st.randoms(use_true_random=False))
def test_any_graph_gives_a_bounded_tree_in_one_order(
    graph: Linked, options: Options, chance: random.Random
) -> None:
    """Never more nodes than the limit, never deeper than asked, each node expanded once, and the order of input is nothing."""
    tree = build(graph, graph.nodes.values(), options)
    assert len(list(branches(tree))) <= options.max_nodes
    assert len(list(branches(tree))) == len(tree.matches) + tree.relations
    for root in tree.matches:
        expanded = [
            one.node.id for one in branches(Tree([root], options)) if one.relations or one.loose
        ]
        assert len(expanded) == len(set(expanded))
        assert height(root) <= options.depth
    nodes, links, loose = list(graph.nodes.items()), list(graph.links), list(graph.loose)
    for one in (nodes, links, loose):
        chance.shuffle(one)
    again = build(Linked(dict(nodes), links, loose), [node for _, node in reversed(nodes)], options)
    assert again == tree


def height(branch: Branch) -> int:
    """Return how many levels are below a branch."""
    return max(
        (1 + height(child) for found in branch.relations.values() for child in found), default=0
    )


@settings(deadline=None)
@given(GRAPHS)
def test_reverse_kinds_are_the_forward_ones_turned_round(graph: Linked) -> None:
    """At depth 1 the roots tell every link, in both directions, and nothing else."""
    tree = build(graph, graph.nodes.values(), Options(depth=1))
    told = {
        (root.node.id, kind, child.node.id)
        for root in tree.matches
        for kind, found in root.relations.items()
        for child in found
    }
    forward = {(link.start, link.kind, link.end) for link in graph.links if link.end in graph.nodes}
    assert {one for one in told if one[1] in FORWARD} == forward
    assert {(end, BACK[kind], start) for start, kind, end in told if kind not in FORWARD} == {
        one for one in forward if one[1] in REVERSE
    }
