"""Code after resolving: nodes, links in the forward direction, and what stayed loose."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# forward kind: its reverse, in the order in which they are shown
REVERSE = {
    "calls": "calledBy",
    "accesses": "accessedBy",
    "assigns": "assignedBy",
    "uses": "usedBy",
    "extends": "extendedBy",
    "implements": "implementedBy",
}
FORWARD = (*REVERSE, "declares", "imports")
KINDS = (
    *(kind for pair in REVERSE.items() for kind in pair),
    "declares",
    "imports",
)  # the fourteen, in their order

_KIND_NUMBERS = {kind: number for number, kind in enumerate(FORWARD)}

PROJECT, NATIVE, EXTERNAL = "project", "native", "external"


class OutlineNode(NamedTuple):
    """A symbol, a file, or something outside the project.

    `name` is canonical, `full` tells namesakes apart in JSON.
    """

    id: str
    name: str
    kind: str
    origin: str = PROJECT
    file: str = ""
    line: int = 0
    end_line: int = 0
    signature: str = ""
    where: str = ""  # of what is external: the path it is imported from
    full: str = ""
    body: str = ""  # the SHA-256 of its text


class OutlineLink(NamedTuple):
    """An edge: from a node, of a forward kind, to a node.

    The line it stands on, and the rung that resolved it.
    """

    start: str
    kind: str
    end: str
    line: int
    via: str


class LinkColumns(Collection[OutlineLink]):
    """Links as columns of numbers, which take a fifth of the memory of a list."""

    def __init__(self, links: Iterable[OutlineLink] = ()) -> None:
        self.ids: dict[str, int] = {}
        self.vias: dict[str, int] = {}
        self.starts, self.ends, self.lines = array("I"), array("I"), array("I")
        self.kinds, self.rungs = array("B"), array("H")
        self.extend(links)

    def extend(self, links: Iterable[OutlineLink]) -> None:
        """Add links."""
        for link in links:
            self.append(link)

    def append(self, link: OutlineLink) -> None:
        """Add a link."""
        self.add(*link)

    def add(self, start: str, kind: str, end: str, line: int, via: str) -> None:
        """Add a link by its fields."""
        ids, vias = self.ids, self.vias
        self.starts.append(ids.setdefault(start, len(ids)))
        self.kinds.append(_KIND_NUMBERS[kind])
        self.ends.append(ids.setdefault(end, len(ids)))
        self.lines.append(line)
        self.rungs.append(vias.setdefault(via, len(vias)))

    def join(self, other: "LinkColumns") -> None:
        """Add the links of another."""
        ids, vias = self.ids, self.vias
        numbers = [ids.setdefault(one, len(ids)) for one in other.ids]
        rungs = [vias.setdefault(one, len(vias)) for one in other.vias]
        self.starts.extend(map(numbers.__getitem__, other.starts))
        self.ends.extend(map(numbers.__getitem__, other.ends))
        self.rungs.extend(map(rungs.__getitem__, other.rungs))
        self.kinds.extend(other.kinds)
        self.lines.extend(other.lines)

    def rows(self, places: Sequence[int] | None = None) -> Iterator[tuple[int, ...]]:
        """Yield start, kind, end, line and rung as numbers, of each link or of those at places."""
        columns = (self.starts, self.kinds, self.ends, self.lines, self.rungs)
        if places is None:
            return zip(*columns, strict=True)
        return zip(*(map(column.__getitem__, places) for column in columns), strict=True)

    def keep(self, places: Iterable[int]) -> None:
        """Keep only the links at some places, in their order."""
        chosen = array("I", places)
        for name in ("starts", "kinds", "ends", "lines", "rungs"):
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, map(column.__getitem__, chosen)))

    def __iter__(self) -> Iterator[OutlineLink]:
        ids, vias = list(self.ids), list(self.vias)
        for start, kind, end, line, via in self.rows():
            yield OutlineLink(ids[start], FORWARD[kind], ids[end], line, vias[via])

    def __len__(self) -> int:
        return len(self.starts)

    def __contains__(self, link: object) -> bool:
        return any(one == link for one in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class Loose(NamedTuple):
    """A reference that could not be resolved: by whom, of which kind, as written, where, the bare
    name, how many have that.
    """

    owner: str
    kind: str
    text: str
    line: int
    name: str
    candidates: int


@dataclass(slots=True)
class Linked:
    """What linking the files of one language came to."""

    nodes: dict[str, OutlineNode] = field(default_factory=dict)
    links: list[OutlineLink] | LinkColumns = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def project_id(path: str, name: str, start: int) -> str:
    """Return the id of a symbol: two of one name never are one."""
    return f"{path}#{name}@{start}"


def file_id(path: str) -> str:
    """Return the id of a file."""
    return f"{path}#"


def outside_id(origin: str, name: str) -> str:
    """Return the id of something native or external."""
    return f"{origin}:{name}"
