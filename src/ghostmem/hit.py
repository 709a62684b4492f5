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
    path: str | None = optional()  # the note it is from, and the line in that
    line: int | None = optional()
    root: str | None = optional()
    note: str = optional("")  # what speaks for or against it: what it contradicts, what has ended

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "memory":
            raise AttributeError(name)
        return getattr(self.memory, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the memory's fields with the hit's beside them."""
        mine = super().to_dict()
        return {**mine.pop("memory"), **mine}


class Hits(list[Hit]):
    """Hits in order, with which legs ran, what narrowly missed, what was to be said beside it, and what no longer holds."""

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        legs: tuple[str, ...] = (),
        misses: Iterable[Hit] = (),
        notes: tuple[str, ...] = (),
        superseded: Iterable[Hit] = (),
    ) -> None:
        super().__init__(hits)
        self.legs = legs
        self.misses = list(misses)
        self.notes = notes
        self.superseded = list(superseded)
