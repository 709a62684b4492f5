"""Gather the graph of a project: nodes once, and every reference as a link or as unresolved."""

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

# kinds of something outside, when it is met as several, and as what a reference meets it
SORTS = ("module", "type", "function", "variable")
MET = {"calls": "function", "accesses": "variable", "assigns": "variable"}


class GraphBuilder:
    """A graph under way, the same whatever the order in which its parts came."""

    last_name = re.compile(r"([\w$#]+)[^\w$#]*$")  # in a reference as written

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        # how many symbols have a name
        self.counts = Counter(one.name for facts in files.values() for one in facts.symbols)
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
        one = self.files[path].symbols[number]
        key = self.ids[path, number] = project_id(path, name, one.start)
        place = (path, one.line, one.end_line, one.signature)
        node = OutlineNode(
            key, name, kind or one.kind, PROJECT, *place, full=full or name, body=one.body
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
        """Add a reference that leads nowhere known, under the last name in it."""
        found = self.last_name.search(ref.text)
        name = found.group(1) if found else ref.text
        self.leave(self.owner(path, ref.owner), ref.kind, ref.text, ref.line, name)

    def leave(self, owner: str, kind: str, text: str, line: int, name: str) -> None:
        """Add what leads nowhere known, with how many symbols have its name."""
        self.unresolved.add(Loose(owner, kind, text, line, name, self.counts.get(name, 0)))


class FirstLineBuilder(GraphBuilder):
    """A graph that has each link once, on the first line it stands on."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        super().__init__(files)
        self.first: dict[tuple[str, str, str], OutlineLink] = {}

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link, unless it stands on an earlier line too."""
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
