"""Which rule a memory falls under."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ghostmem.model import SYSTEM, Memory, Rule

PROMOTION_DAYS = 3  # days of real use that promotion to long-term asks for
SPARED_DAYS = 2  # days of real use that save a memory from pruning
SPARED_HOURS = 72  # and the age below which it is saved
EASE, EASIEST = (
    0.2,
    4.0,
)  # how much each time it helped stretches the time after which a memory is stale


@dataclass(frozen=True)
class Use:
    """What the log of days says of a memory: whether it is in it at all, and on how many days it
    was really used.
    """

    logged: bool = False
    days: int = 0


UNKNOWN = Use()


def first_match(memory: Memory, rules: Iterable[Rule], use: Use, now: datetime) -> Rule | None:
    """Return the first rule, in the order given, that a memory falls under.

    Rules about likeness are not for single memories.
    """
    return next(
        (
            rule
            for rule in rules
            if rule.cond_similarity_gt is None and matches(memory, rule, use, now)
        ),
        None,
    )


def matches(memory: Memory, rule: Rule, use: Use, now: datetime) -> bool:
    """Say whether every condition that a rule sets, but for likeness, holds for a memory."""
    if rule.ns not in ("", memory.ns) or (
        rule.rule_expires_at is not None and rule.rule_expires_at <= now
    ):
        return False
    checks = (
        (rule.cond_tier, lambda tier: memory.tier == tier),
        (rule.cond_kind, lambda kind: memory.kind == kind),
        (rule.cond_tag_includes, lambda tag: tag in memory.tags),
        (rule.cond_age_gt_hours, lambda hours: _hours(memory.created_at, now) > hours),
        (
            rule.cond_unaccessed_gt_hours,
            lambda hours: _idle(memory, now) > hours * _ease(memory, rule, use),
        ),
        (rule.cond_importance_lt, lambda least: memory.importance < least),
        (rule.cond_access_lt, lambda count: memory.access_count < count),
        (rule.cond_access_gt, lambda count: memory.access_count > count),
        (rule.cond_utility_lt, lambda share: _is_of_little_use(memory, share)),
    )
    return all(value is None or holds(value) for value, holds in checks) and not _spared(
        memory, rule, use, now
    )


def _hours(since: datetime, now: datetime) -> float:
    return (now - since).total_seconds() / 3600


def _idle(memory: Memory, now: datetime) -> float:
    return _hours(memory.last_accessed_at or memory.created_at, now)


def _ease(memory: Memory, rule: Rule, use: Use) -> float:
    """Return how much longer a memory that helped may lie idle, where its use is known."""
    return (
        min(EASIEST, 1 + EASE * memory.utility_count)
        if rule.created_by == SYSTEM and use.logged
        else 1.0
    )


def _is_of_little_use(memory: Memory, share: float) -> bool:
    """Say whether a memory helped less often than this.

    One that nobody ever said anything about is not judged.
    """
    return (
        memory.access_count > 0
        and memory.utility_count > 0
        and memory.utility_count / memory.access_count < share
    )


def _spared(memory: Memory, rule: Rule, use: Use, now: datetime) -> bool:
    """Say whether the log of days speaks against a built-in rule."""
    if rule.created_by != SYSTEM or not use.logged:
        return False
    if rule.action_op == "PROMOTE" and rule.action_params.get("to_tier") == "ltm":
        return use.days < PROMOTION_DAYS
    if rule.cond_utility_lt is not None:
        return use.days >= SPARED_DAYS or _hours(memory.created_at, now) < SPARED_HOURS
    return False
