"""The results of search: hits and the reasons for their order."""

from collections.abc import Iterable, Mapping
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Memory, Record, optional

MAX_PERHAPS = 3
MIN_CHANCE = 0.25  # that a miss is relevant


@frozen
class Receipt(Record):
    """The reasons for the position of a hit: its rank per retriever, and the parts of its score."""

    legs: Mapping[str, int]
    parts: Mapping[str, float]
    relevance: float | None = optional()  # how likely it answers the question, if the judge read it


@frozen
class Hit(Record):
    """A memory that was found; the memory's fields can be read from the hit."""

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
    note: str = optional("")  # contradictions, and whether its validity has ended
    weak: bool = optional(False)  # scores far below the best hit
    match_start: int | None = optional()  # match_chunk[match_start:match_end] are matching words
    match_end: int | None = optional()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "memory":
            raise AttributeError(name)
        return getattr(self.memory, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the memory and of the hit as plain data."""
        own_fields = super().to_dict()
        return {**own_fields.pop("memory"), **own_fields}


class Hits(list[Hit]):
    """Hits in order: by default the strong ones, with the others in `weaker`.

    `legs` are the retrievers that ran, `misses` the near misses, `notes` messages for the
    caller, and `superseded` the memories that are no longer true. `complete` is False while
    some texts have no vectors yet."""

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

    @property
    def perhaps(self) -> list[Hit]:
        """Return the few misses that may still matter, by the judge.

        Without a judge there are none: a score alone does not tell a weak match from noise."""
        likely = [
            hit
            for hit in self.misses
            if hit.why is not None and (hit.why.relevance or 0.0) >= MIN_CHANCE
        ]
        return likely[:MAX_PERHAPS]
