"""The conditions and actions of rules: which rule applies to a memory, and what it changes."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from math import inf
from operator import eq, gt, lt
from typing import Any, NamedTuple

from ghostmem.clock import later, parse_ttl
from ghostmem.errors import InvalidInputError
from ghostmem.model import SYSTEM, TIER_ABOVE, TIER_BELOW, Memory, Rule, Tier

DECAY_FACTOR = 0.95
DECAY_MIN = 0.1
SINGLE_ACTIONS = ("PROMOTE", "DEMOTE", "DECAY", "DELETE", "ARCHIVE", "TTL_SET", "PIN")
GROUP_ACTIONS = ("LINK", "DEDUP", "MERGE")  # on similar memories
ACTIONS = SINGLE_ACTIONS + GROUP_ACTIONS
STRATEGIES = ("link_only", "dedup", "keep_highest_importance")
_PARAMETERS = {
    "PROMOTE": ("to_tier",),
    "DEMOTE": ("to_tier",),
    "DECAY": ("factor", "min"),
    "TTL_SET": ("ttl",),
    **dict.fromkeys(GROUP_ACTIONS, ("strategy",)),
}
_DEFAULTS = {"LINK": "link_only", "DEDUP": "dedup", "MERGE": "link_only"}
PROMOTION_DAYS = 3  # days of use before a promotion to long-term
PRUNE_MAX_DAYS = 2  # a memory used on this many days is not pruned
PRUNE_MIN_HOURS = 72  # and neither is a younger one
# A memory may be idle longer for each time it was useful, up to a maximum.
IDLE_STRETCH_PER_USE = 0.2
MAX_IDLE_STRETCH = 4.0


def changed(memory: Memory, rule: Rule, now: datetime) -> dict[str, Any]:
    """Return the fields of a memory that the action of a rule changes, with their new values."""
    params = rule.action_params
    match rule.action_op:
        case "PROMOTE" | "DEMOTE":
            steps = TIER_ABOVE if rule.action_op == "PROMOTE" else TIER_BELOW
            wanted: dict[str, Any] = {
                "tier": Tier(params.get("to_tier") or steps.get(memory.tier, memory.tier))
            }
        case "ARCHIVE":
            wanted = {"tier": Tier.DORMANT}
        case "DECAY":
            decayed = memory.importance * float(params.get("factor", DECAY_FACTOR))
            wanted = {
                "importance": min(
                    memory.importance, max(float(params.get("min", DECAY_MIN)), decayed)
                )
            }
        case "TTL_SET":
            wanted = (
                {}
                if memory.expires_at
                else {"expires_at": later(now, parse_ttl(str(params["ttl"])))}
            )
        case "PIN":
            wanted = {"pinned": True, "expires_at": None}
        case "DELETE":
            wanted = {"deleted_at": now}
        case _:
            wanted = {}
    return {name: value for name, value in wanted.items() if getattr(memory, name) != value}


def strategy(rule: Rule) -> str:
    """Return the strategy of a rule for similar memories."""
    return str(rule.action_params.get("strategy") or _DEFAULTS[rule.action_op])


def check_names(op: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that an action does not have, such as a misspelt one."""
    names = _PARAMETERS.get(op, ())
    for name in params:
        if name not in names:
            raise InvalidInputError(
                f"{op} has no parameter {name!r}",
                f"its parameters: {', '.join(names)}" if names else "it takes no parameters",
            )


def check(op: str, params: Mapping[str, Any], similarity: float | None) -> None:
    """Refuse an action with missing or invalid parameters."""
    if op not in ACTIONS:
        raise InvalidInputError(
            f"invalid action op {op!r}", f"must be one of: {', '.join(ACTIONS)}"
        )
    if op in ("PROMOTE", "DEMOTE") and params.get("to_tier") not in (None, *Tier):
        raise InvalidInputError(
            f"{op} cannot move to the tier {params['to_tier']!r}",
            f"must be one of: {', '.join(Tier)}; without one it moves by one tier",
        )
    if op == "TTL_SET":
        parse_ttl(str(params.get("ttl", "")))
    if op == "DECAY":
        for name in ("factor", "min"):
            value = params.get(name, 0.5)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InvalidInputError(
                    f"DECAY's {name} {value!r} is out of range", f"{name} is a number from 0 to 1"
                )
    if op in GROUP_ACTIONS and similarity is None:
        raise InvalidInputError(
            f"{op} needs a similarity", "give one with --cond-similarity-gt, such as 0.9"
        )
    if op in SINGLE_ACTIONS and similarity is not None:
        raise InvalidInputError(
            f"{op} is not for similar memories",
            f"with a similarity, use {', '.join(GROUP_ACTIONS)}",
        )
    if op in GROUP_ACTIONS and str(params.get("strategy") or _DEFAULTS[op]) not in STRATEGIES:
        raise InvalidInputError(
            f"invalid strategy {params['strategy']!r}", f"must be one of: {', '.join(STRATEGIES)}"
        )


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
    """Say whether a memory meets all conditions of a rule, apart from similarity.

    A built-in rule about utility counts real use only: a memory that is shown unasked, again and
    again, had no occasion to help each time. A memory that helped before may be idle longer."""
    if rule.ns not in ("", memory.ns) or (
        rule.rule_expires_at is not None and rule.rule_expires_at <= now
    ):
        return False
    is_built_in, utility = rule.created_by == SYSTEM, memory.utility_count
    stretch, retrievals = 1.0, memory.access_count
    if is_built_in and use.logged:
        stretch = min(MAX_IDLE_STRETCH, 1 + IDLE_STRETCH_PER_USE * utility)
    if is_built_in and rule.cond_utility_lt is not None:
        retrievals = max(0, memory.access_count - use.shown)
    max_idle = rule.cond_unaccessed_gt_hours
    # each limit is compared with the memory's value, if the rule has it
    conditions: tuple[tuple[Any, Callable[[Any, Any], bool], Any], ...] = (
        (rule.cond_tier, eq, memory.tier),
        (rule.cond_kind, eq, memory.kind),
        (rule.cond_tag_includes, lambda tag, tags: tag in tags, memory.tags),
        (rule.cond_age_gt_hours, lt, _hours(memory.created_at, now)),
        (
            None if max_idle is None else max_idle * stretch,
            lt,
            _hours(memory.last_accessed_at or memory.created_at, now),
        ),
        (rule.cond_importance_lt, gt, memory.importance),
        (rule.cond_access_lt, gt, retrievals),
        (rule.cond_access_gt, lt, retrievals),
        # without feedback a memory is not judged
        (rule.cond_utility_lt, gt, utility / retrievals if retrievals > 0 < utility else inf),
    )
    return all(
        limit is None or holds(limit, value) for limit, holds, value in conditions
    ) and not _is_exempt(memory, rule, use, now)


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
