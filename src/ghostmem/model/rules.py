"""Lifecycle rules."""

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
