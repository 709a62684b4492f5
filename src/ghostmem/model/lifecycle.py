"""The lifecycle: rules, the changes of a run, and its report."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, optional

SYSTEM = "system"  # the creator of built-in rules; a rule that a user changes belongs to the user


@frozen
class Rule(Record):
    """A condition and an action of the lifecycle; empty conditions do not count."""

    id: str
    name: str
    action_op: str
    created_at: datetime
    ns: str = ""
    priority: int = 50
    scope: str = "reflect"
    created_by: str = "user"
    cond_tier: str | None = optional()
    cond_age_gt_hours: float | None = optional()
    cond_importance_lt: float | None = optional()
    cond_access_lt: int | None = optional()
    cond_access_gt: int | None = optional()
    cond_utility_lt: float | None = optional()
    cond_kind: str | None = optional()
    cond_tag_includes: str | None = optional()
    cond_similarity_gt: float | None = optional()
    cond_unaccessed_gt_hours: float | None = optional()
    action_params: Mapping[str, Any] = optional({})
    rule_expires_at: datetime | None = optional()


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
