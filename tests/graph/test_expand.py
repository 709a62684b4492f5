"""expand: the list of summaries, and what one stands for, level by level."""

from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.graph.expand import SummaryNode

Open = Callable[..., Ghost]


@pytest.fixture
def tree(ghost: Ghost) -> Ghost:
    """Store six memories, two summaries and a summary of those."""
    for key in ("a1", "a2", "b1", "b2", "loose1", "loose2"):
        ghost.put("n", key, f"The whole text of {key}.\nWith a second line.")
    ghost.consolidate("n", "A", "About a.", ["a1", "a2"])
    ghost.consolidate("n", "B", "About b.", ["b1", "b2"])
    ghost.consolidate("n", "top", "About all.", ["A", "B"])
    return ghost


def shape(nodes: tuple[SummaryNode, ...]) -> dict[str, Any]:
    """Return a tree of nodes as nested keys."""
    return {node.key: shape(node.nodes) for node in nodes}


@pytest.mark.requirement("002-144")
def test_the_overview_lists_summaries_newest_first(tree: Ghost) -> None:
    """Each summary comes with the start of its text and how many it stands for; plain memories do not."""
    found = tree.expand("n")
    assert [(node.key, node.children, node.summary, node.content) for node in found.nodes] == [
        ("top", 2, "About all.", ""),
        ("B", 2, "About b.", ""),
        ("A", 2, "About a.", ""),
    ]
    assert (found.parent, found.children, found.clusters) == (None, (), ())


def test_a_long_summary_is_cut_in_the_overview(ghost: Ghost) -> None:
    """At most 200 characters on one line."""
    for key in ("x", "y"):
        ghost.put("n", key, key)
    ghost.consolidate("n", "sum", "word\n" * 200, ["x", "y"])
    text = ghost.expand("n").nodes[0].summary
    assert len(text) <= 200
    assert "\n" not in text


def test_the_overview_shows_groups_without_a_summary(tree: Ghost) -> None:
    """Groups of which most have a summary are left out, the others shown."""
    tree.edge("n", "loose1", "loose2", "relates_to")
    tree.edge("n", "a1", "a2", "relates_to")
    assert [cluster.keys for cluster in tree.expand("n").clusters] == [("loose1", "loose2")]


@pytest.mark.requirement("002-129", "002-144")
def test_a_key_shows_what_it_stands_for(tree: Ghost) -> None:
    """The parent comes as a stub, its children by key with their whole texts."""
    found = tree.expand("n", "A")
    assert found.parent is not None
    assert (found.parent.key, found.parent.summary, found.parent.children) == ("A", "About a.", 2)
    assert [(node.key, node.content, node.children) for node in found.children] == [
        ("a1", "The whole text of a1.\nWith a second line.", 0),
        ("a2", "The whole text of a2.\nWith a second line.", 0),
    ]
    assert (found.nodes, found.clusters) == ((), ())


def test_depth_opens_so_many_levels(tree: Ghost) -> None:
    """One level shows the summaries below with the number of their children, two show those as well, more change nothing."""
    one, two = tree.expand("n", "top"), tree.expand("n", "top", depth=2)
    assert shape(one.children) == {"A": {}, "B": {}}
    assert [node.children for node in one.children] == [2, 2]
    assert shape(two.children) == {"A": {"a1": {}, "a2": {}}, "B": {"b1": {}, "b2": {}}}
    assert shape(tree.expand("n", "top", depth=50).children) == shape(two.children)


def test_a_great_depth_costs_no_more_than_the_tree_is_deep(
    tree: Ghost, graph_of: Callable[[Ghost], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking for every level there may be ends when there are no more."""
    calls = []
    kind = graph_of(tree)
    touching = kind.touching

    def counted(self: Any, ids: Any, *rest: Any) -> Any:
        calls.append(ids)
        return touching(self, ids, *rest)

    monkeypatch.setattr(kind, "touching", counted)
    tree.expand("n", "top", depth=2000)
    assert len(calls) <= 5


def test_a_memory_that_is_no_summary_has_no_children(tree: Ghost) -> None:
    """It is shown alone; an unknown key is an error with what comes close."""
    found = tree.expand("n", "a1")
    assert found.parent is not None
    assert (found.parent.key, found.parent.children, found.children) == ("a1", 0, ())
    with pytest.raises(NotFoundError, match="n/loose"):
        tree.expand("n", "loose")


def test_removed_and_expired_children_are_not_shown(tree: Ghost, clock: Any) -> None:
    """Neither as nodes nor in the numbers, of the overview as of the drill-down."""
    tree.put("n", "short", "Soon gone.", ttl="1h")
    tree.consolidate("n", "C", "About c.", ["short", "loose1", "loose2"])
    tree.rm("n", "a1")
    clock.forward(hours=2)
    assert {node.key: node.children for node in tree.expand("n").nodes} == {
        "C": 2,
        "top": 2,
        "B": 2,
        "A": 1,
    }
    assert shape(tree.expand("n", "A").children) == {"a2": {}}
    assert [node.children for node in tree.expand("n", "top").children] == [1, 2]
    assert shape(tree.expand("n", "C").children) == {"loose1": {}, "loose2": {}}


def test_a_removed_summary_leaves_its_children(tree: Ghost) -> None:
    """Without the summary the originals are as they were, and nothing above shows it."""
    tree.rm("n", "A")
    assert [node.key for node in tree.expand("n").nodes] == ["top", "B"]
    assert shape(tree.expand("n", "top", depth=3).children) == {"B": {"b1": {}, "b2": {}}}
    assert tree.get("n", "a1").content.startswith("The whole text")


def test_a_circle_ends(tree: Ghost) -> None:
    """Edges made by hand may run in a circle: each memory is opened once on a way."""
    tree.edge("n", "a1", "top", "contains")
    found = tree.expand("n", "top", depth=9)
    assert shape(found.children)["A"] == {"a1": {"top": {}}, "a2": {}}


def test_a_child_of_two_summaries_stands_below_both(tree: Ghost) -> None:
    """A memory that several summaries stand for is shown under each and counted once."""
    tree.consolidate("n", "B", "About b and a1.", ["a1", "b1"])
    before = tree.get("n", "a1").access_count + 1
    found = tree.expand("n", "top", depth=2)
    assert shape(found.children) == {"A": {"a1": {}, "a2": {}}, "B": {"a1": {}, "b1": {}, "b2": {}}}
    assert tree.get("n", "a1").access_count == before + 1


def test_the_overview_counts_nothing_and_a_drill_down_counts_what_it_shows(tree: Ghost) -> None:
    """A list of starts is no retrieval; what is returned whole is a use of each memory."""
    before = list(tree.export())
    tree.expand("n")
    assert list(tree.export()) == before
    tree.expand("n", "A")
    counts = {memory.key: memory.access_count for memory in tree.list("n")}
    assert {key for key, count in counts.items() if count} == {"A", "a1", "a2"}


@pytest.mark.parametrize("depth", [0, -1, True, 1.5, "2"])
def test_a_depth_below_one_is_refused(tree: Ghost, depth: Any) -> None:
    """Depth is a whole number from 1."""
    with pytest.raises(InvalidInputError, match="depth"):
        tree.expand("n", "top", depth=depth)


def test_an_empty_namespace_has_no_summaries(ghost: Ghost) -> None:
    """Nothing there is no error."""
    found = ghost.expand("nobody")
    assert (found.nodes, found.clusters) == ((), ())
    assert found.to_dict() == {"ns": "nobody"}


def test_a_store_that_cannot_be_written_can_be_expanded(
    tree: Ghost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting never fails a read."""
    monkeypatch.setattr(tree.store.engine, "read_only", True)
    assert len(tree.expand("n", "A").children) == 2
