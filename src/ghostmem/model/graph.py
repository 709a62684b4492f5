"""Links between memories."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ghostmem.model.memory import Outcome, Record, Rel, optional

EDGE_WEIGHTS: Mapping[Rel, float] = {
    Rel.CONTRADICTS: 0.9,
    Rel.REFINES: 0.8,
    Rel.IMPLIES: 0.8,
    Rel.CAUSED_BY: 0.75,
    Rel.DEPENDS_ON: 0.7,
    Rel.PREVENTS: 0.7,
    Rel.CONTAINS: 0.6,
    Rel.RELATES_TO: 0.5,
    Rel.MERGED_INTO: 0.0,
}

# relations that only explicit statements create, never similarity
REASONING = (Rel.CAUSED_BY, Rel.PREVENTS, Rel.IMPLIES)


@dataclass(frozen=True, eq=False, repr=False)
class Edge(Record):
    """A weighted, typed link from one memory to another of the same namespace.

    The keys are filled in where people read.
    """

    from_id: str
    to_id: str
    rel: Rel
    weight: float
    created_at: datetime
    access_count: int = 0
    last_accessed_at: datetime | None = optional()
    automatic: bool = optional(False)  # made by inference, not by a statement
    ns: str | None = optional()
    from_key: str | None = optional()
    to_key: str | None = optional()
    outcome: Outcome | None = optional()


@dataclass(frozen=True, eq=False, repr=False)
class Link(Record):
    """An untyped link of the original Ghost, kept for its users.

    Traversal follows edges."""

    from_id: str
    to_id: str
    rel: Rel
    created_at: datetime


class Tie(NamedTuple):
    """An edge with the fields that traversal needs."""

    from_id: str
    to_id: str
    rel: Rel
    weight: float
