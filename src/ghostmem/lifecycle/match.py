"""Find the rule that applies to a memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ghostmem.model import SYSTEM, Memory, Rule

PROMOTION_DAYS = 3  # days of use before a promotion to long-term
PRUNE_MAX_DAYS = 2  # a memory used on this many days is not pruned
PRUNE_MIN_HOURS = 72  # and neither is a younger one
# A memory may be idle longer for each time it was useful, up to a maximum.
IDLE_STRETCH_PER_USE = 0.2
MAX_IDLE_STRETCH = 4.0


@dataclass(frozen=True)
class UseRecord:
    """Whether the log has a memory, the days on which it was used, and how often it was shown."""

    logged: bool = False
    days: int = 0
    shown: int = 0


UNKNOWN = UseRecord()


def first_match(
    memory: Memory, rules: Iterable[Rule], use: UseRecord, now: datetime
) -> Rule | None:
    """Return the first rule that matches a memory, without rules about similar memories."""
    return next(
        (
            rule
            for rule in rules
            if rule.cond_similarity_gt is None and matches(memory, rule, use, now)
        ),
        None,
    )


def matches(memory: Memory, rule: Rule, use: UseRecord, now: datetime) -> bool:
    """Say whether a memory meets all conditions of a rule, apart from similarity."""
    if rule.ns not in ("", memory.ns) or (
        rule.rule_expires_at is not None and rule.rule_expires_at <= now
    ):
        return False
    retrievals = _retrievals(memory, rule, use)
    checks = (
        (rule.cond_tier, lambda tier: memory.tier == tier),
        (rule.cond_kind, lambda kind: memory.kind == kind),
        (rule.cond_tag_includes, lambda tag: tag in memory.tags),
        (rule.cond_age_gt_hours, lambda hours: _hours(memory.created_at, now) > hours),
        (
            rule.cond_unaccessed_gt_hours,
            lambda hours: (
                _hours(memory.last_accessed_at or memory.created_at, now)
                > hours * _idle_stretch(memory, rule, use)
            ),
        ),
        (rule.cond_importance_lt, lambda limit: memory.importance < limit),
        (rule.cond_access_lt, lambda count: retrievals < count),
        (rule.cond_access_gt, lambda count: retrievals > count),
        (rule.cond_utility_lt, lambda share: _has_low_utility(memory, retrievals, share)),
    )
    return all(value is None or holds(value) for value, holds in checks) and not _is_exempt(
        memory, rule, use, now
    )


def _hours(since: datetime, now: datetime) -> float:
    return (now - since).total_seconds() / 3600


def _idle_stretch(memory: Memory, rule: Rule, use: UseRecord) -> float:
    if rule.created_by != SYSTEM or not use.logged:
        return 1.0
    return min(MAX_IDLE_STRETCH, 1 + IDLE_STRETCH_PER_USE * memory.utility_count)


def _retrievals(memory: Memory, rule: Rule, use: UseRecord) -> int:
    """Return how often a memory was retrieved.

    A built-in rule about utility counts real use only: a memory that is shown unasked, again and
    again, had no occasion to help each time."""
    if rule.created_by == SYSTEM and rule.cond_utility_lt is not None:
        return max(0, memory.access_count - use.shown)
    return memory.access_count


def _has_low_utility(memory: Memory, retrievals: int, share: float) -> bool:
    """Say whether a memory was useful less often than this; without feedback it is not judged."""
    return retrievals > 0 and memory.utility_count > 0 and memory.utility_count / retrievals < share


def _is_exempt(memory: Memory, rule: Rule, use: UseRecord, now: datetime) -> bool:
    """Say whether the days of use exempt a memory from a built-in rule."""
    if rule.created_by != SYSTEM or not use.logged:
        return False
    if rule.action_op == "PROMOTE" and rule.action_params.get("to_tier") == "ltm":
        return use.days < PROMOTION_DAYS
    if rule.cond_utility_lt is not None:
        return use.days >= PRUNE_MAX_DAYS or _hours(memory.created_at, now) < PRUNE_MIN_HOURS
    return False
