"""The graph of code: nodes, links in the forward direction, and unresolved references."""

from dataclasses import dataclass, field
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
    links: list[OutlineLink] = field(default_factory=list)
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
