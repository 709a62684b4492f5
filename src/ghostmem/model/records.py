"""Small records of a store: chunks, other wordings and names, quarantined texts, uses, tokens."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, SourceKind, optional


@frozen
class Chunk(Record):
    """A piece of a memory's content, the unit of indexing."""

    memory_id: str
    seq: int
    text: str
    start_line: int
    end_line: int


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


@frozen
class Held(Record):
    """A quarantined text: its content, the fields it came with as plain data, and the reasons."""

    id: str
    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    reasons: tuple[str, ...]
    at: datetime


@frozen
class Access(Record):
    """How often a memory was used and shown on one day."""

    memory_id: str
    day: str
    used: int
    shown: int


@frozen
class Token(Record):
    """A token as it is on record: grants as `NS:SCOPE`, never the secret."""

    id: str
    name: str
    grants: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None = optional()
    revoked_at: datetime | None = optional()
    last_used_at: datetime | None = optional()

    def is_live(self, now: datetime) -> bool:
        """Say whether the token still opens anything."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
