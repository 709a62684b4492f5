"""All fourteen relations in each of the eight languages: six with their reverse, `declares` and `imports`"""

import pytest

from ghostmem.outline.graph import FORWARD, KINDS, REVERSE
from ghostmem.outline.tree import Options
from outline.conftest import CASES, Case, build

# Relations that a language does not have: C has no inheritance, JavaScript no interfaces, and C++
# none apart from classes, which are extended.
WITHOUT = {"c": {"extends", "implements"}, "cpp": {"implements"}, "javascript": {"implements"}}
RELATIONS = [case for name, case in CASES.items() if name.endswith(": every relation")]


@pytest.mark.parametrize("case", RELATIONS, ids=[case.language for case in RELATIONS])
def test_every_relation_is_shown_both_ways(case: Case) -> None:
    """The tree of an edge's start has the kind, and that of its end the reverse kind."""
    graph, without = case.graph(), WITHOUT.get(case.language, set())
    edges = {
        (graph.nodes[link.start].name, link.kind, graph.nodes[link.end].name)
        for link in graph.links
    }
    assert {kind for _, kind, _ in edges} == set(FORWARD) - without
    shown = {
        (branch.node.name, kind, child.node.name)
        for branch in build(graph, graph.nodes.values(), Options(depth=1)).matches
        for kind, children in branch.relations.items()
        for child in children
    }
    reversed_edges = {(end, REVERSE[kind], start) for start, kind, end in edges if kind in REVERSE}
    assert edges | reversed_edges <= shown
    hidden = without | {REVERSE[kind] for kind in without}
    assert set(KINDS) - hidden <= {kind for _, kind, _ in shown}
