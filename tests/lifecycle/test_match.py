"""Which rule a memory falls under: each condition at its border, the built-in rules with the specification's numbers."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ghostmem.lifecycle.actions import UNKNOWN, UseRecord, first_match, matches
from ghostmem.lifecycle.rules import BUILT_IN
from ghostmem.model import Kind, Memory, Rule, Tier

NOW = datetime(2026, 3, 14, 9, 26, 53, 589793, tzinfo=UTC)
ORDERED = sorted(BUILT_IN, key=lambda rule: (-rule.priority, rule.id))


def memory(age: float = 0, idle: float | None = None, **fields: Any) -> Memory:
    """Return a memory that is so many hours old and was last retrieved so many hours ago."""
    last = None if idle is None else NOW - timedelta(hours=idle)
    given = {"kind": Kind.EPISODIC, "version": 1, "tier": Tier.STM, **fields}
    return Memory(
        *"01 a k text".split(),
        created_at=NOW - timedelta(hours=age),
        last_accessed_at=last,
        **given,
    )


YEAR = 8760  # hours; the specification has 168


def rule(**conditions: Any) -> Rule:
    """Return a rule of a user's with conditions."""
    fields = {"action_op": "ARCHIVE", **conditions}
    return Rule("r", "r", created_at=NOW, **fields)


def falls(found: Memory, use: UseRecord = UNKNOWN) -> str | None:
    """Return the name of the built-in rule a memory falls under."""
    under = first_match(found, ORDERED, use, NOW)
    return None if under is None else under.id


@pytest.mark.requirement("002-108")
@pytest.mark.parametrize(
    ("conditions", "inside", "outside"),
    [
        ({"cond_tier": "ltm"}, {"tier": Tier.LTM}, {"tier": Tier.STM}),
        ({"cond_kind": "procedural"}, {"kind": Kind.PROCEDURAL}, {"kind": Kind.EPISODIC}),
        ({"cond_tag_includes": "chat"}, {"tags": ("x", "chat")}, {"tags": ("chat:1", "chatter")}),
        ({"cond_age_gt_hours": 72}, {"age": 72 + 1e-6}, {"age": 72}),
        (
            {"cond_unaccessed_gt_hours": 168},
            {"age": 500, "idle": 168 + 1e-6},
            {"age": 500, "idle": 168},
        ),
        ({"cond_unaccessed_gt_hours": 168}, {"age": 168 + 1e-6}, {"age": 168}),
        ({"cond_importance_lt": 0.3}, {"importance": 0.2999}, {"importance": 0.3}),
        ({"cond_access_lt": 10}, {"access_count": 9}, {"access_count": 10}),
        ({"cond_access_gt": 50}, {"access_count": 51}, {"access_count": 50}),
        (
            {"cond_utility_lt": 0.05},
            {"access_count": 21, "utility_count": 1},
            {"access_count": 20, "utility_count": 1},
        ),
    ],
)
def test_a_condition_holds_beyond_its_border_and_not_on_it(
    conditions: dict[str, Any], inside: dict[str, Any], outside: dict[str, Any]
) -> None:
    """Each comparison is strict, as the specification writes it."""
    assert matches(memory(**inside), rule(**conditions), UNKNOWN, NOW)
    assert not matches(memory(**outside), rule(**conditions), UNKNOWN, NOW)


@pytest.mark.requirement("002-108")
def test_every_condition_that_is_set_must_hold() -> None:
    """Conditions are joined by and: one that fails is enough for no."""
    both = rule(cond_tier="stm", cond_tag_includes="chat", cond_age_gt_hours=5)
    assert matches(memory(age=6, tags=("chat",)), both, UNKNOWN, NOW)
    assert not matches(memory(age=6), both, UNKNOWN, NOW)
    assert not matches(memory(age=4, tags=("chat",)), both, UNKNOWN, NOW)
    assert not matches(memory(age=6, tags=("chat",), tier=Tier.LTM), both, UNKNOWN, NOW)


def test_a_condition_of_zero_is_a_condition() -> None:
    """`access_gt 0` asks for one retrieval, and is not the same as no condition."""
    assert not matches(memory(), rule(cond_access_gt=0), UNKNOWN, NOW)
    assert matches(memory(access_count=1), rule(cond_access_gt=0), UNKNOWN, NOW)
    assert not matches(memory(), rule(cond_access_lt=0), UNKNOWN, NOW)


@pytest.mark.parametrize("counts", [{"access_count": 100}, {"utility_count": 1}, {}])
def test_a_memory_nobody_judged_is_not_of_little_use(counts: dict[str, int]) -> None:
    """The ratio needs a retrieval and at least one word that it helped."""
    assert not matches(memory(**counts), rule(cond_utility_lt=1.0), UNKNOWN, NOW)


def test_a_memory_from_the_future_has_no_age() -> None:
    """A clock that was set back makes nothing old."""
    ahead = memory(age=-100)
    assert not matches(ahead, rule(cond_age_gt_hours=0), UNKNOWN, NOW)
    assert not matches(ahead, rule(cond_unaccessed_gt_hours=0), UNKNOWN, NOW)
    assert falls(ahead) is None


def test_an_expired_rule_holds_for_nothing() -> None:
    """A rule ends at its expiry, not after it."""
    assert matches(
        memory(),
        rule(cond_tier="stm", rule_expires_at=NOW + timedelta(microseconds=1)),
        UNKNOWN,
        NOW,
    )
    assert not matches(memory(), rule(cond_tier="stm", rule_expires_at=NOW), UNKNOWN, NOW)


def test_a_rule_of_a_namespace_holds_only_there() -> None:
    """The name must be the same, not only begin so."""
    assert matches(memory(), rule(cond_tier="stm", ns="a"), UNKNOWN, NOW)
    for other in ("b", "a:b"):
        assert not matches(memory(), rule(cond_tier="stm", ns=other), UNKNOWN, NOW)


@pytest.mark.requirement("002-121")
def test_a_rule_about_likeness_is_not_for_single_memories() -> None:
    """The first pass passes it over, whatever its priority."""
    alike = rule(cond_tier="stm", cond_similarity_gt=0.5, action_op="DEDUP", priority=99)
    assert first_match(memory(), [alike], UNKNOWN, NOW) is None


def test_the_first_rule_in_the_order_given_wins() -> None:
    """Only one rule is returned, and later ones do not matter."""
    one, two = rule(cond_tier="stm"), rule(cond_tier="stm", action_op="DELETE")
    assert first_match(memory(), [one, two], UNKNOWN, NOW) is one
    assert first_match(memory(), [two, one], UNKNOWN, NOW) is two


SENSORY = {"tier": Tier.SENSORY}
LTM = {"tier": Tier.LTM}


@pytest.mark.requirement("002-110", "002-111")
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({**SENSORY, "age": 1, "access_count": 2}, None),
        ({**SENSORY, "age": 1.001, "access_count": 1}, None),
        ({**SENSORY, "age": 1.001, "access_count": 2}, "sys-promote-sensory"),
        ({**SENSORY, "age": 4, "access_count": 0}, None),
        ({**SENSORY, "age": 4.001, "access_count": 0}, "sys-decay-sensory"),
        ({**SENSORY, "age": 4.001, "access_count": 1}, "sys-decay-sensory"),
        ({**SENSORY, "age": 4.001, "access_count": 2}, "sys-promote-sensory"),
        ({**SENSORY, "age": 10_000, "access_count": 2}, "sys-promote-sensory"),
        ({**SENSORY, "age": 2, "access_count": 30, "utility_count": 1}, "sys-promote-sensory"),
        ({"age": 1, "access_count": 20, "utility_count": 1}, None),
        ({"age": 1, "access_count": 21, "utility_count": 1}, "sys-prune-low-utility"),
        ({"age": 1, "access_count": 21, "utility_count": 2}, None),
        ({"age": 1, "access_count": 40, "utility_count": 2}, None),
        ({"age": 1, "access_count": 41, "utility_count": 2}, "sys-prune-low-utility"),
        ({"age": 1, "access_count": 500, "utility_count": 0}, None),
        ({"age": 100, "access_count": 60, "utility_count": 1}, "sys-prune-low-utility"),
        ({"age": 72, "access_count": 51}, None),
        ({"age": 72.001, "access_count": 50}, None),
        ({"age": 72.001, "access_count": 51}, "sys-promote-to-ltm"),
        ({**LTM, "age": 9000, "access_count": 60, "idle": YEAR}, None),
        ({**LTM, "age": 9000, "access_count": 60, "idle": YEAR + 0.001}, "sys-demote-stale-ltm"),
        ({**LTM, "age": YEAR + 0.001}, "sys-demote-stale-ltm"),
        ({**LTM, "age": YEAR}, None),
        ({"age": 48, "access_count": 0}, None),
        ({"age": 48.001, "access_count": 9}, "sys-decay-unaccessed"),
        ({"age": 48.001, "access_count": 10}, None),
        ({**LTM, "age": 48.001, "access_count": 9}, None),
        ({"tier": Tier.DORMANT, "age": 10_000}, None),
    ],
)
def test_the_built_in_rules_have_the_numbers_of_the_specification(
    fields: dict[str, Any], name: str | None
) -> None:
    """Each rule begins to hold right behind its numbers, and of two that hold the more urgent one wins."""
    assert falls(memory(**fields)) == name


@pytest.mark.requirement("002-114")
@pytest.mark.parametrize(
    ("days", "name"), [(0, None), (2, None), (3, "sys-promote-to-ltm"), (30, "sys-promote-to-ltm")]
)
def test_promotion_needs_three_days_of_use_where_use_is_known(days: int, name: str | None) -> None:
    """A memory that is in the log and was only shown, or used on two days, stays where it is."""
    assert falls(memory(age=100, access_count=60), UseRecord(logged=True, days=days)) == name


@pytest.mark.parametrize(
    ("age", "days", "name"),
    [
        (72, 1, "sys-prune-low-utility"),
        (72, 0, "sys-prune-low-utility"),
        (72, 2, None),
        (71.99, 0, None),
        (500, 2, None),
    ],
)
def test_pruning_spares_what_is_used_on_two_days_or_is_young(
    age: float, days: int, name: str | None
) -> None:
    """Where use is known, two days of it or an age below 72 hours outweigh a low share."""
    assert (
        falls(memory(age=age, access_count=30, utility_count=1), UseRecord(logged=True, days=days))
        == name
    )


@pytest.mark.parametrize(
    ("shown", "name"),
    [(5, "sys-prune-low-utility"), (9, "sys-prune-low-utility"), (10, None), (30, None)],
)
def test_being_shown_is_not_held_against_a_memory(shown: int, name: str | None) -> None:
    """Only retrievals that were real use count for the share of those that helped."""
    seen = UseRecord(logged=True, days=1, shown=shown)
    assert falls(memory(age=72, access_count=30, utility_count=1), seen) == name


def test_a_spared_memory_falls_under_the_next_rule() -> None:
    """What the log saves from pruning is judged by the rules below it."""
    spared = memory(age=500, access_count=200, utility_count=5)
    assert falls(spared) == "sys-prune-low-utility"
    assert falls(spared, UseRecord(logged=True, days=3)) == "sys-promote-to-ltm"


@pytest.mark.parametrize(
    ("utility", "hours"),
    [(0, YEAR), (1, YEAR * 1.2), (5, YEAR * 2), (15, YEAR * 4), (16, YEAR * 4), (500, YEAR * 4)],
)
def test_what_helped_may_lie_idle_for_longer(utility: int, hours: float) -> None:
    """The stale threshold grows by a fifth for each time a memory helped, up to four times."""
    seen = UseRecord(logged=True, days=1)
    for idle, name in ((hours, None), (hours + 0.001, "sys-demote-stale-ltm")):
        assert (
            falls(
                memory(age=50_000, tier=Tier.LTM, utility_count=utility, access_count=5, idle=idle),
                seen,
            )
            == name
        )


def test_without_a_log_utility_stretches_nothing() -> None:
    """For an imported memory the hours alone decide."""
    found = memory(age=9000, tier=Tier.LTM, utility_count=15, access_count=20, idle=YEAR + 0.001)
    assert falls(found) == "sys-demote-stale-ltm"


def test_the_log_speaks_only_to_built_in_rules() -> None:
    """A rule of a user's does what it says: no days of use, no ease."""
    never = UseRecord(logged=True, days=0)
    up = rule(cond_access_gt=1, action_op="PROMOTE", action_params={"to_tier": "ltm"})
    down = rule(cond_utility_lt=0.5, action_op="DEMOTE", action_params={"to_tier": "dormant"})
    stale = rule(cond_unaccessed_gt_hours=168)
    assert matches(memory(access_count=2), up, never, NOW)
    assert matches(
        memory(age=1, access_count=9, utility_count=1), down, UseRecord(logged=True, days=9), NOW
    )
    assert matches(memory(age=500, idle=169, utility_count=50), stale, never, NOW)
