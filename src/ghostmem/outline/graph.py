"""Code after resolving: nodes, links in the forward direction, and what stayed loose."""

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
    links: list[OutlineLink] = field(default_factory=list)
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
