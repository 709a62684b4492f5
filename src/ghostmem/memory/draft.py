"""The validated request to store a memory, which the stages of a put pass on."""

from collections.abc import Mapping
from typing import Any

from ghostmem.frozen import frozen

NEVER = "never"  # the ttl that removes an expiry

# Fields that a new version inherits from the previous one unless they are named.
INHERITED = [
    "kind",
    "tier",
    "priority",
    "importance",
    "pinned",
    "tags",
    "meta",
    "expires_at",
    "files",
    "symbols",
    "source_user",
    "source_kind",
    "source_scope",
    "source_client",
]
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
