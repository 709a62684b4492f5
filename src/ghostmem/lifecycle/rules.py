"""List, add, change and delete the rules of the lifecycle; the built-in ones are data."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.lifecycle.actions import check, check_names
from ghostmem.model import SYSTEM, Kind, Rule, Tier
from ghostmem.settings import Settings
from ghostmem.store import Store, Transaction, validate

OFF = "off"  # the scope of a built-in rule that was deleted
_MAX_PRIORITY = 1_000_000
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


def rules(store: Store, ns: str | None = None) -> list[Rule]:
    """Return the lifecycle rules, highest priority first; with `ns`, those that apply there.

    Args:
        ns: Only rules that apply to this namespace; default: all.
    """
    name = validate.text("" if ns is None else ns, "namespace")
    with store.engine.read() as tx:
        return [
            configured(rule, store.settings)
            for rule in tx.rules.all()
            if rule.scope != OFF and (not name or rule.ns in ("", name))
        ]


def get_rule(store: Store, rule_id: str) -> Rule:
    """Return a lifecycle rule.

    Args:
        rule_id: Id of the rule.

    Raises:
        NotFoundError: There is no rule with that id.
    """
    with store.engine.read() as tx:
        return configured(_get(tx, rule_id), store.settings)


def set_rule(
    store: Store,
    name: str,
    action: str,
    *,
    rule_id: str | None = None,
    ns: str = "",
    priority: int = 50,
    action_params: Mapping[str, Any] | None = None,
    expires_at: datetime | str | None = None,
    tier: str | None = None,
    kind: str | None = None,
    tag: str | None = None,
    age_gt_hours: float | None = None,
    unaccessed_gt_hours: float | None = None,
    importance_lt: float | None = None,
    access_lt: int | None = None,
    access_gt: int | None = None,
    utility_lt: float | None = None,
    similarity_gt: float | None = None,
) -> Rule:
    """Add a lifecycle rule, or replace one: if all conditions are met, the action is taken.

    Args:
        name: Description of the rule in a few words.
        action: PROMOTE or DEMOTE (`to_tier`, else by one tier), DECAY (`factor`, `min`),
            DELETE, ARCHIVE, TTL_SET (`ttl`), PIN; for similar memories LINK, DEDUP or MERGE
            (`strategy`: "link_only", "dedup" or "keep_highest_importance").
        rule_id: Id of the rule to replace, or of the new rule.
        ns: Namespace that the rule is limited to.
        priority: Of the rules that match a memory, the highest wins.
        action_params: Parameters of the action, such as {"to_tier": "ltm"}.
        expires_at: When the rule ends.
        tier: Condition: in this tier.
        kind: Condition: of this kind.
        tag: Condition: with this tag.
        age_gt_hours: Condition: older than this.
        unaccessed_gt_hours: Condition: not retrieved for longer than this.
        importance_lt: Condition: less important than this.
        access_lt: Condition: retrieved fewer times than this.
        access_gt: Condition: retrieved more often than this.
        utility_lt: Condition: share of retrievals that helped is below this.
        similarity_gt: Condition: more similar to another memory than this cosine.

    Raises:
        InvalidInputError: There is no condition.
    """
    op = validate.text(action, "action").upper()
    params = dict(validate.meta(action_params, "action_params") or {})
    conditions: dict[str, Any] = {
        "tier": None if tier is None else str(validate.choice(tier, Tier, "tier")),
        "kind": None if kind is None else str(validate.choice(kind, Kind, "kind")),
        "tag_includes": validate.label(tag, "tag"),
        "age_gt_hours": _hours(age_gt_hours, "age"),
        "unaccessed_gt_hours": _hours(unaccessed_gt_hours, "unaccessed"),
        "importance_lt": validate.share(importance_lt, "importance"),
        "access_lt": None
        if access_lt is None
        else validate.positive(access_lt, "access_lt", least=0),
        "access_gt": None
        if access_gt is None
        else validate.positive(access_gt, "access_gt", least=0),
        "utility_lt": validate.share(utility_lt, "utility"),
        "similarity_gt": validate.share(similarity_gt, "similarity"),
    }
    check(op, params, conditions["similarity_gt"])
    check_names(op, params)
    if all(value is None for value in conditions.values()):
        raise InvalidInputError(
            "a rule without a condition would apply to everything",
            "give at least one, such as --cond-tier",
        )
    if isinstance(priority, bool) or not isinstance(priority, int) or abs(priority) > _MAX_PRIORITY:
        raise InvalidInputError(
            f"priority {validate.shown(priority)} is not a whole number from "
            f"{-_MAX_PRIORITY:,} to {_MAX_PRIORITY:,}",
            "built-in rules have 10 to 96",
        )
    now = store.clock()
    rule = Rule(
        id=validate.key(rule_id, "rule id") if rule_id else store.new_id(now),
        name=_name(name),
        action_op=op,
        created_at=now,
        ns="" if ns is None or ns == "" else validate.namespace(ns),
        priority=priority,
        action_params=params,
        rule_expires_at=None if expires_at is None else as_time(expires_at, "expires_at"),
        **{f"cond_{field}": value for field, value in conditions.items()},
    )
    with store.engine.write() as tx:
        tx.rules.replace(rule)
    return rule


def rm_rule(store: Store, rule_id: str) -> Rule:
    """Delete a lifecycle rule, or disable a built-in one.

    Args:
        rule_id: Id of the rule.
    """
    with store.engine.write() as tx:
        rule = _get(tx, rule_id)
        if any(rule.id == built_in.id for built_in in BUILT_IN):
            tx.rules.replace(replace(rule, scope=OFF, created_by="user"))
        else:
            tx.rules.delete(rule.id)
    return rule


def reset_rule(store: Store, rule_id: str) -> Rule:
    """Restore a built-in lifecycle rule to its original state.

    Args:
        rule_id: Id of the rule.
    """
    built_in = next((rule for rule in BUILT_IN if rule.id == rule_id), None)
    if built_in is None:
        ids = ", ".join(rule.id for rule in BUILT_IN)
        raise NotFoundError(
            f"there is no built-in rule {validate.shown(rule_id)}", f"they are: {ids}"
        )
    with store.engine.write() as tx:
        tx.rules.replace(built_in)
    return built_in


def _get(tx: Transaction, rule_id: str) -> Rule:
    rule = tx.rules.get(validate.text(rule_id, "rule id"))
    if rule is not None and rule.scope == OFF:
        raise NotFoundError(
            f"the built-in rule {rule.id} is disabled", f"`ghost rule reset {rule.id}` restores it"
        )
    if rule is None:
        raise NotFoundError(
            f"rule not found: {validate.shown(rule_id)}", "`ghost rule list` shows them"
        )
    return rule


def _name(value: str) -> str:
    if not validate.text(value, "rule name").strip():
        raise InvalidInputError("rule name is required", "describe in a few words what it does")
    return validate.label(value, "rule name") or ""


def _hours(value: float | None, what: str) -> float | None:
    hours = validate.number(value, f"{what} in hours")
    if hours is not None and hours < 0:
        raise InvalidInputError(
            f"{what} in hours is {value}, which is before now", "give a number from 0 up"
        )
    return hours


def configured(rule: Rule, settings: Settings) -> Rule:
    """Return a stored rule; an unchanged built-in one follows the settings."""
    if rule.id != IDLE_RULE or rule.created_by != SYSTEM:
        return rule
    return replace(rule, cond_unaccessed_gt_hours=settings.ltm_idle_hours)
