"""From sources to facts to graphs, graphs as sets of edges, and any graph at all."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial
from pathlib import Path

from hypothesis import strategies as st

from ghostmem.clock import now
from ghostmem.outline import find as finding
from ghostmem.outline import tree as trees
from ghostmem.outline.graph import (
    EXTERNAL,
    FORWARD,
    KINDS,
    NATIVE,
    PROJECT,
    REVERSE,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
)
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.languages.table import language_named
from ghostmem.outline.stored_graph import StoredGraph, graph_rows
from ghostmem.outline.tree import Options, Tree
from ghostmem.store.opening import open_memory
from ghostmem.store.sqlite.engine import SqliteEngine

Sources = Mapping[str, str | bytes]


def facts_of(name: str, sources: Sources) -> dict[str, Facts]:
    """Extract every file; the facts are those read back from the cache."""
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    language, found = language_named(name), {}
    for path, source in sources.items():
        raw = source if isinstance(source, bytes) else source.encode()
        facts = language.extract(
            Parser(Grammar(language.grammar(path))).parse(raw).root_node, raw, path
        )
        restored = Facts.unpacked(facts.packed())
        assert restored is not None
        found[path] = restored
    return found


def outline(name: str, sources: Sources, others: Mapping[str, str] | None = None) -> Linked:
    """Return the graph of some sources; `others` are files that are only read."""
    return language_named(name).link(facts_of(name, sources), (others or {}).get)


def edges(graph: Linked, *kinds: str) -> set[tuple[str, str, str, str]]:
    """Return the edges of some kinds by the names of their ends, with their rung."""
    names = {key: node.name for key, node in graph.nodes.items()}
    return {
        (names[one.start], one.kind, names[one.end], one.via)
        for one in graph.links
        if one.kind in kinds
    }


def edge_lines(graph: Linked, *kinds: str) -> set[str]:
    """Return the edges of some kinds as text."""
    return {" ".join(one) for one in edges(graph, *kinds)}


def lines(text: str) -> set[str]:
    """Return the lines of a block, without blanks around them."""
    return {one.strip() for one in text.strip().splitlines()}


@dataclass
class Case:
    """Sources, and what their graph has: the lines of each section by its heading."""

    language: str
    sources: dict[str, str]
    others: dict[str, str]
    expected: dict[str, set[str]]

    def graph(self) -> Linked:
        """Return the graph of the sources."""
        return outline(self.language, self.sources, self.others)

    def told(self, graph: Linked, heading: str) -> set[str]:
        """Return what a graph has for a section: its notes, nodes, or edges of some kinds."""
        section, *kinds = heading.split()
        if section == "notes":
            return set(graph.notes)
        labels = labels_of(graph)
        if section == "nodes":
            return {
                f"{labels[key]} {node.kind} {node.file}:{node.line}"
                + (f" {node.full}" if node.full not in ("", node.name) else "")
                for key, node in graph.nodes.items()
                if node.origin == PROJECT
            }
        return {
            f"{labels[link.start]} {link.kind} {labels[link.end]} {link.via}"
            for link in graph.links
            if link.kind in kinds
        } | {
            f"loose {labels[loose.owner]} {loose.kind} {loose.text} {loose.candidates}"
            for loose in graph.loose
            if loose.kind in kinds
        }


def labels_of(graph: Linked) -> dict[str, str]:
    """Return the names of nodes by id, with their place where nodes share a name."""
    counts = Counter(node.name for node in graph.nodes.values())
    return {
        key: node.name if counts[node.name] == 1 else f"{node.name}@{node.file}:{node.line}"
        for key, node in graph.nodes.items()
    }


def read_cases(path: Path) -> Iterator[tuple[str, Case]]:
    """Yield the cases of a file by language and title."""
    for part in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        opening, *sections = re.split(r"^--- ", part, flags=re.MULTILINE)
        case = Case(path.stem, {}, {}, {})
        for section in sections:
            heading, _, body = section.partition("\n")
            body = body.rstrip("\n") + "\n"
            if not heading.startswith("file "):
                case.expected[heading] = lines(body) - {""}
            elif heading.endswith((".mod", ".toml", ".json")):
                case.others[heading.removeprefix("file ")] = body
            else:
                case.sources[heading.removeprefix("file ")] = body
        yield f"{path.stem}: {opening.partition(chr(10))[0]}", case


CASES = dict(
    case
    for path in sorted((Path(__file__).parent / "cases").glob("*.txt"))
    for case in read_cases(path)
)


def check_whole(graph: Linked) -> None:
    """Demand that links and references have their ends, none is there twice, and symbols have bodies."""
    for link in graph.links:
        assert {link.start, link.end} <= graph.nodes.keys()
        assert link.kind in FORWARD
        assert link.via
    assert len({link[:3] for link in graph.links}) == len(graph.links)
    assert {loose.owner for loose in graph.loose} <= graph.nodes.keys()
    for key, node in graph.nodes.items():
        is_symbol = node.origin == PROJECT and node.kind not in ("module", "file")
        assert key == node.id
        assert len(node.body) == 64 or not is_symbol


def check_orders(
    name: str, sources: Sources, others: Mapping[str, str] | None = None, most: int = 24
) -> None:
    """Link the files in some orders, spread over all there are, and demand one graph."""
    facts, language = facts_of(name, sources), language_named(name)
    first = language.link(facts, (others or {}).get)
    for order in list(permutations(facts))[:: -(-factorial(len(facts)) // most)]:
        again = language.link({path: facts[path] for path in order}, (others or {}).get)
        assert (again, list(again.nodes)) == (first, list(first.nodes))


@cache
def _engine() -> SqliteEngine:
    return open_memory(now)


@contextmanager
def stored(linked: Linked) -> Iterator[StoredGraph]:
    """Store a graph, and yield it as it is read."""
    with _engine().write(dry_run=True) as tx:
        head, rows = graph_rows(linked)
        tx.outline.put_graph("/", "any", "1", json.dumps({**head, "errors": []}), rows)
        row = tx.outline.graph("/", "any")
        assert row is not None
        yield StoredGraph(tx.outline, row[0], json.loads(row[2]))


def all_nodes(graph: StoredGraph) -> dict[int, OutlineNode]:
    """Return every node of a graph by its number."""
    return graph.nodes(number for file in graph.files for number in graph.in_file(file))


def build(
    linked: Linked, roots: Iterable[OutlineNode], options: Options, *, apart: bool = False
) -> Tree:
    """Return the trees of some nodes of a graph: a file before its symbols, by line."""
    order = sorted(
        roots, key=lambda node: (node.file, node.kind != "file", node.line, node.name, node.id)
    )
    with stored(linked) as graph:
        numbers = {node.id: number for number, node in all_nodes(graph).items()}
        return trees.build([(graph, [numbers[node.id] for node in order])], options, apart=apart)


def find(linked: Linked, symbol: str, file: str = "") -> list[OutlineNode]:
    """Return the symbols of a name."""
    with stored(linked) as graph:
        return list(graph.nodes(finding.find(graph, symbol, file)).values())


def nearest(linked: Linked, symbol: str) -> list[str]:
    """Return the names that look most like one."""
    with stored(linked) as graph:
        return finding.nearest(graph, symbol)


IDS = [f"n{number}" for number in range(7)]
LOOSE = st.lists(
    st.builds(
        Loose,
        st.sampled_from(IDS),
        st.sampled_from(list(REVERSE)),
        st.sampled_from("xy"),
        st.integers(1, 3),
        st.sampled_from("ab"),
        st.integers(0, 2),
    ),
    max_size=8,
)
OPTIONS = st.builds(
    Options,
    st.integers(0, 10),
    st.lists(st.sampled_from(KINDS), max_size=3).map(tuple),
    st.booleans(),
    st.integers(1, 60),
    st.booleans(),
)


def graphs(names: tuple[str, ...] = (), ends: tuple[str, ...] = ()) -> st.SearchStrategy[Linked]:
    """Return any graph: a node is named by its id or one of `names`, and a link leads to a node or one of `ends`."""
    kinds, origins = (
        st.sampled_from(["function", "type", "file"]),
        st.sampled_from([PROJECT, PROJECT, NATIVE, EXTERNAL]),
    )
    files = st.sampled_from(["a.py", "tests/b.py"])
    nodes = {
        key: st.builds(
            OutlineNode,
            st.just(key),
            st.sampled_from([*names, key]),
            kinds,
            origins,
            files,
            st.integers(1, 3),
            st.integers(0, 3),
        )
        for key in IDS
    }
    targets, lines_at, rungs = (
        st.sampled_from([*IDS, *ends]),
        st.integers(1, 9),
        st.sampled_from(["a", "b"]),
    )
    links = st.lists(
        st.builds(
            OutlineLink, st.sampled_from(IDS), st.sampled_from(FORWARD), targets, lines_at, rungs
        ),
        max_size=30,
    )
    return st.builds(Linked, st.fixed_dictionaries(nodes), links, LOOSE)
