"""The results of search and context: hits, packs and the reasons for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ghostmem.model.memory import Kind, Memory, Record, Rel, Tier, optional


@dataclass(frozen=True, eq=False, repr=False)
class Receipt(Record):
    """The reasons for the position of a hit: its rank per retriever, and the parts of its score."""

    legs: Mapping[str, int]
    parts: Mapping[str, float]


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
class Hop(Record):
    """One edge on the path from a found memory to a linked one, in the direction it points."""

    from_key: str
    rel: Rel
    to_key: str
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class Why(Record):
    """The reasons for a memory in a pack: its stage, ranks, parts of its score, and edges."""

    stage: str
    legs: Mapping[str, int] = optional({})
    parts: Mapping[str, float] = optional({})
    path: tuple[Hop, ...] = optional(())
    note: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class Packed(Record):
    """A memory in a pack, whole or as an excerpt."""

    ns: str
    key: str
    kind: Kind
    score: float
    content: str
    excerpt: bool
    tokens: int
    why: Why
    id: str
    tier: Tier
    created_at: datetime
    version: int = 1
    pinned: bool = False
    tags: tuple[str, ...] = optional(())
    source_user: str | None = optional()
    source_kind: str | None = optional()
    contradicts: tuple[str, ...] = optional(())
    summary_of: tuple[str, ...] = optional(())
    count: int = optional(1)  # memories that say the same, this one included
    same_as: tuple[str, ...] = optional(())  # the keys of the others


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Record):
    """A memory that came near and is not in the pack: why, and which memory is the cause."""

    ns: str
    key: str
    score: float
    reason: str
    by: str | None = optional()


@dataclass(frozen=True, eq=False, repr=False)
class Stage(Record):
    """The numbers of one stage: candidates, packed memories, and their tokens."""

    candidates: int = 0
    packed: int = 0
    tokens: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Pack(Record):
    """The memories to read now, within a budget of tokens; `used` never exceeds `budget`."""

    budget: int
    used: int
    memories: tuple[Packed, ...]
    skipped: int = 0
    compaction_suggested: bool = False
    compaction_reason: str = optional("")
    left_out: tuple[LeftOut, ...] = optional(())
    stages: Mapping[str, Stage] = optional({})
    notes: tuple[str, ...] = optional(())
    relevant: bool = True  # False when nothing in the pack matched the question

    def __iter__(self) -> Any:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    @property
    def keys(self) -> list[str]:
        """Return the keys in order."""
        return [memory.key for memory in self.memories]
