"""What a search found, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ghostmem.model import Memory, Record, optional


@dataclass(frozen=True, eq=False, repr=False)
class Receipt(Record):
    """Why a hit stands where it stands: its rank in each leg, and what each part added to its score."""

    legs: Mapping[str, int]
    parts: Mapping[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Hit(Record):
    """A memory that was found; the memory's own fields can be read from the hit."""

    memory: Memory
    score: float
    match_chunk: str
    start_line: int
    end_line: int
    similarity: float | None = optional()
    why: Receipt | None = optional()
    path: str | None = optional()  # the note it is from
    line: int | None = optional()  # the line of the note where the match is
    root: str | None = optional()
    note: str = optional("")  # what speaks for or against it: what it contradicts, what has ended
    weak: bool = optional(False)  # scores far below the best hit
    match_start: int | None = optional()  # the words that match are match_chunk[match_start:match_end]
    match_end: int | None = optional()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "memory":
            raise AttributeError(name)
        return getattr(self.memory, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the memory's fields with the hit's beside them."""
        mine = super().to_dict()
        return {**mine.pop("memory"), **mine}


class Hits(list[Hit]):
    """Hits in order: by default the strong ones, with the others in `weaker`.

    Further: the `legs` that ran, the `misses` (what narrowly missed), `notes` for the caller, the `superseded` memories that no
    longer hold, and whether the search was `complete`: False while some texts have no vectors yet.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        legs: tuple[str, ...] = (),
        misses: Iterable[Hit] = (),
        notes: tuple[str, ...] = (),
        superseded: Iterable[Hit] = (),
        weaker: Iterable[Hit] = (),
        complete: bool = True,
    ) -> None:
        super().__init__(hits)
        self.legs = legs
        self.misses = list(misses)
        self.notes = notes
        self.superseded = list(superseded)
        self.weaker = list(weaker)
        self.complete = complete
