"""Runs of the lifecycle: their changes and reports."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, optional


@frozen
class Change(Record):
    """One change that a run makes to a memory or an edge.

    For an edge, `key` is its start and `to_key` its end."""

    ns: str
    key: str
    op: str
    rule: str
    before: Mapping[str, Any] = optional({})
    after: Mapping[str, Any] = optional({})
    to_key: str | None = optional()
    rel: str | None = optional()


@frozen
class Report(Record):
    """The changes of a reflection, or those that a dry run would make.

    No-ops are not counted."""

    run: str
    dry_run: bool
    at: datetime
    memories_evaluated: int = 0
    rules_applied: int = 0
    decayed: int = 0
    promoted: int = 0
    demoted: int = 0
    archived: int = 0
    deleted: int = 0
    merged: int = 0
    deduplicated: int = 0
    linked: int = 0
    pinned: int = 0
    expiring: int = 0
    edges_decayed: int = 0
    edges_pruned: int = 0
    relinked: int = 0
    resumed: bool = False
    linked_clusters: tuple[tuple[str, ...], ...] = optional(())  # similar memories by key
    changes: tuple[Change, ...] = optional(())
    errors: tuple[str, ...] = optional(())
    notes: tuple[str, ...] = optional(())  # rules that could not be applied, and why


@frozen
class Run(Record):
    """A run as it is on record."""

    id: str
    verb: str
    scope: str
    at: datetime
    changes: int = 0
    finished_at: datetime | None = optional()
    undone_at: datetime | None = optional()
