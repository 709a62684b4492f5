"""The fields that a caller may set on a memory, checked in one place."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from ghostmem.clock import as_time
from ghostmem.model import FileRef, Kind, Priority, SourceKind, Tier
from ghostmem.store import validate


class PutFields(TypedDict, total=False):
    """The fields of a memory that a caller may name."""

    kind: str | None
    tier: str | None
    tags: Iterable[str] | None
    priority: str | None
    importance: float | None
    pinned: bool | None
    meta: Mapping[str, Any] | None
    files: Iterable[FileRef | str | tuple[str, str]] | None
    source_user: str | None
    source_kind: str | None
    source_scope: str | None
    source_client: str | None
    created_at: datetime | str | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None


IDENTITY = "identity"  # a tier of the original Ghost; now a pinned long-term memory
QUARANTINE = "quarantine"  # the tier that stores a memory where no retrieval reads it


def put_fields(
    *,
    kind: str | None = None,
    tier: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    importance: float | None = None,
    pinned: bool | None = None,
    meta: Mapping[str, Any] | None = None,
    files: Iterable[FileRef | str | tuple[str, str]] | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    created_at: datetime | str | None = None,
    valid_from: datetime | str | None = None,
    valid_to: datetime | str | None = None,
) -> dict[str, Any]:
    """Return the checked fields that a caller set, without those that are None."""
    if tier == IDENTITY:
        tier, pinned = Tier.LTM, True if pinned is None else pinned
    fields = {
        "kind": validate.choice(kind, Kind, "kind"),
        "tier": validate.choice(tier, Tier, "tier", (IDENTITY, QUARANTINE)),
        "priority": validate.choice(priority, Priority, "priority"),
        "importance": validate.share(importance, "importance"),
        "pinned": validate.flag(pinned, "pinned"),
        "tags": validate.tags(tags),
        "meta": validate.meta(meta),
        "files": validate.files(files),
        "source_user": validate.label(source_user, "source_user"),
        "source_kind": validate.choice(source_kind, SourceKind, "source_kind"),
        "source_scope": validate.label(source_scope, "source_scope"),
        "source_client": validate.label(source_client, "source_client"),
        "created_at": None if created_at is None else as_time(created_at, "created_at"),
        "valid_from": None if valid_from is None else as_time(valid_from, "valid_from"),
        "valid_to": None if valid_to is None else as_time(valid_to, "valid_to"),
    }
    return {name: value for name, value in fields.items() if value is not None}
