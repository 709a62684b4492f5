"""A candidate of a context, and how candidates are related."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ghostmem.model import Hop, Memory


@dataclass
class ContextItem:
    """A memory that may be packed, with its score and the stage that added it."""

    memory: Memory
    score: float
    stage: str  # pinned, search, namespace, file, edge, correction, own words, parent or child
    legs: Mapping[str, int] = field(default_factory=dict)  # ranks by retriever
    parts: dict[str, float] = field(default_factory=dict)
    focus: tuple[int, int] = (0, 0)  # the chunk that matched
    path: tuple[Hop, ...] = ()
    firm: bool = False  # reached over an edge that says more than likeness
    origin: str = ""  # the id of the memory it was reached from, if it did not match itself
    boost: float = 0.0
    last: bool = False  # comes after all matches
    limit: int = 0  # tokens it may take while others need room; 0: all of them
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.id = self.memory.id

    @property
    def order(self) -> tuple[bool, float, float, str, str]:
        """Return the sort key: best first, then newest, then by name; mere likeness comes last."""
        newest = -self.memory.created_at.timestamp()
        return (self.last, -self.score, newest, self.memory.ns, self.memory.key)


@dataclass(frozen=True)
class Relations:
    """Relations of candidates that packing must respect, by id."""

    refuters: Mapping[str, Sequence[str]]  # memories that contradict it and prevail
    parents: Mapping[str, Sequence[str]]  # its summaries, nearest first
    # the children of summaries, if all of them are current
    children: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # memories that it depends on or must prevent
    companions: Mapping[str, Sequence[str]] = field(default_factory=dict)
