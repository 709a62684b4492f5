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
    case = _Case(memory, rule, use, now)
    for name, holds in _CONDITIONS:
        value = getattr(rule, name)
        if value is not None and not holds(case, value):
            return False
    return not _is_exempt(memory, rule, use, now)


class _Case(NamedTuple):
    """A memory that is compared with the conditions of a rule."""

    memory: Memory
    rule: Rule
    use: UseRecord
    now: datetime

    @property
    def retrievals(self) -> int:
        """Return how often the memory was retrieved."""
        return _retrievals(self.memory, self.rule, self.use)


def _is_idle(case: _Case, hours: float) -> bool:
    """Say whether a memory was not used for some hours, or more of them if it helped before."""
    idle = _hours(case.memory.last_accessed_at or case.memory.created_at, case.now)
    return idle > hours * _idle_stretch(case.memory, case.rule, case.use)


# the conditions of a rule by field, in the order in which they are checked
_CONDITIONS: tuple[tuple[str, Callable[[_Case, Any], bool]], ...] = (
    ("cond_tier", lambda case, tier: case.memory.tier == tier),
    ("cond_kind", lambda case, kind: case.memory.kind == kind),
    ("cond_tag_includes", lambda case, tag: tag in case.memory.tags),
    ("cond_age_gt_hours", lambda case, hours: _hours(case.memory.created_at, case.now) > hours),
    ("cond_unaccessed_gt_hours", _is_idle),
    ("cond_importance_lt", lambda case, limit: case.memory.importance < limit),
    ("cond_access_lt", lambda case, count: case.retrievals < count),
    ("cond_access_gt", lambda case, count: case.retrievals > count),
    (
        "cond_utility_lt",
        lambda case, share: _has_low_utility(case.memory, case.retrievals, share),
    ),
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
