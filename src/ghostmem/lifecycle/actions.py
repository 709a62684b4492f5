"""The actions of rules: the fields they change, and checks of their parameters."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.clock import later, parse_ttl
from ghostmem.errors import InvalidInputError
from ghostmem.model import TIER_ABOVE, TIER_BELOW, Memory, Rule, Tier

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


def changed(memory: Memory, rule: Rule, now: datetime) -> dict[str, Any]:
    """Return the fields of a memory that the action of a rule changes, with their new values."""
    params = rule.action_params
    match rule.action_op:
        case "PROMOTE" | "DEMOTE":
            steps = TIER_ABOVE if rule.action_op == "PROMOTE" else TIER_BELOW
            to_tier = params.get("to_tier") or steps.get(memory.tier, memory.tier)
            wanted: dict[str, Any] = {"tier": Tier(to_tier)}
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
