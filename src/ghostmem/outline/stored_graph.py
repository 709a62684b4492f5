"""The graph of a project as rows of the store: nodes are numbered in the order of files and lines.

A question reads the rows that it needs, and keeps them as objects until the transaction ends."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby, pairwise
from typing import Any

from ghostmem.outline.graph import (
    FORWARD,
    PROJECT,
    REVERSE,
    Linked,
    Loose,
    OutlineNode,
    project_id,
)
from ghostmem.store.outline import GraphRows, OutlineTables

# kinds that are shown on their own also where another symbol declares them
_ALONE = frozenset({"function", "method", "type", "interface", "module"})

Relations = dict[str, dict[int, tuple[int, str]]]  # by kind and node: line and rule


class StoredGraph:
    """A graph in the store; `head` is what `graph_rows` returned beside the rows."""

    def __init__(self, tables: OutlineTables, project: int, head: Mapping[str, Any]) -> None:
        self.notes: list[str] = head["notes"]
        self.errors = [(path, line) for path, line in head["errors"]]  # the first of each file
        self.knows_calls: bool = head["knows_calls"]
        self.files: list[str] = head["files"]
        self._starts: list[int] = head["starts"]
        ranges = (range(start, stop) for start, stop in pairwise(self._starts))
        self._ranges: dict[str, range] = dict(zip(self.files, ranges, strict=True))
        self._vias: list[str] = head["vias"]
        self.tables, self.project = tables, project
        self._nodes: dict[int, OutlineNode] = {}
        self.relations: dict[int, Relations] = {}  # of loaded nodes
        self.unresolved: dict[int, list[Loose]] = {}  # of loaded nodes, in order

    def in_file(self, path: str) -> range:
        """Return the numbers of the nodes in a file."""
        return self._ranges.get(path, range(0))

    def file_of(self, number: int) -> str:
        """Return the file of a node."""
        return self.files[bisect_right(self._starts, number) - 1]

    def nodes(self, numbers: Iterable[int]) -> dict[int, OutlineNode]:
        """Return nodes by their numbers; those that are not known are read at once."""
        wanted = list(numbers)
        if missing := [number for number in wanted if number not in self._nodes]:
            self._keep(self.tables.nodes(self.project, missing))
        return {number: self._nodes[number] for number in wanted}

    def _keep(self, rows: Iterable[Any]) -> list[OutlineNode]:
        """Keep nodes, and return them."""
        nodes: dict[int, OutlineNode] = {}
        for number, name, kind, origin, line, end_line, start, id_, *texts in rows:
            file = self.file_of(number)
            node_id = id_ or project_id(file, name, start)
            nodes[number] = OutlineNode(node_id, name, kind, origin, file, line, end_line, *texts)
        self._nodes |= nodes
        return list(nodes.values())

    def nodes_like(self, names: Set[str], bodies: Set[str]) -> list[OutlineNode]:
        """Return the nodes with one of some names, or one of some hashes of their text."""
        return self._keep(self.tables.nodes_like(self.project, sorted(names), sorted(bodies)))

    def shown_alone(self, numbers: range | None = None) -> list[int]:
        """Return functions, methods and types, and of the other members those with relations."""
        chosen = range(self._starts[-1]) if numbers is None else numbers
        return self.tables.alone(self.project, chosen.start, chosen.stop)

    def load(self, numbers: Iterable[int]) -> None:
        """Read `relations` and `unresolved` of some nodes at once, unless they are known."""
        missing = [number for number in numbers if number not in self.relations]
        if not missing:
            return
        self.relations |= {number: {} for number in missing}
        self.unresolved |= {number: [] for number in missing}
        wanted = set(missing)
        for source, kind, target, line, via in self.tables.links(self.project, missing):
            rule = line, self._vias[via]
            if source in wanted:
                self.relations[source].setdefault(FORWARD[kind], {})[target] = rule
            back = REVERSE.get(FORWARD[kind])
            if back is not None and target in wanted:
                self.relations[target].setdefault(back, {})[source] = rule
        owners = self.nodes(missing)
        for owner, *fields in self.tables.unresolved(self.project, missing):
            self.unresolved[owner].append(Loose(owners[owner].id, *fields))


def graph_rows(linked: Linked) -> tuple[dict[str, Any], GraphRows]:
    """Return a graph as rows, and the data about it that a `StoredGraph` needs."""
    nodes = sorted(
        linked.nodes.values(), key=lambda node: (node.file, node.line, node.name, node.id)
    )
    number_of = {node.id: number for number, node in enumerate(nodes)}
    starts: dict[str, int] = {}  # by file: its first node
    for number, node in enumerate(nodes):
        starts.setdefault(node.file, number)
    vias = sorted({link.via for link in linked.links})
    kinds = {link.kind for link in linked.links}
    links = sorted(
        (number_of[start], FORWARD.index(kind), number_of[end], line, vias.index(via))
        for start, kind, end, line, via in linked.links
        if start in number_of and end in number_of
    )
    unresolved = sorted(
        (number_of[owner], line, text, kind, name, candidates)
        for owner, kind, text, line, name, candidates in linked.loose
    )
    details = {
        "files": list(starts),
        "starts": [*starts.values(), len(nodes)],
        "vias": vias,
        "notes": linked.notes,
        "knows_calls": "calls" in kinds.union(reference.kind for reference in linked.loose),
    }
    return details, GraphRows(
        _node_rows(nodes, linked),
        # of several links of a kind between two nodes the first stays
        (next(same) for _, same in groupby(links, key=lambda link: link[:3])),
        (
            (number, owner, kind, text, line, name, candidates)
            for number, (owner, line, text, kind, name, candidates) in enumerate(unresolved)
        ),
    )


def _node_rows(nodes: Sequence[OutlineNode], linked: Linked) -> Iterator[Sequence[Any]]:
    related = {
        end for link in linked.links if link.kind != "declares" for end in (link.start, link.end)
    }
    files = {node.id for node in nodes if node.kind == "file"}
    inner = {
        link.end for link in linked.links if link.kind == "declares" and link.start not in files
    }
    for number, node in enumerate(nodes):
        node_id, name, kind, origin, _file, line, end_line, *texts = node
        is_alone = kind in _ALONE or node_id not in inner or node_id in related
        is_alone = is_alone and origin == PROJECT and kind != "file" and line > 0
        yield number, name, kind, origin, line, end_line, *_stored_id(node), *texts, int(is_alone)


def _stored_id(node: OutlineNode) -> tuple[int, str]:
    """Return the start of a symbol, or the id of a node that is not made of one."""
    start = node.id.rpartition("@")[2]
    is_made = start.isdecimal() and node.id == project_id(node.file, node.name, int(start))
    return (int(start), "") if is_made else (0, node.id)
