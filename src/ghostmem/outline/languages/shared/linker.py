"""Gather the graph of JavaScript, TypeScript or Java: every reference becomes a link, or stays
loose and is counted.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.graph import (
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.shared.types import Key

SORTS = (
    "module",
    "type",
    "function",
    "variable",
)  # what something outside is, when it is met as several
MET = {
    "calls": "function",
    "accesses": "variable",
    "assigns": "variable",
}  # as what a reference meets it; else as a type


class Linker(ABC):
    """A graph under way: nodes once, links once, the same whatever the order they came in."""

    last_name = re.compile(r"([\w$#]+)[^\w$#]*$")  # in a reference as written

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.names = Counter(one.name for facts in files.values() for one in facts.symbols)
        self.ids: dict[Key, str] = {}
        self.nodes: dict[str, OutlineNode] = {}
        self.links: set[OutlineLink] = set()
        self.unresolved: set[Loose] = set()

    @abstractmethod
    def name(self, path: str, one: Symbol, above: str) -> str:
        """Return the canonical name of a symbol.

        `above` is that of what it stands in, empty in a file.
        """

    @abstractmethod
    def imports(self, path: str, facts: Facts) -> None:
        """Link what a file brings in."""

    @abstractmethod
    def call(self, path: str, ref: Ref) -> None:
        """Link a call."""

    @abstractmethod
    def data(self, path: str, ref: Ref) -> None:
        """Link a read or a write."""

    @abstractmethod
    def type(self, path: str, ref: Ref) -> None:
        """Link a type that is used, extended or implemented."""

    def run(self) -> Linked:
        """Return the graph, in an order of its own."""
        for path, facts in self.files.items():
            self._declare(path, facts)
        steps = {"calls": self.call, "accesses": self.data, "assigns": self.data}
        for path, facts in self.files.items():
            self.imports(path, facts)
            for ref in facts.refs:
                steps.get(ref.kind, self.type)(path, ref)
        return Linked(dict(sorted(self.nodes.items())), sorted(self.links), sorted(self.unresolved))

    def _declare(self, path: str, facts: Facts) -> None:
        self.nodes[file_id(path)] = OutlineNode(file_id(path), path, "file", file=path, line=1)
        names: list[str] = []
        for number, one in enumerate(facts.symbols):
            name = self.name(path, one, names[one.parent] if one.parent != FILE else "")
            names.append(name)
            key = self.ids[path, number] = project_id(path, name, one.start)
            place = (path, one.line, one.end_line, one.signature)
            self.nodes[key] = OutlineNode(
                key, name, one.kind, "project", *place, full=name, body=one.detail["h"]
            )
            self.link(self.owner(path, one.parent), "declares", key, one.line, "local")

    def owner(self, path: str, number: int) -> str:
        """Return the id of a symbol of a file, or of the file itself."""
        return self.ids[path, number] if number != FILE else file_id(path)

    def outside(self, origin: str, name: str, kind: str, where: str) -> str:
        """Add something native or external and return its id."""
        key = outside_id(origin, name)
        before = self.nodes.get(key)
        if before is None or SORTS.index(kind) < SORTS.index(before.kind):
            self.nodes[key] = OutlineNode(key, name, kind, origin, where=where, full=name)
        return key

    def link(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link."""
        self.links.add(OutlineLink(start, kind, end, line, via))

    def loose(self, path: str, ref: Ref) -> None:
        """Add a reference that leads nowhere known, under the last name in it."""
        found = self.last_name.search(ref.text)
        self.leave(
            self.owner(path, ref.owner),
            ref.kind,
            ref.text,
            ref.line,
            found.group(1) if found else ref.text,
        )

    def leave(self, owner: str, kind: str, text: str, line: int, name: str) -> None:
        """Add what leads nowhere known, with how many symbols have its name."""
        self.unresolved.add(Loose(owner, kind, text, line, name, self.names.get(name, 0)))
