"""Links between memories."""

from datetime import datetime
from typing import NamedTuple

from ghostmem.frozen import frozen
from ghostmem.model.memory import Outcome, Record, Rel, optional


@frozen
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


@frozen
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
    automatic: bool  # inferred, not put by a caller
