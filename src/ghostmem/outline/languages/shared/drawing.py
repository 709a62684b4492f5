"""Gather the graph of Rust, C or C++: nodes once, and of each link its first line."""

from collections import Counter
from collections.abc import Mapping

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import EXTERNAL, Linked, Loose, OutlineLink, OutlineNode, outside_id
from ghostmem.outline.languages.shared.found import Target


class Drawing:
    """A graph under way."""

    def __init__(self, files: Mapping[str, Facts]) -> None:
        self.files = files
        self.ids: dict[tuple[str, int], str] = {}
        self.nodes: dict[str, OutlineNode] = {}
        self.links: dict[tuple[str, str, str], OutlineLink] = {}
        self.loose: set[Loose] = set()
        self.counts: Counter[str] = Counter()  # how many symbols have a name

    def outside(self, target: Target, kind: str) -> str:
        """Return the node of something native or external."""
        key = outside_id(target.kind, target.value)
        where = target.value.split("::")[0] if target.kind == EXTERNAL else ""
        self.nodes.setdefault(key, OutlineNode(key, target.value, kind, target.kind, where=where))
        return key

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link; the first line stands for all."""
        mark = (start, kind, end)
        if mark not in self.links or (line, via) < (self.links[mark].line, self.links[mark].via):
            self.links[mark] = OutlineLink(start, kind, end, line, via)

    def leave(self, start: str, kind: str, text: str, line: int, name: str) -> None:
        """Keep a reference that could not be resolved."""
        self.loose.add(Loose(start, kind, text, line, name, self.counts.get(name, 0)))

    def linked(self) -> Linked:
        """Return the graph in a fixed order."""
        return Linked(
            dict(sorted(self.nodes.items())), sorted(self.links.values()), sorted(self.loose)
        )
