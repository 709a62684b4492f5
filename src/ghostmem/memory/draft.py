"""The validated request to store a memory, which the stages of a put pass on."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.lazy import lazy_property
from ghostmem.model import Memory
from ghostmem.model.memory import conversation_of
from ghostmem.truth.plain import AnalysedText

NEVER = "never"  # the ttl that removes an expiry

_OF_ONE_VERSION = frozenset(
    "id ns key content version created_at access_count utility_count est_tokens supersedes "
    "deleted_at last_accessed_at valid_from valid_to recorded_at chunks outcome requested_key "
    "verdict aliases notes".split()
)
# Fields that a new version inherits from the previous one unless they are named.
INHERITED = [field.name for field in fields(Memory) if field.name not in _OF_ONE_VERSION]
SOURCE_FIELDS = ("source_user", "source_kind", "source_scope", "source_client")
USE_COUNTS = ("access_count", "utility_count", "last_accessed_at")


@frozen
class Draft:
    """A validated request to store a memory; `fields` has only the fields the caller named."""

    ns: str
    key: str
    content: str
    fields: Mapping[str, Any]
    ttl: str | None = None
    base_version: int | None = None
    unlock: bool = False
    dedup: bool = False
    supersedes: str | None = None  # the key of the memory that it replaces
    quiet: bool = False  # a repetition does not count as a use
    revive: bool = False  # a removed memory comes back with its links

    @lazy_property
    def analysed(self) -> AnalysedText:
        """Return the content with what is compared with other texts."""
        return AnalysedText(self.content)

    def is_turn(self, current: Memory | None) -> bool:
        """Say whether it is a turn of a conversation; it inherits from the current version."""
        kind, user, scope = (
            self.fields.get(name, getattr(current, name, None))
            for name in ("kind", "source_user", "source_scope")
        )
        return conversation_of(kind, user, scope) is not None
