"""What an action does to a memory: the fields it changes, or nothing when they are so already."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ghostmem.clock import later, parse_ttl
from ghostmem.errors import InvalidInputError
from ghostmem.model import Memory, Rule, Tier

FACTOR, FLOOR = 0.95, 0.1
ALONE = (
    "PROMOTE",
    "DEMOTE",
    "DECAY",
    "DELETE",
    "ARCHIVE",
    "TTL_SET",
    "PIN",
)  # actions on one memory
TOGETHER = ("LINK", "DEDUP", "MERGE")  # actions on memories that are alike
ACTIONS = ALONE + TOGETHER
STRATEGIES = ("link_only", "dedup", "keep_highest_importance")
_DEFAULTS = {"LINK": "link_only", "DEDUP": "dedup", "MERGE": "link_only"}


def changed(memory: Memory, rule: Rule, now: datetime) -> dict[str, Any]:
    """Return the fields that a rule's action gives a memory.

    Only those that differ from what it has.
    """
    params = rule.action_params
    match rule.action_op:
        case "PROMOTE" | "DEMOTE":
            wanted: dict[str, Any] = {"tier": Tier(params["to_tier"])}
        case "ARCHIVE":
            wanted = {"tier": Tier.DORMANT}
        case "DECAY":
            faded = max(
                float(params.get("min", FLOOR)),
                memory.importance * float(params.get("factor", FACTOR)),
            )
            wanted = {"importance": min(memory.importance, faded)}
        case "TTL_SET":
            wanted = (
                {}
                if memory.expires_at
                else {"expires_at": later(now, parse_ttl(str(params["ttl"])))}
            )
        case "PIN":
            wanted = {"pinned": True, "expires_at": None}  # what is pinned does not expire
        case "DELETE":
            wanted = {"deleted_at": now}
        case _:
            wanted = {}
    return {name: value for name, value in wanted.items() if getattr(memory, name) != value}


def strategy(rule: Rule) -> str:
    """Return what is done with memories that are alike."""
    return str(rule.action_params.get("strategy") or _DEFAULTS[rule.action_op])


def check(op: str, params: Mapping[str, Any], similarity: float | None) -> None:
    """Refuse an action that could not be carried out."""
    if op not in ACTIONS:
        raise InvalidInputError(
            f"invalid action op {op!r}", f"must be one of: {', '.join(ACTIONS)}"
        )
    if op in ("PROMOTE", "DEMOTE") and params.get("to_tier") not in tuple(Tier):
        raise InvalidInputError(
            f"{op} needs a tier to go to, not {params.get('to_tier')!r}",
            'give it as --action-params \'{"to_tier": "ltm"}\'',
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
    if op in TOGETHER and similarity is None:
        raise InvalidInputError(
            f"{op} needs a likeness to go by", "give one with --cond-similarity-gt, such as 0.9"
        )
    if op in ALONE and similarity is not None:
        raise InvalidInputError(
            f"{op} is not for memories that are alike",
            f"with a likeness, use {', '.join(TOGETHER)}",
        )
    if op in TOGETHER and str(params.get("strategy") or _DEFAULTS[op]) not in STRATEGIES:
        raise InvalidInputError(
            f"invalid strategy {params['strategy']!r}", f"must be one of: {', '.join(STRATEGIES)}"
        )
