"""Gathering a graph: nodes once, links once, what stayed loose with its count; the same whatever the order they came in."""

from collections.abc import Mapping

from ghostmem.outline.facts import Symbol
from ghostmem.outline.graph import Link, Linked, Loose, Node, file_id, outside_id

SORTS = ("module", "type", "function", "variable")  # what something outside is, when it is met as several


class Emit:
    """A graph under way; `names` says how many symbols of the project have a name."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self.names = names
        self.nodes: dict[str, Node] = {}
        self.links: set[Link] = set()
        self.unresolved: set[Loose] = set()

    def file(self, path: str) -> None:
        """Add a file."""
        self.nodes[file_id(path)] = Node(file_id(path), path, "file", file=path, line=1)

    def symbol(self, key: str, name: str, path: str, one: Symbol) -> None:
        """Add a symbol."""
        self.nodes[key] = Node(
            key,
            name,
            one.kind,
            file=path,
            line=one.line,
            end_line=one.end_line,
            signature=one.signature,
            full=name,
            body=one.detail["h"],
        )

    def outside(self, origin: str, name: str, kind: str, where: str) -> str:
        """Add something native or external and return its id."""
        key = outside_id(origin, name)
        before = self.nodes.get(key)
        if before is None or SORTS.index(kind) < SORTS.index(before.kind):
            self.nodes[key] = Node(key, name, kind, origin, where=where, full=name)
        return key

    def link(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link."""
        self.links.add(Link(start, kind, end, line, via))

    def loose(self, owner: str, kind: str, text: str, line: int, name: str) -> None:
        """Add a reference that leads nowhere known."""
        self.unresolved.add(Loose(owner, kind, text, line, name, self.names.get(name, 0)))

    def linked(self) -> Linked:
        """Return the graph, in an order of its own."""
        return Linked(dict(sorted(self.nodes.items())), sorted(self.links), sorted(self.unresolved))
