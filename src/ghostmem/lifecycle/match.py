"""Find the rule that applies to a memory."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from ghostmem.model import SYSTEM, Memory, Rule

PROMOTION_DAYS = 3  # days of use before a promotion to long-term
PRUNE_MAX_DAYS = 2  # a memory used on this many days is not pruned
PRUNE_MIN_HOURS = 72  # and neither is a younger one
# A memory may be idle longer for each time it was useful, up to a maximum.
IDLE_STRETCH_PER_USE = 0.2
MAX_IDLE_STRETCH = 4.0


class UseRecord(NamedTuple):
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
    subject = _Subject.of(memory, rule, use, now)
    for name, holds in _CONDITIONS:
        value = getattr(rule, name)
        if value is not None and not holds(subject, value):
            return False
    return not _is_exempt(memory, rule, use, now)


class _Subject(NamedTuple):
    """A memory that is compared with the conditions of a rule."""

    memory: Memory
    age: float  # in hours, like the next one
    idle: float  # since it was used
    stretch: float  # how much longer it may be idle, because it helped before
    retrievals: int

    @classmethod
    def of(cls, memory: Memory, rule: Rule, use: UseRecord, now: datetime) -> "_Subject":
        """Return the figures of a memory for a rule.

        A built-in rule about utility counts real use only: a memory that is shown unasked, again
        and again, had no occasion to help each time."""
        is_built_in = rule.created_by == SYSTEM
        stretch, retrievals = 1.0, memory.access_count
        if is_built_in and use.logged:
            stretch = min(MAX_IDLE_STRETCH, 1 + IDLE_STRETCH_PER_USE * memory.utility_count)
        if is_built_in and rule.cond_utility_lt is not None:
            retrievals = max(0, memory.access_count - use.shown)
        idle = _hours(memory.last_accessed_at or memory.created_at, now)
        return cls(memory, _hours(memory.created_at, now), idle, stretch, retrievals)


# the conditions of a rule by field, in the order in which they are checked
_CONDITIONS: tuple[tuple[str, Callable[[_Subject, Any], bool]], ...] = (
    ("cond_tier", lambda subject, tier: subject.memory.tier == tier),
    ("cond_kind", lambda subject, kind: subject.memory.kind == kind),
    ("cond_tag_includes", lambda subject, tag: tag in subject.memory.tags),
    ("cond_age_gt_hours", lambda subject, hours: subject.age > hours),
    ("cond_unaccessed_gt_hours", lambda subject, hours: subject.idle > hours * subject.stretch),
    ("cond_importance_lt", lambda subject, limit: subject.memory.importance < limit),
    ("cond_access_lt", lambda subject, count: subject.retrievals < count),
    ("cond_access_gt", lambda subject, count: subject.retrievals > count),
    # without feedback a memory is not judged
    (
        "cond_utility_lt",
        lambda subject, share: (
            subject.retrievals > 0 < subject.memory.utility_count
            and subject.memory.utility_count / subject.retrievals < share
        ),
    ),
)


def _hours(since: datetime, now: datetime) -> float:
    return (now - since).total_seconds() / 3600


def _is_exempt(memory: Memory, rule: Rule, use: UseRecord, now: datetime) -> bool:
    """Say whether the days of use exempt a memory from a built-in rule."""
    if rule.created_by != SYSTEM or not use.logged:
        return False
    if rule.action_op == "PROMOTE" and rule.action_params.get("to_tier") == "ltm":
        return use.days < PROMOTION_DAYS
    if rule.cond_utility_lt is not None:
        return use.days >= PRUNE_MAX_DAYS or _hours(memory.created_at, now) < PRUNE_MIN_HOURS
    return False
