"""Access to a store: quarantined texts, counted accesses and tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ghostmem.model.memory import Record, optional


@dataclass(frozen=True, eq=False, repr=False)
class Held(Record):
    """A quarantined text: its content, the fields it came with as plain data, and the reasons."""

    id: str
    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    reasons: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, eq=False, repr=False)
class Access(Record):
    """How often a memory was used and shown on one day."""

    memory_id: str
    day: str
    used: int
    shown: int


@dataclass(frozen=True, eq=False, repr=False)
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
