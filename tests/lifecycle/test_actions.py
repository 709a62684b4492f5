"""What an action does to a memory, and which actions are refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ghostmem import InvalidInputError
from ghostmem.lifecycle.actions import changed, check, strategy
from ghostmem.model import Kind, Memory, Rule, Tier

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def memory(**fields: Any) -> Memory:
    """Return a memory."""
    return Memory("01", "a", "k", "text", Kind.EPISODIC, 1, NOW - timedelta(days=5), **fields)


def rule(op: str, **params: Any) -> Rule:
    """Return a rule with an action."""
    return Rule("r", "r", op, NOW, action_params=params)


@pytest.mark.parametrize("op", ["PROMOTE", "DEMOTE"])
@pytest.mark.parametrize("tier", list(Tier))
def test_a_move_changes_the_tier_alone(op: str, tier: Tier) -> None:
    """PROMOTE and DEMOTE go to the tier they name, and a memory that is there already does not change."""
    start = Tier.STM if tier != Tier.STM else Tier.LTM
    assert changed(memory(tier=start), rule(op, to_tier=tier.value), NOW) == {"tier": tier}
    assert changed(memory(tier=tier), rule(op, to_tier=tier.value), NOW) == {}


def test_archive_means_dormant() -> None:
    """What is archived sleeps; what sleeps is not archived again."""
    assert changed(memory(), rule("ARCHIVE"), NOW) == {"tier": Tier.DORMANT}
    assert changed(memory(tier=Tier.DORMANT), rule("ARCHIVE"), NOW) == {}


@pytest.mark.requirement("002-113")
@pytest.mark.parametrize(
    ("importance", "params", "after"),
    [
        (0.8, {}, 0.76),
        (0.8, {"factor": 0.5}, 0.4),
        (0.8, {"factor": 0.5, "min": 0.6}, 0.6),
        (0.11, {}, 0.1045),
        (0.101, {}, 0.1),
        (0.1, {}, None),
        (0.05, {}, None),
        (0.0, {}, None),
        (0.5, {"factor": 1}, None),
        (0.5, {"factor": 0, "min": 0}, 0.0),
        (0.5, {"min": 0.9}, None),
    ],
)
def test_decay_multiplies_and_stops_at_the_floor(
    importance: float, params: dict[str, Any], after: float | None
) -> None:
    """× 0.95 and not below 0.1 unless said otherwise; it never raises, and at the floor nothing changes."""
    found = changed(memory(importance=importance), rule("DECAY", **params), NOW)
    assert found == ({} if after is None else {"importance": pytest.approx(after)})


@pytest.mark.parametrize(
    ("op", "tier", "after"),
    [
        ("PROMOTE", "sensory", "stm"),
        ("PROMOTE", "dormant", "stm"),
        ("PROMOTE", "stm", "ltm"),
        ("PROMOTE", "ltm", None),
        ("DEMOTE", "ltm", "stm"),
        ("DEMOTE", "stm", "dormant"),
        ("DEMOTE", "dormant", None),
    ],
)
def test_without_a_tier_a_memory_moves_by_one(op: str, tier: str, after: str | None) -> None:
    """As `ghost curate` does; at the end there is nothing to do."""
    check(op, {}, None)
    found = changed(memory(tier=Tier(tier)), rule(op), NOW)
    assert found == ({} if after is None else {"tier": Tier(after)})


def test_ttl_is_given_only_to_what_has_none() -> None:
    """An expiry that somebody chose is neither moved nearer nor farther."""
    assert changed(memory(), rule("TTL_SET", ttl="7d"), NOW) == {
        "expires_at": NOW + timedelta(days=7)
    }
    assert (
        changed(memory(expires_at=NOW + timedelta(days=30)), rule("TTL_SET", ttl="7d"), NOW) == {}
    )


def test_pin_pins() -> None:
    """PIN sets pinned, once."""
    assert changed(memory(), rule("PIN"), NOW) == {"pinned": True}
    assert changed(memory(pinned=True), rule("PIN"), NOW) == {}


def test_pinning_takes_an_expiry_away() -> None:
    """What is pinned cannot expire: a put refuses it, so a rule must not bring it about."""
    assert changed(memory(expires_at=NOW + timedelta(days=1)), rule("PIN"), NOW) == {
        "pinned": True,
        "expires_at": None,
    }


def test_delete_is_soft() -> None:
    """DELETE writes the time of the run, which can be taken back."""
    assert changed(memory(), rule("DELETE"), NOW) == {"deleted_at": NOW}


@pytest.mark.parametrize("op", ["LINK", "DEDUP", "MERGE"])
def test_actions_on_groups_change_no_single_memory(op: str) -> None:
    """They belong to the second pass."""
    assert changed(memory(), rule(op), NOW) == {}


@pytest.mark.requirement("002-122")
@pytest.mark.parametrize(
    ("op", "given", "found"),
    [
        ("LINK", None, "link_only"),
        ("DEDUP", None, "dedup"),
        ("MERGE", None, "link_only"),
        ("MERGE", "dedup", "dedup"),
        ("MERGE", "keep_highest_importance", "keep_highest_importance"),
        ("DEDUP", "keep_highest_importance", "keep_highest_importance"),
    ],
)
def test_each_action_has_its_strategy(op: str, given: str | None, found: str) -> None:
    """The default of a merge is the one that loses nothing."""
    assert strategy(rule(op, **({"strategy": given} if given else {}))) == found


@pytest.mark.parametrize(
    ("op", "params", "similarity", "error"),
    [
        ("EXPLODE", {}, None, "invalid action op 'EXPLODE'"),
        ("", {}, None, "invalid action op ''"),
        ("PROMOTE", {"to_tier": ""}, None, "PROMOTE cannot move to the tier ''"),
        ("DEMOTE", {"to_tier": "archived"}, None, "DEMOTE cannot move to the tier 'archived'"),
        ("TTL_SET", {}, None, "ttl '' is not a duration"),
        ("TTL_SET", {"ttl": "soon"}, None, "ttl 'soon' is not a duration"),
        ("TTL_SET", {"ttl": 7}, None, "ttl '7' is not a duration"),
        ("DECAY", {"factor": 1.5}, None, "DECAY's factor 1.5 is out of range"),
        ("DECAY", {"factor": -0.1}, None, "DECAY's factor -0.1 is out of range"),
        ("DECAY", {"factor": "half"}, None, "DECAY's factor 'half' is out of range"),
        ("DECAY", {"factor": True}, None, "DECAY's factor True is out of range"),
        ("DECAY", {"min": 2}, None, "DECAY's min 2 is out of range"),
        ("LINK", {}, None, "LINK needs a similarity"),
        ("DEDUP", {}, None, "DEDUP needs a similarity"),
        ("MERGE", {}, None, "MERGE needs a similarity"),
        ("ARCHIVE", {}, 0.9, "ARCHIVE is not for similar memories"),
        ("MERGE", {"strategy": "average"}, 0.9, "invalid strategy 'average'"),
    ],
)
def test_an_action_that_could_not_be_carried_out_is_refused(
    op: str, params: dict[str, Any], similarity: float | None, error: str
) -> None:
    """The error names the value, and the hint says what to write."""
    with pytest.raises(InvalidInputError) as caught:
        check(op, params, similarity)
    assert caught.value.message == error
    assert caught.value.hint


@pytest.mark.parametrize("params", [{"factor": float("nan")}, {"min": None}, {"factor": [0.5]}])
def test_a_decay_that_is_no_number_is_refused(params: dict[str, Any]) -> None:
    """No value passes here and then breaks every later run."""
    with pytest.raises(InvalidInputError):
        check("DECAY", params, None)


@pytest.mark.parametrize("value", [["dedup"], {"a": 1}, 5])
@pytest.mark.parametrize(
    ("op", "name", "similarity"), [("MERGE", "strategy", 0.9), ("PROMOTE", "to_tier", None)]
)
def test_a_word_that_is_none_is_refused(
    op: str, name: str, similarity: float | None, value: Any
) -> None:
    """Lists, objects and numbers are no strategies and no tiers."""
    with pytest.raises(InvalidInputError):
        check(op, {name: value}, similarity)
