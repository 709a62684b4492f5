"""The built-in rules, as data."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ghostmem.model import SYSTEM, Rule
from ghostmem.settings import Settings

_CREATED = datetime(2026, 1, 1, tzinfo=UTC)

# id, priority, conditions, action, parameters. Sensory memories come first, and those in use are
# promoted before they could be deleted.
_TABLE: tuple[tuple[str, int, Mapping[str, Any], str, Mapping[str, Any]], ...] = (
    (
        "sys-promote-sensory",
        96,
        {"tier": "sensory", "age_gt_hours": 1, "access_gt": 1},
        "PROMOTE",
        {"to_tier": "stm"},
    ),
    ("sys-decay-sensory", 95, {"tier": "sensory", "age_gt_hours": 4}, "DELETE", {}),
    (
        "sys-prune-low-utility",
        90,
        {"access_gt": 20, "utility_lt": 0.05},
        "DEMOTE",
        {"to_tier": "dormant"},
    ),
    (
        "sys-promote-to-ltm",
        50,
        {"tier": "stm", "age_gt_hours": 72, "access_gt": 50},
        "PROMOTE",
        {"to_tier": "ltm"},
    ),
    (
        "sys-demote-stale-ltm",
        50,
        {"tier": "ltm", "unaccessed_gt_hours": 8760},  # the default of `ltm_idle_hours`
        "DEMOTE",
        {"to_tier": "dormant"},
    ),
    (
        "sys-merge-similar",
        40,
        {"tier": "stm", "similarity_gt": 0.9},
        "LINK",
        {"strategy": "link_only"},
    ),
    ("sys-dedup-all", 35, {"similarity_gt": 0.92}, "DEDUP", {"strategy": "dedup"}),
    (
        "sys-decay-unaccessed",
        10,
        {"tier": "stm", "age_gt_hours": 48, "access_lt": 10},
        "DECAY",
        {"factor": 0.95, "min": 0.1},
    ),
)

IDLE_RULE = "sys-demote-stale-ltm"

BUILT_IN: tuple[Rule, ...] = tuple(
    Rule(
        id=name,
        name=name,
        action_op=op,
        created_at=_CREATED,
        priority=priority,
        created_by=SYSTEM,
        action_params=params,
        **{f"cond_{field}": value for field, value in conditions.items()},
    )
    for name, priority, conditions, op, params in _TABLE
)


def configured(rule: Rule, settings: Settings) -> Rule:
    """Return a stored rule; an unchanged built-in one follows the settings."""
    if rule.id != IDLE_RULE or rule.created_by != SYSTEM:
        return rule
    return replace(rule, cond_unaccessed_gt_hours=settings.ltm_idle_hours)
