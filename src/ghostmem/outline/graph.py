"""The graph of code: nodes, links in the forward direction, and unresolved references."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

# forward kinds and their reverse, in the order in which they are shown
REVERSE = {
    "calls": "calledBy",
    "accesses": "accessedBy",
    "assigns": "assignedBy",
    "uses": "usedBy",
    "extends": "extendedBy",
    "implements": "implementedBy",
}
FORWARD = (*REVERSE, "declares", "imports")
# all kinds, each followed by its reverse
KINDS = (*(kind for pair in REVERSE.items() for kind in pair), "declares", "imports")

_KIND_NUMBERS = {kind: number for number, kind in enumerate(FORWARD)}

PROJECT, NATIVE, EXTERNAL = "project", "native", "external"


class OutlineNode(NamedTuple):
    """A symbol, a file, or something outside the project.

    `name` is canonical; `full` distinguishes symbols of one name in JSON.
    """

    id: str
    name: str
    kind: str
    origin: str = PROJECT
    file: str = ""
    line: int = 0
    end_line: int = 0
    signature: str = ""
    where: str = ""  # the path that something external is imported from
    full: str = ""
    body: str = ""  # the SHA-256 of its text


class OutlineLink(NamedTuple):
    """A link of a forward kind between two nodes: its line, and the rule that resolved it."""

    start: str
    kind: str
    end: str
    line: int
    via: str


# the links of one node, by kind and end: line and rule
FoundLinks = dict[tuple[str, str], tuple[int, str]]


class LinkColumns:
    """Links as columns of numbers, which take a fifth of the memory of a list."""

    def __init__(self, links: Iterable[OutlineLink] = ()) -> None:
        self.ids: dict[str, int] = {}
        self.vias: dict[str, int] = {}
        self.starts, self.ends, self.lines = array("I"), array("I"), array("I")
        self.kinds, self.rungs = array("B"), array("H")
        for link in links:
            self.add(*link)

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link."""
        ids, vias = self.ids, self.vias
        self.starts.append(ids.setdefault(start, len(ids)))
        self.kinds.append(_KIND_NUMBERS[kind])
        self.ends.append(ids.setdefault(end, len(ids)))
        self.lines.append(line)
        self.rungs.append(vias.setdefault(via, len(vias)))

    def add_all(self, start: str, found: "FoundLinks") -> None:
        """Add the links of a node, which is faster than one after the other."""
        ids, vias = self.ids, self.vias
        if found:
            self.starts.extend(repeat(ids.setdefault(start, len(ids)), len(found)))
        self.kinds.extend([_KIND_NUMBERS[kind] for kind, _ in found])
        self.ends.extend([ids.setdefault(end, len(ids)) for _, end in found])
        self.lines.extend([line for line, _ in found.values()])
        self.rungs.extend([vias.setdefault(via, len(vias)) for _, via in found.values()])

    def rows(self, places: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Yield start, kind, end, line and rule as numbers, of all links or of those at places."""
        columns = (self.starts, self.kinds, self.ends, self.lines, self.rungs)
        if places is None:
            return zip(*columns, strict=True)
        return zip(*(map(column.__getitem__, places) for column in columns), strict=True)

    def __iter__(self) -> Iterator[OutlineLink]:
        ids, vias = list(self.ids), list(self.vias)
        for start, kind, end, line, via in self.rows():
            yield OutlineLink(ids[start], FORWARD[kind], ids[end], line, vias[via])

    def __len__(self) -> int:
        return len(self.starts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class Loose(NamedTuple):
    """A reference that could not be resolved, with its bare name and the number of symbols that
    have this name.
    """

    owner: str
    kind: str
    text: str
    line: int
    name: str
    candidates: int


@dataclass(slots=True)
class Linked:
    """The graph of the files of one language."""

    nodes: dict[str, OutlineNode] = field(default_factory=dict)
    links: list[OutlineLink] | LinkColumns = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def project_id(path: str, name: str, start: int) -> str:
    """Return the id of a symbol, which is unique also among symbols of one name."""
    return f"{path}#{name}@{start}"


def file_id(path: str) -> str:
    """Return the id of a file."""
    return f"{path}#"


def outside_id(origin: str, name: str) -> str:
    """Return the id of something native or external."""
    return f"{origin}:{name}"
