"""A candidate on its way into a pack."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ghostmem.model import Hop, Memory


@dataclass
class Item:
    """A memory that may be packed: what it scores, which stage brought it, and where its text
    matches.
    """

    memory: Memory
    score: float
    stage: str  # pinned, search, namespace, file, edge, correction, own words, parent or child
    legs: Mapping[str, int] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)
    focus: tuple[int, int] = (0, 0)  # the chunk that was found
    path: tuple[Hop, ...] = ()
    firm: bool = False  # came over an edge that says more than likeness
    origin: str = ""  # the id of the memory it was reached from, when it was not found itself
    boost: float = 0.0
    last: bool = False  # comes after everything that was found
    limit: int = 0  # tokens it may take while others need room; 0: as many as it has
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.id = self.memory.id

    @property
    def order(self) -> tuple[bool, float, float, str, str]:
        """Return what candidates are sorted by: best first, then newest, then by name.

        Links of mere likeness come last.
        """
        newest = -self.memory.created_at.timestamp()
        return (self.last, -self.score, newest, self.memory.ns, self.memory.key)
