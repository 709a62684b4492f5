"""reflect: every built-in rule, condition and action on the clock, who is exempt, and what the report says."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.errors import InvalidInputError, ReadOnlyStoreError

if TYPE_CHECKING:
    from conftest import Life
    from ghostmem.model import Report

Open = Callable[..., "Life"]
Told = Callable[["Report"], list[tuple[str, str, str]]]
COUNTS = (
    "rules_applied decayed promoted demoted archived deleted merged deduplicated linked pinned expiring edges_decayed"
    " edges_pruned relinked".split()
)


YEAR = 8760  # hours


def counted(report: "Report") -> dict[str, int]:
    """Return the counters that are not zero."""
    return {name: getattr(report, name) for name in COUNTS if getattr(report, name)}


# --- the built-in rules


@pytest.mark.requirement("002-110")
def test_an_attended_sensory_memory_becomes_short_term(life: "Life", told: Told) -> None:
    """Older than an hour and retrieved more than once: promoted, and otherwise as it was."""
    before = life.put("seen", tier="sensory", age=2, access=2)
    report = life.reflect()
    assert told(report) == [("seen", "PROMOTE", "sys-promote-sensory")]
    assert counted(report) == {"rules_applied": 1, "promoted": 1}
    after = life.row("seen")
    assert after.tier == "stm"
    assert (after.id, after.version, after.content, after.importance) == (
        before.id,
        1,
        before.content,
        before.importance,
    )


@pytest.mark.requirement("002-112")
def test_an_attended_sensory_memory_is_saved_however_late_reflect_comes(life: "Life") -> None:
    """Promotion outranks removal, also after days."""
    life.put("seen", tier="sensory", age=500, access=2)
    life.reflect()
    assert life.tier("seen") == "stm"


@pytest.mark.requirement("002-111")
def test_an_unattended_sensory_memory_is_removed_and_can_be_restored(
    life: "Life", told: Told
) -> None:
    """After four hours it is gone from every read, softly."""
    life.put("glance", "The build took 41 seconds.", tier="sensory", age=5, access=1)
    report = life.reflect()
    assert told(report) == [("glance", "DELETE", "sys-decay-sensory")]
    assert counted(report) == {"rules_applied": 1, "deleted": 1}
    assert life.ghost.list("agent:me") == []
    assert list(life.ghost.search("build seconds", "agent:me", include_all=True)) == []
    assert life.ghost.restore("agent:me", "glance").content == "The build took 41 seconds."


@pytest.mark.requirement("002-113")
@pytest.mark.parametrize(
    ("importance", "after"), [(0.8, 0.76), (0.5, 0.475), (0.102, 0.1), (0.1, 0.1), (0.04, 0.04)]
)
def test_an_unaccessed_memory_loses_importance(
    life: "Life", importance: float, after: float
) -> None:
    """× 0.95 a run, not below 0.1; at the floor it is no change and not counted."""
    life.put("quiet", age=49, access=9, importance=importance)
    report = life.reflect()
    assert life.row("quiet").importance == pytest.approx(after)
    assert counted(report) == ({"rules_applied": 1, "decayed": 1} if after < importance else {})


@pytest.mark.requirement("002-114")
def test_a_memory_used_on_three_days_is_promoted(life: "Life", told: Told) -> None:
    """More than 50 retrievals, older than 72 hours, really used on three days: long-term."""
    life.put("good", age=96, access=55, used=(1, 2, 3))
    life.put("shown", age=96, access=55, shown=(0, 1, 2, 3))
    life.put("twice", age=96, access=55, used=(1, 2), shown=(3,))
    life.put("imported", age=96, access=55)
    assert told(life.reflect()) == [
        ("good", "PROMOTE", "sys-promote-to-ltm"),
        ("imported", "PROMOTE", "sys-promote-to-ltm"),
    ]
    assert [
        life.tier(key) for key in ("good", "shown", "twice", "imported")
    ] == "ltm stm stm ltm".split()


def test_a_real_history_of_use_and_exposure_decides(life: "Life", clock: Any) -> None:
    """Sixty gets on four days promote; sixty contexts on four days do not."""
    life.put("used", "The harbour ferry departs at nine.")
    life.put("shown", "The airport bus departs at ten.")
    for _ in range(4):
        for _ in range(15):
            life.ghost.get("agent:me", "used")
            life.ghost.context("airport bus", "agent:me", exclude_pinned=True)
        clock.forward(days=1)
    assert life.row("shown").access_count > 50
    life.reflect()
    assert (life.tier("used"), life.tier("shown")) == ("ltm", "stm")


@pytest.mark.requirement("002-115")
def test_the_specified_week_can_be_restored(life: "Life") -> None:
    """By the command that the decision record names."""
    life.put("stale", tier="ltm", age=900, access=60, idle=169)
    life.reflect()
    assert life.tier("stale") == "ltm"
    life.ghost.lifecycle.set_rule(
        "stale",
        "DEMOTE",
        rule_id="sys-demote-stale-ltm",
        tier="ltm",
        unaccessed_gt_hours=168,
        action_params={"to_tier": "dormant"},
    )
    life.reflect()
    assert life.tier("stale") == "dormant"


def test_what_is_read_through_context_is_promoted_by_its_outcome(life: "Life", clock: Any) -> None:
    """Being shown promotes nothing; on three days of which somebody says that it helped, it does."""
    ghost = life.ghost
    for key, text in (("shown", "The ferry leaves pier nine."), ("helped", "The ferry is blue.")):
        ghost.put("agent:me", key, text)
    for day in range(4):
        clock.forward(days=1)
        for _ in range(15):
            ghost.context("ferry", "agent:me", budget=200)
        if day:
            ghost.used("agent:me", ["helped"])
    assert all(memory.access_count > 50 for memory in ghost.list("agent:me"))
    life.reflect()
    assert (life.tier("helped"), life.tier("shown")) == ("ltm", "stm")


@pytest.mark.requirement("002-115")
def test_a_stale_long_term_memory_goes_to_sleep(life: "Life", told: Told) -> None:
    """Not retrieved for a year: dormant; never retrieved counts from its making."""
    life.put("stale", tier="ltm", age=9000, access=60, idle=YEAR + 1)
    life.put("fresh", tier="ltm", age=9000, access=60, idle=YEAR - 1)
    life.put("never", tier="ltm", age=YEAR + 1)
    report = life.reflect()
    assert told(report) == [
        ("never", "DEMOTE", "sys-demote-stale-ltm"),
        ("stale", "DEMOTE", "sys-demote-stale-ltm"),
    ]
    assert counted(report) == {"rules_applied": 2, "demoted": 2}
    assert [life.tier(key) for key in ("stale", "fresh", "never")] == ["dormant", "ltm", "dormant"]


@pytest.mark.requirement("002-115")
def test_what_helped_stays_awake_for_longer(life: "Life") -> None:
    """Five times helpful doubles the time, twenty times makes it four times as long."""
    old = {"tier": "ltm", "age": 50_000}
    life.put("five", **old, access=9, utility=5, idle=YEAR * 2 - 1, used=(730,))
    life.put("five-late", **old, access=9, utility=5, idle=YEAR * 2 + 1, used=(731,))
    life.put("twenty", **old, access=30, utility=20, idle=YEAR * 4 - 1, used=(1460,))
    life.put("twenty-late", **old, access=30, utility=20, idle=YEAR * 4 + 1, used=(1461,))
    life.put("no-log", **old, access=30, utility=20, idle=YEAR + 1)
    life.reflect()
    found = {
        key: life.tier(key) for key in ("five", "five-late", "twenty", "twenty-late", "no-log")
    }
    assert found == {
        "five": "ltm",
        "five-late": "dormant",
        "twenty": "ltm",
        "twenty-late": "dormant",
        "no-log": "dormant",
    }


@pytest.mark.requirement("002-116")
def test_what_hardly_ever_helped_goes_to_sleep(life: "Life", told: Told) -> None:
    """Retrieved 25 times and helpful once: dormant, from any tier; without any word of help it is not judged."""
    life.put("useless", age=100, access=25, utility=1)
    life.put("useless-ltm", tier="ltm", age=100, access=25, utility=1, idle=1)
    life.put("unjudged", age=1, access=25)
    assert told(life.reflect()) == [
        ("useless", "DEMOTE", "sys-prune-low-utility"),
        ("useless-ltm", "DEMOTE", "sys-prune-low-utility"),
    ]


@pytest.mark.requirement("002-116")
def test_pruning_spares_the_young_and_the_used(life: "Life") -> None:
    """Where the log knows a memory: one younger than 72 hours, or used on two days, is not pruned."""
    life.put("young", age=71, access=25, utility=1, shown=(0,))
    life.put("used", age=500, access=25, utility=1, used=(1, 2))
    life.put("once", age=500, access=25, utility=1, used=(1,), shown=(2, 3))
    life.reflect()
    assert [life.tier(key) for key in ("young", "used", "once")] == ["stm", "stm", "dormant"]


@pytest.mark.requirement("002-120")
def test_the_first_rule_by_priority_is_the_only_one_applied(life: "Life", told: Told) -> None:
    """A memory that two rules hold for is changed by one."""
    life.put("both", age=100, access=5, utility=0, importance=0.8, tags=["chat"])
    life.ghost.lifecycle.set_rule("chat sleeps", "ARCHIVE", rule_id="chat", tag="chat", priority=11)
    assert told(life.reflect()) == [("both", "ARCHIVE", "chat")]
    assert life.row("both").importance == 0.8


# --- rules of one's own


@pytest.mark.parametrize(
    ("fields", "hit", "miss"),
    [
        ({"tier": "ltm"}, {"tier": "ltm"}, {"tier": "stm"}),
        ({"kind": "procedural"}, {"kind": "procedural"}, {"kind": "semantic"}),
        ({"tag": "chat"}, {"tags": ["chat", "x"]}, {"tags": ["chats"]}),
        ({"age_gt_hours": 10}, {"age": 10.1}, {"age": 9.9}),
        ({"unaccessed_gt_hours": 10}, {"age": 40, "idle": 10.1}, {"age": 40, "idle": 9.9}),
        ({"importance_lt": 0.3}, {"importance": 0.29}, {"importance": 0.3}),
        ({"access_lt": 3}, {"access": 2}, {"access": 3}),
        ({"access_gt": 3}, {"access": 4}, {"access": 3}),
        ({"utility_lt": 0.5}, {"access": 3, "utility": 1}, {"access": 2, "utility": 1}),
    ],
)
def test_each_condition_of_an_own_rule_counts(
    life: "Life", told: Told, fields: dict[str, Any], hit: dict[str, Any], miss: dict[str, Any]
) -> None:
    """The rule takes the memory inside its condition and leaves the one outside."""
    life.ghost.lifecycle.set_rule("sleep", "ARCHIVE", rule_id="sleep", priority=99, **fields)
    life.put("hit", **hit)
    life.put("miss", **miss)
    assert ("hit", "ARCHIVE", "sleep") in told(life.reflect())
    assert (life.tier("hit"), life.tier("miss") == "dormant") == ("dormant", False)


@pytest.mark.requirement("002-108")
@pytest.mark.parametrize(
    ("op", "params", "counter", "field", "value"),
    [
        ("PROMOTE", {"to_tier": "ltm"}, "promoted", "tier", "ltm"),
        ("DEMOTE", {"to_tier": "sensory"}, "demoted", "tier", "sensory"),
        ("DECAY", {"factor": 0.5}, "decayed", "importance", 0.25),
        ("ARCHIVE", {}, "archived", "tier", "dormant"),
        ("PIN", {}, "pinned", "pinned", True),
    ],
)
def test_each_action_does_its_one_thing(
    life: "Life", op: str, params: dict[str, Any], counter: str, field: str, value: Any
) -> None:
    """One field changes, one counter counts, and the memory stays the same version."""
    life.ghost.lifecycle.set_rule("r", op, rule_id="r", tag="x", action_params=params)
    before = life.put("k", tags=["x"])
    report = life.reflect()
    assert counted(report) == {"rules_applied": 1, counter: 1}
    (change,) = report.changes
    assert (change.key, change.op, change.rule, change.after) == ("k", op, "r", {field: value})
    assert getattr(life.row("k"), field) == value
    assert (life.row("k").version, life.row("k").id) == (1, before.id)


def test_ttl_set_gives_an_expiry_that_hides_at_its_time(life: "Life", clock: Any) -> None:
    """A draft is readable until then, is not afterwards, and a chosen expiry is not moved."""
    life.ghost.lifecycle.set_rule(
        "drafts", "TTL_SET", rule_id="drafts", tag="draft", action_params={"ttl": "7d"}
    )
    life.put("draft", tags=["draft"])
    life.put("chosen", tags=["draft"], ttl="1h")
    chosen = life.row("chosen").expires_at
    report = life.reflect()
    assert counted(report) == {"rules_applied": 1, "expiring": 1}
    assert life.row("draft").expires_at == report.at + timedelta(days=7)
    assert life.row("chosen").expires_at == chosen
    clock.forward(days=6)
    assert [memory.key for memory in life.ghost.list("agent:me")] == ["draft"]
    clock.forward(days=1, minutes=1)
    assert life.ghost.list("agent:me") == []


def test_delete_of_an_own_rule_is_soft(life: "Life") -> None:
    """It can be restored, and counts as deleted."""
    life.ghost.lifecycle.set_rule("r", "DELETE", tag="x")
    life.put("k", "Some text.", tags=["x"])
    assert counted(life.reflect()) == {"rules_applied": 1, "deleted": 1}
    assert life.ghost.restore("agent:me", "k").content == "Some text."


def test_a_pin_by_rule_protects_from_the_next_run(life: "Life") -> None:
    """From then on the memory is exempt."""
    life.ghost.lifecycle.set_rule("r", "PIN", tag="x")
    life.put("k", tags=["x"], age=500, importance=0.9)
    life.reflect()
    assert life.row("k").pinned
    assert life.reflect().changes == ()


def test_a_pin_by_rule_leaves_no_expiry_behind(life: "Life", clock: Any) -> None:
    """What a rule pins does not vanish at the hour that was set for it before."""
    life.ghost.lifecycle.set_rule("r", "PIN", tag="x")
    life.put("k", tags=["x"], ttl="1h")
    life.reflect()
    clock.forward(hours=2)
    assert [memory.key for memory in life.ghost.list("agent:me")] == ["k"]


def test_a_rule_of_another_namespace_does_nothing_here(life: "Life", told: Told) -> None:
    """Also when both are reflected on at once, and when its namespace does not exist."""
    life.ghost.lifecycle.set_rule("there", "DELETE", rule_id="there", ns="agent:you", tag="x")
    life.ghost.lifecycle.set_rule(
        "nowhere", "DELETE", rule_id="nowhere", ns="agent:nobody", tag="x"
    )
    life.put("k", tags=["x"])
    life.put("k", tags=["x"], ns="agent:you")
    report = life.reflect(None)
    assert [(change.ns, change.key, change.rule) for change in report.changes] == [
        ("agent:you", "k", "there")
    ]


def test_an_expired_rule_does_nothing(life: "Life", clock: Any) -> None:
    """It acts before its time and not after it."""
    life.ghost.lifecycle.set_rule("r", "ARCHIVE", tag="x", expires_at=clock() + timedelta(hours=1))
    life.put("early", tags=["x"])
    life.reflect()
    clock.forward(hours=1)
    life.put("late", tags=["x"])
    life.reflect()
    assert (life.tier("early"), life.tier("late")) == ("dormant", "stm")


@pytest.mark.requirement("002-120")
def test_an_own_rule_can_outrank_a_built_in_one(life: "Life", told: Told) -> None:
    """With a higher priority it takes what the built-in rule would have removed."""
    life.ghost.lifecycle.set_rule(
        "keep",
        "PROMOTE",
        rule_id="keep",
        tier="sensory",
        tag="x",
        priority=97,
        action_params={"to_tier": "stm"},
    )
    life.put("mine", tier="sensory", age=5, tags=["x"])
    life.put("other", tier="sensory", age=5)
    assert told(life.reflect()) == [
        ("mine", "PROMOTE", "keep"),
        ("other", "DELETE", "sys-decay-sensory"),
    ]


def test_an_own_rule_that_changes_nothing_still_shields(life: "Life") -> None:
    """The first match wins even when the memory is already as the rule wants it, and nothing is counted."""
    life.ghost.lifecycle.set_rule(
        "stay", "PROMOTE", tag="x", priority=97, action_params={"to_tier": "stm"}
    )
    life.put("k", age=500, importance=0.8, tags=["x"])
    report = life.reflect()
    assert (report.changes, counted(report), report.memories_evaluated) == ((), {}, 1)


def test_equal_priorities_go_by_id(life: "Life", told: Told) -> None:
    """Which of two rules wins does not depend on which was made first."""
    life.ghost.lifecycle.set_rule("second", "DELETE", rule_id="b", tag="x", priority=60)
    life.ghost.lifecycle.set_rule("first", "ARCHIVE", rule_id="a", tag="x", priority=60)
    life.put("k", tags=["x"])
    assert told(life.reflect()) == [("k", "ARCHIVE", "a")]


def test_a_built_in_rule_can_be_changed_switched_off_and_brought_back(life: "Life") -> None:
    """The next run goes by what the rule is then."""
    life.put("k", tier="sensory", age=3)
    life.ghost.lifecycle.set_rule(
        "faster", "DELETE", rule_id="sys-decay-sensory", tier="sensory", age_gt_hours=2
    )
    assert life.reflect(dry_run=True).deleted == 1
    life.ghost.lifecycle.rm_rule("sys-decay-sensory")
    assert life.reflect(dry_run=True).deleted == 0
    life.ghost.lifecycle.reset_rule("sys-decay-sensory")
    assert life.reflect(dry_run=True).deleted == 0
    life.put("k", tier="sensory", age=5)
    assert life.reflect(dry_run=True).deleted == 1


# --- who is exempt


@pytest.mark.requirement("002-109")
@pytest.mark.parametrize("guard", [{"pinned": True}, {"tags": ["locked", "x"]}])
@pytest.mark.parametrize(
    "fields",
    [
        {"tier": "sensory", "age": 500},
        {"tier": "sensory", "age": 2, "access": 9},
        {"age": 500, "importance": 0.9},
        {"age": 500, "access": 60},
        {"age": 500, "access": 60, "utility": 1},
        {"tier": "ltm", "age": 500},
    ],
)
def test_no_rule_touches_what_is_pinned_or_locked(
    life: "Life", guard: dict[str, Any], fields: dict[str, Any]
) -> None:
    """It is looked at and counted as such, and its row stays the same to the byte."""
    life.put("kept", **{**guard, **fields})
    for number, (op, params) in enumerate(
        {"DELETE": {}, "TTL_SET": {"ttl": "1h"}, "DECAY": {"factor": 0.1, "min": 0}}.items()
    ):
        life.ghost.lifecycle.set_rule(
            op, op, tier=fields.get("tier", "stm"), priority=200 + number, action_params=params
        )
    before = life.export()
    report = life.reflect()
    assert (report.changes, report.memories_evaluated, counted(report)) == ((), 1, {})
    assert life.export() == before


def test_gc_spares_what_is_pinned_or_locked(life: "Life", clock: Any) -> None:
    """Stale or not, it stays."""
    life.put("pinned", pinned=True)
    life.put("locked", tags=["locked"])
    life.put("plain")
    clock.forward(days=365)
    assert life.ghost.lifecycle.gc(stale="30d").stale == 1
    assert [life.tier(key) for key in ("pinned", "locked", "plain")] == ["stm", "stm", "gone"]


# --- namespaces


def test_without_a_namespace_each_is_processed_in_turn(life: "Life") -> None:
    """All are looked at, in order, each change names its own."""
    for ns in ("b", "a", "a:x"):
        life.put("k", ns=ns, tier="sensory", age=5)
    report = life.reflect(None)
    assert [(change.ns, change.key) for change in report.changes] == [
        ("a", "k"),
        ("a:x", "k"),
        ("b", "k"),
    ]
    assert report.memories_evaluated == 3


@pytest.mark.parametrize(
    ("scope", "found"),
    [("a", ["a"]), ("a:*", ["a:x"]), ("a*", ["a", "a:x"]), ("*", ["a", "a:x", "b"])],
)
def test_a_scope_limits_what_is_touched(life: "Life", scope: str, found: list[str]) -> None:
    """A namespace is that one alone, a prefix all that begin so."""
    for ns in ("b", "a", "a:x"):
        life.put("k", ns=ns, tier="sensory", age=5)
    assert [change.ns for change in life.reflect(scope).changes] == found


def test_a_namespace_that_is_not_there_is_no_error(life: "Life") -> None:
    """Nothing is looked at, nothing changes, and nothing is created."""
    life.put("k", age=500)
    report = life.reflect("agent:nobody")
    assert (report.memories_evaluated, report.changes) == (0, ())
    assert [space.ns for space in life.ghost.admin.namespaces()] == ["agent:me"]


def test_an_empty_store_can_be_reflected_on(life: "Life") -> None:
    """Nothing to look at is no error."""
    assert life.reflect(None).memories_evaluated == 0


def test_a_filter_that_is_none_is_refused(life: "Life") -> None:
    """A star in the middle says nothing."""
    with pytest.raises(InvalidInputError, match="invalid namespace filter"):
        life.reflect("a*b")


# --- what is not there


def test_removed_and_expired_memories_are_not_looked_at(life: "Life", clock: Any) -> None:
    """Neither are earlier versions."""
    life.put("removed", age=500)
    life.ghost.rm("agent:me", "removed")
    life.put("expired", age=500, ttl="1h")
    life.put("twice", "One.", age=500)
    life.put("twice", "Two.", age=500)
    clock.forward(hours=2)
    report = life.reflect()
    assert (report.memories_evaluated, [change.key for change in report.changes]) == (1, ["twice"])


def test_a_memory_from_the_future_is_left_alone(life: "Life") -> None:
    """A clock that went back removes nothing."""
    life.put("ahead", tier="sensory", age=-48, access=5)
    assert life.reflect().changes == ()


# --- the report


@pytest.mark.requirement("002-170")
def test_the_report_has_the_counters_of_the_specification(life: "Life") -> None:
    """All are there in its plain form, zero or not; lists only when they have something."""
    found = life.reflect().to_dict()
    assert {
        name: value for name, value in found.items() if name not in ("run", "at")
    } == dict.fromkeys((*COUNTS, "memories_evaluated"), 0) | {"dry_run": False, "resumed": False}
    assert found["run"]


def test_a_change_says_what_was_before_and_after(life: "Life") -> None:
    """In plain values, with the rule's name."""
    life.put("quiet", age=49, importance=0.8)
    (change,) = life.reflect().changes
    assert change.to_dict() == {
        "ns": "agent:me",
        "key": "quiet",
        "op": "DECAY",
        "rule": "sys-decay-unaccessed",
        "before": {"importance": 0.8},
        "after": {"importance": pytest.approx(0.76)},
    }


def test_a_dry_run_says_exactly_what_a_run_does_and_changes_nothing(
    open_life: Open, clock: Any
) -> None:
    """Memory by memory with the rule's name, every counter; the store keeps its bytes, and no run is on record."""
    life = open_life("m.db")
    life.put("glance", tier="sensory", age=5)
    life.put("quiet", age=49)
    life.put("good", age=100, access=60, used=(1, 2, 3))
    life.put("stale", tier="ltm", age=9000)
    life.put("there", ns="agent:you", age=49)
    life.edge("quiet", "good", age=31)
    still = open_life("m.db", at=lambda: clock.at)
    before = still.export()
    dry = still.reflect(None, dry_run=True)
    assert (dry.run, dry.dry_run, still.ghost.lifecycle.runs(), still.export()) == (
        "",
        True,
        [],
        before,
    )
    told, said = still.reflect(None).to_dict(), dry.to_dict()
    for one in (told, said):
        del one["run"], one["dry_run"]
    assert told == said
    assert len(said["changes"]) == 6


@pytest.mark.requirement("002-107")
def test_the_same_store_and_clock_give_the_same_result(
    open_life: Open, clock: Any, tmp_path: Path
) -> None:
    """No model and no chance: two copies of a store are the same afterwards, to the byte."""
    paths = (tmp_path / "one.db", tmp_path / "two.db")
    life = open_life(paths[0])
    for number in range(20):
        life.put(
            f"k{number}",
            tier=["sensory", "stm", "ltm"][number % 3],
            age=number * 20,
            access=number * 3,
            importance=0.7,
        )
    life.ghost.transfer.backup(paths[1])
    copies = [open_life(path, at=lambda: clock.at) for path in paths]
    reports = [copy.reflect() for copy in copies]
    assert reports[0].changes == reports[1].changes != ()
    assert copies[0].export() == copies[1].export()


def test_a_second_run_counts_no_change_that_is_none(life: "Life") -> None:
    """What was promoted, demoted or archived is not so again."""
    life.put("stale", tier="ltm", age=9000)
    life.put("floor", age=500, importance=0.1)
    life.ghost.lifecycle.set_rule("r", "ARCHIVE", tag="x")
    life.put("x", tags=["x"])
    life.reflect()
    report = life.reflect()
    assert (report.changes, counted(report), report.memories_evaluated) == ((), {}, 3)


def test_progress_is_told(life: "Life") -> None:
    """Every 500 memories, for whoever shows it."""
    for number in range(501):
        life.ghost.put("agent:me", f"k{number}", f"text {number}")
    seen: list[int] = []
    life.reflect(dry_run=True, progress=seen.append)
    assert seen == [500]


def test_a_reflection_is_no_retrieval(life: "Life") -> None:
    """Neither counts nor the log of days move."""
    life.put("quiet", age=49, access=3, idle=5)
    before = life.row("quiet")
    life.reflect()
    after = life.row("quiet")
    assert (after.access_count, after.last_accessed_at) == (
        before.access_count,
        before.last_accessed_at,
    )
    assert not [line for line in life.export() if '"type": "access"' in line]


# --- a store that cannot be written


def test_a_read_only_store_can_be_asked_but_not_changed(open_life: Open) -> None:
    """A dry run tells what would be done; a run says that the store cannot be written."""
    life = open_life("m.db")
    life.put("glance", tier="sensory", age=5)
    life.ghost.store.engine.read_only = True  # type: ignore[misc]
    ghost = life.ghost
    assert ghost.reflect(dry_run=True).deleted == 1
    for act in (
        ghost.reflect,
        lambda: ghost.lifecycle.undo("last"),
        lambda: ghost.curate("agent:me", "glance", "pin"),
    ):
        with pytest.raises(ReadOnlyStoreError):
            act()
