"""The results of context: packs of memories and the reasons for them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Kind, Record, Rel, Tier, optional


@frozen
class Hop(Record):
    """One edge on the path from a found memory to a linked one, in the direction it points."""

    from_key: str
    rel: Rel
    to_key: str
    weight: float


@frozen
class Why(Record):
    """The reasons for a memory in a pack: its stage, ranks, parts of its score, and edges."""

    stage: str
    legs: Mapping[str, int] = optional({})
    parts: Mapping[str, float] = optional({})
    path: tuple[Hop, ...] = optional(())
    note: str = optional("")


@frozen
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


@frozen
class LeftOut(Record):
    """A memory that came near and is not in the pack: why, and which memory is the cause."""

    ns: str
    key: str
    score: float
    reason: str
    by: str | None = optional()


@frozen
class Stage(Record):
    """The numbers of one stage: candidates, packed memories, and their tokens."""

    candidates: int = 0
    packed: int = 0
    tokens: int = 0


@frozen
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
