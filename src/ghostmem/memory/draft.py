"""The validated request to store a memory, which the stages of a put pass on."""

from collections.abc import Mapping
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model import Kind, Memory

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


def is_turn(source_scope: str | None, kind: Kind | None) -> bool:
    """Say whether a memory is a turn of a conversation: a record that corrects no other turn."""
    return source_scope is not None and kind == Kind.EPISODIC


def makes_turn(draft: Draft, current: Memory | None) -> bool:
    """Say whether a draft is a turn; `current` is the version whose scope it inherits.

    Its kind is named: a put without one may be a fact, although the default is episodic."""
    scope = draft.fields.get("source_scope", current.source_scope if current else None)
    return is_turn(scope, draft.fields.get("kind"))
