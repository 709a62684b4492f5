"""Columns give back what was written, also across blocks, and graphs in columns what was linked"""

import random

import pytest

from ghostmem.outline.column_graph import ColumnGraph
from ghostmem.outline.columns import (
    NUMBERS_PER_BLOCK,
    TEXTS_PER_BLOCK,
    ColumnReader,
    ColumnWriter,
)
from ghostmem.outline.graph import (
    REVERSE,
    LinkColumns,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    project_id,
)


@pytest.mark.parametrize("count", [0, 1, TEXTS_PER_BLOCK, NUMBERS_PER_BLOCK, 9000])
def test_columns_across_blocks(count: int) -> None:
    """Each value by its place, all in order, and texts by a part of them."""
    numbers = [(number * 7919) % 2**32 for number in range(count)]
    texts = [f'"{number}\\\n\ud83d\x00é' for number in range(count)]
    writer = ColumnWriter()
    writer.numbers("n", numbers)
    writer.texts("t", texts)
    reader = ColumnReader(writer.packed({"more": ["x"]}))
    assert reader.more == {"more": ["x"]}
    assert list(reader.numbers("n")) == numbers
    assert [reader.texts("t")[at] for at in range(count)] == texts
    assert reader.numbers("n")[-3:] == numbers[-3:]
    assert list(reader.texts("t").containing('"89\\')) == ([89] if count > 89 else [])


def test_a_large_graph_in_columns() -> None:
    """Relations, unresolved references and names are those of the links, whatever their order."""
    order = random.Random(3)
    files = [f"f{number}.py" for number in range(40)]
    nodes = [OutlineNode(file_id(file), file, "file", file=file, line=1) for file in files]
    for number in range(5000):
        file, name = order.choice(files), f"m.f{number}"
        node_id = project_id(file, name, number)
        nodes.append(
            OutlineNode(node_id, name, "function", file=file, line=number, end_line=number)
        )
    ids = [node.id for node in nodes]
    links = [
        OutlineLink(order.choice(ids), order.choice([*REVERSE]), order.choice(ids), line, "type")
        for line in range(12_000)
    ]
    loose = [
        Loose(order.choice(ids), "calls", f"x.g{n % 9}", n, f"g{n % 9}", 1) for n in range(5000)
    ]
    order.shuffle(nodes)
    linked = Linked({node.id: node for node in nodes}, LinkColumns(links), loose)
    assert linked == Linked(linked.nodes, links, loose)
    graph = ColumnGraph.of(linked)
    assert sorted(graph.nodes()) == sorted(nodes)
    found = {
        (graph.node(number).id, kind, graph.node(other).id, line)
        for number in range(len(graph))
        for kind, others in graph.related(number).items()
        for other, (line, _) in others.items()
    }
    first: dict[tuple[str, str, str], int] = {}
    for link in links:
        first.setdefault(link[:3], link.line)
    expected = {(start, kind, end, line) for (start, kind, end), line in first.items()}
    expected |= {(end, REVERSE[kind], start, line) for (start, kind, end), line in first.items()}
    assert found == expected
    kept = [one for number in range(len(graph)) for one in graph.loose(number)]
    assert sorted(kept) == sorted(loose)
    owners = sorted(graph.node(owner).id for _, owner in graph.loose_named("g4"))
    assert owners == sorted(one.owner for one in loose if one.name == "g4")
    assert [graph.node(number).name for number in graph.containing("f4321")] == ["m.f4321"]
