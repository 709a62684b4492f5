"""Another wording of a memory."""

from dataclasses import dataclass
from datetime import datetime

from ghostmem.model import Record, SourceKind, optional


@dataclass(frozen=True, eq=False, repr=False)
class Alias(Record):
    """What was said when it was said again in other words: the words, when, and by whom."""

    content: str
    at: datetime
    source_user: str | None = optional()
    source_kind: SourceKind | None = optional()
    source_scope: str | None = optional()
    source_client: str | None = optional()
