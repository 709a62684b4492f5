"""Rules as data: the eight built-in ones, rules of a user's own, changing, switching off and bringing back."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.lifecycle.rules import BUILT_IN

SPECIFIED = {
    "sys-promote-sensory": (
        {"tier": "sensory", "age_gt_hours": 1, "access_gt": 1},
        "PROMOTE",
        {"to_tier": "stm"},
    ),
    "sys-decay-sensory": ({"tier": "sensory", "age_gt_hours": 4}, "DELETE", {}),
    "sys-decay-unaccessed": (
        {"tier": "stm", "age_gt_hours": 48, "access_lt": 10},
        "DECAY",
        {"factor": 0.95, "min": 0.1},
    ),
    "sys-promote-to-ltm": (
        {"tier": "stm", "age_gt_hours": 72, "access_gt": 50},
        "PROMOTE",
        {"to_tier": "ltm"},
    ),
    "sys-demote-stale-ltm": (
        {"tier": "ltm", "unaccessed_gt_hours": 8760},
        "DEMOTE",
        {"to_tier": "dormant"},
    ),
    "sys-prune-low-utility": (
        {"access_gt": 20, "utility_lt": 0.05},
        "DEMOTE",
        {"to_tier": "dormant"},
    ),
    "sys-merge-similar": ({"tier": "stm", "similarity_gt": 0.9}, "LINK", {"strategy": "link_only"}),
    "sys-dedup-all": ({"similarity_gt": 0.92}, "DEDUP", {"strategy": "dedup"}),
}


def conditions(rule: Any) -> dict[str, Any]:
    """Return the conditions that a rule sets."""
    return {
        name.removeprefix("cond_"): value
        for name, value in rule.to_dict().items()
        if name.startswith("cond_")
    }


@pytest.mark.requirement("002-119")
def test_every_store_has_the_eight_built_in_rules(ghost: Ghost) -> None:
    """Names, conditions, actions and numbers are the specification's."""
    found = {
        rule.id: (conditions(rule), rule.action_op, dict(rule.action_params))
        for rule in ghost.lifecycle.rules()
    }
    assert found == SPECIFIED
    assert {rule.created_by for rule in ghost.lifecycle.rules()} == {"system"}


@pytest.mark.requirement("002-119")
def test_the_table_holds_what_the_code_says(ghost: Ghost) -> None:
    """The rows that the migration writes are the built-in rules, field by field."""
    assert {rule.id: rule for rule in ghost.lifecycle.rules()} == {
        rule.id: rule for rule in BUILT_IN
    }


@pytest.mark.requirement("002-112", "002-120")
def test_rules_for_sensory_memories_come_first_and_promotion_before_removal(ghost: Ghost) -> None:
    """The most urgent rule saves what was attended, the next removes the rest."""
    assert [rule.id for rule in ghost.lifecycle.rules()][:2] == [
        "sys-promote-sensory",
        "sys-decay-sensory",
    ]
    priorities = [rule.priority for rule in ghost.lifecycle.rules()]
    assert priorities == sorted(priorities, reverse=True)


def test_a_rule_of_ones_own_is_kept_in_full(open_ghost: Callable[..., Ghost], clock: Any) -> None:
    """Every condition and parameter comes back after the store was closed."""
    given = {
        "ns": "agent:me",
        "priority": 77,
        "tier": "stm",
        "kind": "episodic",
        "tag": "chat",
        "age_gt_hours": 1.5,
        "unaccessed_gt_hours": 2.5,
        "importance_lt": 0.25,
        "access_lt": 9,
        "access_gt": 0,
        "utility_lt": 0.125,
    }
    made = open_ghost().lifecycle.set_rule(
        "Alte Plaudereien 💤", "demote", action_params={"to_tier": "dormant"}, **given
    )  # type: ignore[arg-type]
    found = open_ghost().lifecycle.rule(made.id)
    assert found == made
    assert (found.name, found.action_op, found.ns, found.priority) == (
        "Alte Plaudereien 💤",
        "DEMOTE",
        "agent:me",
        77,
    )
    assert found.created_by == "user"
    assert conditions(found) == {
        "tier": "stm",
        "kind": "episodic",
        "tag_includes": "chat",
        "age_gt_hours": 1.5,
        "unaccessed_gt_hours": 2.5,
        "importance_lt": 0.25,
        "access_lt": 9,
        "access_gt": 0,
        "utility_lt": 0.125,
    }


def test_a_rule_about_likeness_is_kept(ghost: Ghost) -> None:
    """Its condition and its strategy come back."""
    made = ghost.lifecycle.set_rule(
        "merge", "MERGE", similarity_gt=0.97, action_params={"strategy": "keep_highest_importance"}
    )
    assert conditions(ghost.lifecycle.rule(made.id)) == {"similarity_gt": 0.97}
    assert dict(ghost.lifecycle.rule(made.id).action_params) == {
        "strategy": "keep_highest_importance"
    }


def test_an_id_puts_a_rule_in_the_place_of_another(ghost: Ghost) -> None:
    """The second rule of an id replaces the first entirely, with no condition left over."""
    ghost.lifecycle.set_rule("one", "ARCHIVE", rule_id="mine", tag="chat", age_gt_hours=5)
    ghost.lifecycle.set_rule("two", "DELETE", rule_id="mine", tier="stm")
    assert [rule.name for rule in ghost.lifecycle.rules() if rule.id == "mine"] == ["two"]
    assert conditions(ghost.lifecycle.rule("mine")) == {"tier": "stm"}


def test_a_changed_built_in_rule_is_the_users(ghost: Ghost) -> None:
    """Its id stays, its numbers are the user's, and reset brings the specification's back."""
    ghost.lifecycle.set_rule(
        "stricter", "DELETE", rule_id="sys-decay-sensory", tier="sensory", age_gt_hours=2
    )
    assert (
        ghost.lifecycle.rule("sys-decay-sensory").created_by,
        ghost.lifecycle.rule("sys-decay-sensory").priority,
    ) == ("user", 50)
    assert len(ghost.lifecycle.rules()) == 8
    ghost.lifecycle.reset_rule("sys-decay-sensory")
    assert {rule.id: rule for rule in ghost.lifecycle.rules()} == {
        rule.id: rule for rule in BUILT_IN
    }


def test_a_deleted_rule_is_gone(ghost: Ghost) -> None:
    """A rule of a user's can be deleted once, and then is not found."""
    ghost.lifecycle.set_rule("mine", "ARCHIVE", rule_id="mine", tag="chat")
    assert ghost.lifecycle.rm_rule("mine").name == "mine"
    assert len(ghost.lifecycle.rules()) == 8
    for act in (ghost.lifecycle.rule, ghost.lifecycle.rm_rule):
        with pytest.raises(NotFoundError, match="rule not found: 'mine'"):
            act("mine")


def test_a_deleted_built_in_rule_stays_off(open_ghost: Callable[..., Ghost]) -> None:
    """It neither shows nor comes back when the store is opened again, until it is reset."""
    open_ghost().lifecycle.rm_rule("sys-dedup-all")
    ghost = open_ghost()
    assert "sys-dedup-all" not in [rule.id for rule in ghost.lifecycle.rules()]
    for act in (ghost.lifecycle.rule, ghost.lifecycle.rm_rule):
        with pytest.raises(NotFoundError, match="sys-dedup-all is disabled") as caught:
            act("sys-dedup-all")
        assert caught.value.hint == "`ghost rule reset sys-dedup-all` restores it"
    ghost.lifecycle.reset_rule("sys-dedup-all")
    assert ghost.lifecycle.rule("sys-dedup-all") in BUILT_IN


def test_only_built_in_rules_can_be_reset(ghost: Ghost) -> None:
    """The error names those there are."""
    with pytest.raises(NotFoundError, match="there is no built-in rule 'nope'") as caught:
        ghost.lifecycle.reset_rule("nope")
    assert "sys-dedup-all" in caught.value.hint


def test_rules_of_a_namespace_are_those_that_count_there(ghost: Ghost) -> None:
    """The ones for everywhere and its own, not another's."""
    for ns in ("a", "b"):
        ghost.lifecycle.set_rule(ns, "ARCHIVE", rule_id=f"for-{ns}", ns=ns, tag="chat")
    assert [rule.id for rule in ghost.lifecycle.rules("a") if rule.created_by == "user"] == [
        "for-a"
    ]
    assert [rule.id for rule in ghost.lifecycle.rules() if rule.created_by == "user"] == [
        "for-a",
        "for-b",
    ]


@pytest.mark.parametrize(
    ("name", "action", "fields", "error"),
    [
        ("", "ARCHIVE", {"tag": "x"}, "rule name is required"),
        ("  ", "ARCHIVE", {"tag": "x"}, "rule name is required"),
        ("r", "VANISH", {"tag": "x"}, "invalid action op 'VANISH'"),
        ("r", "ARCHIVE", {}, "a rule without a condition would apply to everything"),
        ("r", "ARCHIVE", {"tier": "archived"}, "invalid tier 'archived'"),
        ("r", "ARCHIVE", {"kind": "rumour"}, "invalid kind 'rumour'"),
        ("r", "ARCHIVE", {"tag": "x", "ns": "a b"}, "invalid namespace: 'a b'"),
        ("r", "ARCHIVE", {"tag": "x", "ns": "a:*"}, "invalid namespace: 'a:*'"),
        ("r", "ARCHIVE", {"age_gt_hours": -1}, "age in hours is -1, which is before now"),
        ("r", "ARCHIVE", {"age_gt_hours": float("nan")}, "age in hours nan is not a number"),
        (
            "r",
            "ARCHIVE",
            {"unaccessed_gt_hours": float("inf")},
            "unaccessed in hours inf is not a number",
        ),
        ("r", "ARCHIVE", {"importance_lt": 1.5}, "importance 1.5 is out of range"),
        ("r", "ARCHIVE", {"utility_lt": -0.5}, "utility -0.5 is out of range"),
        ("r", "ARCHIVE", {"access_lt": -1}, "access_lt must be at least 0 (got -1)"),
        ("r", "ARCHIVE", {"access_gt": 1.5}, "access_gt must be a whole number, not 1.5"),
        ("r", "DEDUP", {"similarity_gt": 90}, "similarity 90 is out of range"),
        *(
            (
                "r",
                "ARCHIVE",
                {"tag": "x", "priority": priority},
                f"priority {priority} is not a whole number from -1,000,000 to 1,000,000",
            )
            for priority in (True, 10**9)
        ),
        *(
            (
                "r",
                action,
                {"tag": "x", "action_params": params},
                f"{action} has no parameter {name}",
            )
            for action, params, name in (
                ("DECAY", {"factr": 0.1}, "'factr'"),
                ("PROMOTE", {"tier": "ltm"}, "'tier'"),
                ("TTL_SET", {"ttl": "7d", "TTL": "7d"}, "'TTL'"),
                ("ARCHIVE", {"to_tier": "stm"}, "'to_tier'"),
            )
        ),
        (
            "r",
            "ARCHIVE",
            {"tag": "x", "expires_at": "soon"},
            "expires_at 'soon' is not a date or time",
        ),
        ("r", "ARCHIVE", {"tag": "x", "rule_id": "a\nb"}, "invalid rule id: 'a\\nb'"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    ghost: Ghost, name: str, action: str, fields: dict[str, Any], error: str
) -> None:
    """The error names the value, there is a hint, and nothing is stored."""
    with pytest.raises(InvalidInputError) as caught:
        ghost.lifecycle.set_rule(name, action, **fields)
    assert caught.value.message == error
    assert caught.value.hint
    assert len(ghost.lifecycle.rules()) == 8


def test_a_rule_may_end(ghost: Ghost, clock: Any) -> None:
    """Its expiry is kept as a time, given as one or as text."""
    at = clock() + timedelta(days=1)
    for given in (at, at.isoformat()):
        assert (
            ghost.lifecycle.set_rule(
                "r", "ARCHIVE", rule_id="r", tag="x", expires_at=given
            ).rule_expires_at
            == at
        )
    assert ghost.lifecycle.rule("r").rule_expires_at == at


def test_rules_travel_with_an_export(open_ghost: Callable[..., Ghost]) -> None:
    """Own rules, changed built-in ones and switched-off ones are the same in the store that imports them."""
    ghost = open_ghost("one.db")
    ghost.lifecycle.set_rule(
        "mine",
        "TTL_SET",
        rule_id="mine",
        ns="a",
        tag="draft",
        action_params={"ttl": "7d"},
        expires_at="2030-01-01",
    )
    ghost.lifecycle.set_rule(
        "other", "DELETE", rule_id="sys-decay-sensory", tier="sensory", age_gt_hours=2, priority=95
    )
    ghost.lifecycle.rm_rule("sys-merge-similar")
    ghost.put("a", "k", "text")
    other = open_ghost("two.db")
    other.import_(ghost.export(), trust=True)
    assert other.lifecycle.rules() == ghost.lifecycle.rules()
    assert list(other.export()) == list(ghost.export())
