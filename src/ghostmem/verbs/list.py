"""list: what is there, newest first."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.engine.rows import Filter
from ghostmem.model import FileRel, Kind, Memory, Priority, SourceKind, Tier
from ghostmem.times import as_time
from ghostmem.verbs import accept
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from typing import TypedDict

    class ListFields(TypedDict, total=False):
        """What a listing may be narrowed by."""

        kind: str | None
        tier: str | None
        tags: Iterable[str] | None
        priority: str | None
        pinned: bool | None
        source_user: str | None
        source_kind: str | None
        source_scope: str | None
        after: datetime | str | None
        before: datetime | str | None
        file: str | None
        file_rel: str | None
        key_prefix: str | None
        valid_at: datetime | str | None
        deleted: bool
        limit: int
        offset: int


def list_memories(
    store: Store,
    ns: str | None = None,
    *,
    kind: str | None = None,
    tier: str | None = None,
    tags: Iterable[str] | None = None,
    priority: str | None = None,
    pinned: bool | None = None,
    source_user: str | None = None,
    source_kind: str | None = None,
    source_scope: str | None = None,
    after: datetime | str | None = None,
    before: datetime | str | None = None,
    file: str | None = None,
    file_rel: str | None = None,
    key_prefix: str | None = None,
    valid_at: datetime | str | None = None,
    deleted: bool = False,
    limit: int = 20,
    offset: int = 0,
) -> list[Memory]:
    """Return live memories that pass every filter, newest first; `deleted` lists removed and superseded versions instead."""
    which = Filter(
        ns=accept.ns_filter(ns),
        now=None if deleted else store.clock(),
        kinds=_one(accept.choice(kind, Kind, "kind")),
        tiers=_one(accept.choice(tier, Tier, "tier")),
        priorities=_one(accept.choice(priority, Priority, "priority")),
        tags=accept.tags(tags) or (),
        pinned=pinned,
        source_user=accept.label(source_user, "source_user"),
        source_kind=accept.choice(source_kind, SourceKind, "source_kind"),
        source_scope=accept.label(source_scope, "source_scope"),
        after=None if after is None else as_time(after, "after"),
        before=None if before is None else as_time(before, "before"),
        file=None if file is None else accept.text(file, "file path"),
        file_rel=accept.choice(file_rel, FileRel, "file relation"),
        key_prefix=None if key_prefix is None else accept.text(key_prefix, "key prefix"),
        valid_at=None if valid_at is None else as_time(valid_at, "valid_at"),
        deleted=deleted,
    )
    with store.engine.read() as tx:
        return tx.listing.select(which, accept.positive(limit, "limit"), accept.positive(offset, "offset", least=0))


def _one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (str(value),)
