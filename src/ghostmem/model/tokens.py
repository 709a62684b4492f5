"""Tokens for callers over the network."""

from datetime import datetime

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, optional


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
