"""The conditions of a listing or a search, checked in one place."""

from collections.abc import Iterable
from datetime import datetime
from typing import TypedDict

from ghostmem.clock import as_time
from ghostmem.model import FileRel, Kind, Priority, SourceKind
from ghostmem.store import validate
from ghostmem.store.rows import Filter


class Narrow(TypedDict, total=False):
    """The conditions that memories may have to meet."""

    kind: str | None
    tags: Iterable[str] | None
    priority: str | None
    pinned: bool | None
    source_user: str | None
    source_kind: str | None
    source_scope: str | None
    source_client: str | None
    after: datetime | str | None
    before: datetime | str | None
    valid_at: datetime | str | None
    file: str | None
    file_rel: str | None


def narrowed(
    *,
    kind: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    pinned: bool | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    source_client: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    valid_at: datetime | str | None = None,
    file: str | None = None,
    file_rel: str | None = None,
) -> Filter:
    """Return checked conditions as a filter over all namespaces and tiers."""
    return Filter(
        kinds=one(validate.choice(kind, Kind, "kind")),
        tags=validate.tags(tags) or (),
        priorities=one(validate.choice(priority, Priority, "priority")),
        pinned=validate.flag(pinned, "pinned"),
        source_user=validate.label(source_user, "source_user"),
        source_kind=validate.choice(source_kind, SourceKind, "source_kind"),
        source_scope=validate.label(source_scope, "source_scope"),
        source_client=validate.label(source_client, "source_client"),
        after=None if after is None else as_time(after, "after"),
        before=None if before is None else as_time(before, "before"),
        valid_at=None if valid_at is None else as_time(valid_at, "valid_at"),
        file=None if file is None else validate.text(file, "file path"),
        file_rel=validate.choice(file_rel, FileRel, "file relation"),
    )


def one(value: str | None) -> tuple[str, ...]:
    """Return the values of a condition: one, or none."""
    return () if value is None else (str(value),)
