"""Build the graph of a project: each node once, and each reference as a link or unresolved."""

import re
from collections import Counter
from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts, Ref
from ghostmem.outline.graph import (
    EXTERNAL,
    PROJECT,
    Linked,
    Loose,
    OutlineLink,
    OutlineNode,
    file_id,
    outside_id,
    project_id,
)
from ghostmem.outline.languages.shared.inference import Target

# kinds of something outside: the first counts if references disagree
SORTS = ("module", "type", "function", "variable")
# the kind of something outside by the kind of a reference to it; otherwise it is a type
MET = {"calls": "function", "accesses": "variable", "assigns": "variable"}


class GraphBuilder:
    """A graph under construction; the order in which its parts are added does not matter."""

    last_name = re.compile(r"([\w$#]+)[^\w$#]*$")  # in a reference as written

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        # the number of symbols with a name
        self.counts = Counter(symbol.name for facts in files.values() for symbol in facts.symbols)
        self.ids: dict[tuple[str, int], str] = {}
        self.nodes: dict[str, OutlineNode] = {}
        self.links: set[OutlineLink] = set()
        self.unresolved: set[Loose] = set()

    def linked(self) -> Linked:
        """Return the graph in a fixed order."""
        return Linked(dict(sorted(self.nodes.items())), sorted(self.links), sorted(self.unresolved))

    def add_file(self, path: str) -> None:
        """Add the node of a file."""
        self.nodes[file_id(path)] = OutlineNode(file_id(path), path, "file", file=path, line=1)

    def add_symbol(
        self, path: str, number: int, name: str, *, full: str = "", kind: str = ""
    ) -> str:
        """Add the node of a symbol under its canonical name and return its id."""
        symbol = self.files[path].symbols[number]
        key = self.ids[path, number] = project_id(path, name, symbol.start)
        place = (path, symbol.line, symbol.end_line, symbol.signature)
        node = OutlineNode(
            key, name, kind or symbol.kind, PROJECT, *place, full=full or name, body=symbol.body
        )
        self.nodes.setdefault(key, node)  # declarators of one declaration may have one name
        return key

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

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link."""
        self.links.add(OutlineLink(start, kind, end, line, via))

    def loose(self, path: str, ref: Ref) -> None:
        """Add an unresolved reference of a file, under the last name in it."""
        found = self.last_name.search(ref.text)
        name = found.group(1) if found else ref.text
        self.leave(self.owner(path, ref.owner), ref.kind, ref.text, ref.line, name)

    def leave(self, owner: str, kind: str, text: str, line: int, name: str) -> None:
        """Add an unresolved reference, with the number of symbols that have its name."""
        self.unresolved.add(Loose(owner, kind, text, line, name, self.counts.get(name, 0)))


class FirstLineBuilder(GraphBuilder):
    """A graph with each link once, on its first line."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        super().__init__(files)
        self.first: dict[tuple[str, str, str], OutlineLink] = {}

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link, unless there is one on an earlier line."""
        mark = (start, kind, end)
        before = self.first.get(mark)
        if before is None or (line, via) < (before.line, before.via):
            self.first[mark] = OutlineLink(start, kind, end, line, via)

    def linked(self) -> Linked:
        """Return the graph in a fixed order."""
        self.links.update(self.first.values())
        return super().linked()

    def target(self, target: Target, kind: str) -> str:
        """Add something native or external that a name was found to be, and return its id."""
        key = outside_id(target.kind, target.value)
        where = target.value.split("::")[0] if target.kind == EXTERNAL else ""
        self.nodes.setdefault(key, OutlineNode(key, target.value, kind, target.kind, where=where))
        return key
