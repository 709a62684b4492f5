"""Other wordings of memories, and other names of their sources."""

from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, SourceKind, optional


@frozen
class Alias(Record):
    """Another wording of a memory: the text, the time, and the source."""

    content: str
    at: datetime
    source_user: str | None = optional()
    source_kind: SourceKind | None = optional()
    source_scope: str | None = optional()
    source_client: str | None = optional()


@frozen
class SourceAlias(Record):
    """Another spelling of a person's name in a namespace."""

    ns: str
    alias: str
    canonical: str
    created_at: datetime
