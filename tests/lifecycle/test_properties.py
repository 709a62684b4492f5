"""Properties: for random stores, moments and rules, what must always hold of a reflection."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from ghostmem import Ghost
from ghostmem.lifecycle import run_log
from ghostmem.model import Rel
from ghostmem.settings import Settings
from lifecycle.conftest import Life, placed
from lifecycle.test_resume import Killed, dies_after

START = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
SPACES = ("agent:me", "agent:you")
KEYS = [f"k{n}" for n in range(9)]
SECRET = "flowerpot"
PLACES = ["[1, 0]", "[1, 0]", "[0.93, 0.36755952]", "[0.91, 0.41460825]", "[0, 1]", "[0, 0, 1]"]
TEXTS = [
    "The ferry departs at nine",
    "The ferry departs at nine.",
    "The ferry departs at ten",
    "The ferry never departs at nine",
]
QUIET = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=set(Phase) - {Phase.explain},
)
FEW = settings(QUIET, max_examples=30)

memories = st.lists(
    st.fixed_dictionaries(
        {
            "ns": st.sampled_from(SPACES),
            "text": st.sampled_from(TEXTS),
            "place": st.sampled_from(PLACES),
            "tier": st.sampled_from(["sensory", "stm", "stm", "ltm", "dormant"]),
            "age": st.sampled_from([-5, 0, 2, 5, 49, 73, 200, 900]),
            "access": st.sampled_from([0, 1, 2, 9, 10, 21, 51, 99]),
            "utility": st.sampled_from([0, 1, 5, 40]),
            "idle": st.sampled_from([None, 0, 100, 169, 600]),
            "used": st.sampled_from([(), (), (1,), (1, 2), (1, 2, 3)]),
            "shown": st.sampled_from([(), (0, 1, 2)]),
            "importance": st.sampled_from([0.0, 0.1, 0.101, 0.5, 0.9]),
            "tags": st.sampled_from([[], ["x"], ["y", "x"], ["locked"], ["x", "locked"]]),
            "pinned": st.sampled_from([False] * 5 + [True]),
        }
    ),
    min_size=2,
    max_size=len(KEYS),
)
links = st.lists(
    st.tuples(
        st.integers(0, len(KEYS) - 1),
        st.integers(0, len(KEYS) - 1),
        st.sampled_from([rel.value for rel in Rel]),
        st.sampled_from([0.0, 0.03, 0.052, 0.09, 0.105, 0.5, 1.0]),
        st.sampled_from([0, 29, 31, 90]),
        st.sampled_from([0, 2, 3]),
    ),
    max_size=8,
)
_conditions = st.fixed_dictionaries(
    {},
    optional={
        "ns": st.sampled_from(["agent:me", "agent:nobody"]),
        "tier": st.sampled_from(["stm", "ltm", "dormant"]),
        "tag": st.sampled_from(["x", "y"]),
        "age_gt_hours": st.sampled_from([0, 48, 500]),
        "unaccessed_gt_hours": st.sampled_from([0, 168]),
        "importance_lt": st.sampled_from([0.1, 0.6]),
        "access_lt": st.sampled_from([1, 10]),
        "access_gt": st.sampled_from([0, 20]),
        "utility_lt": st.sampled_from([0.05, 0.5]),
        "expires_at": st.sampled_from([START - timedelta(hours=1), START + timedelta(days=400)]),
    },
)
_alone = st.tuples(
    st.sampled_from(
        [
            ("PROMOTE", {"to_tier": "ltm"}),
            ("DEMOTE", {"to_tier": "dormant"}),
            ("DECAY", {"factor": 0.5, "min": 0}),
            ("DELETE", {}),
            ("ARCHIVE", {}),
            ("TTL_SET", {"ttl": "1d"}),
            ("PIN", {}),
        ]
    ),
    _conditions,
    st.none(),
    st.sampled_from([5, 50, 95, 200]),
)
_together = st.tuples(
    st.sampled_from(
        [
            ("LINK", {}),
            ("DEDUP", {}),
            ("MERGE", {}),
            ("MERGE", {"strategy": "keep_highest_importance"}),
        ],
    ),
    _conditions,
    st.sampled_from([0.5, 0.92, 0.99]),
    st.sampled_from([5, 37, 200]),
)
rules = st.lists(st.one_of(_alone, _together), max_size=3)


class Moment:
    """A clock that stands still until told."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at


def fill(life: Life, given_: list[dict[str, Any]], ways: list[Any], laws: list[Any]) -> None:
    """Store random memories, edges and rules."""
    for key, fields in zip(KEYS, given_, strict=False):
        named = dict(fields)
        text, place = named.pop("text"), named.pop("place")
        life.put(key, f"{text} {SECRET} {place}", **named)
    spaces = {key: fields["ns"] for key, fields in zip(KEYS, given_, strict=False)}
    for one, other, rel, weight, age, access in ways:
        ends = KEYS[one], KEYS[other]
        if (
            one != other
            and spaces.get(ends[0]) is not None
            and spaces.get(ends[0]) == spaces.get(ends[1])
        ):
            life.edge(*ends, rel, weight, ns=spaces[ends[0]], age=age, access=access)
    for number, ((op, params), conditions, similarity, priority) in enumerate(laws):
        named = (
            dict(conditions)
            if set(conditions) - {"ns", "expires_at"} or similarity
            else {**conditions, "tag": "x"}
        )
        life.ghost.lifecycle.set_rule(
            f"r{number}",
            op,
            rule_id=f"r{number}",
            similarity_gt=similarity,
            priority=priority,
            action_params=params,
            **named,
        )


@contextmanager
def filled(*parts: Any, target: str = ":memory:") -> Iterator[Life]:
    """Open a store with random contents on a clock that stands still, and check it at the end."""
    clock = Moment()
    with Ghost.open(target, embedder=placed, settings=Settings(), clock=clock) as ghost:
        life = Life(ghost, clock)
        fill(life, *parts)
        yield life
        assert ghost.admin.check().problems == ()


def rows(life: Life, ns: str | None = None) -> dict[str, str]:
    """Return each memory's line of the export by its id."""
    found = [json.loads(line) for line in life.ghost.export(ns)]
    return {row["id"]: json.dumps(row) for row in found if row["type"] == "memory"}


@QUIET
@given(memories, links, rules, st.booleans())
def test_a_dry_run_equals_the_run(given_: Any, ways: Any, laws: Any, relink: bool) -> None:
    """Every change and every counter is the same, and the dry run changes nothing."""
    with filled(given_, ways, laws) as life:
        before = life.export()
        dry = life.reflect(None, dry_run=True, relink=relink).to_dict()
        assert life.export() == before
        done = life.reflect(None, relink=relink).to_dict()
        for one in (dry, done):
            del one["run"], one["dry_run"]
        assert dry == done
        for change in done.get("changes", ()):
            event(change["op"])


@QUIET
@given(memories, links, rules, st.booleans())
def test_undo_gives_back_every_byte(given_: Any, ways: Any, laws: Any, relink: bool) -> None:
    """Whatever a run did, an export after the undo is the one before the run."""
    with filled(given_, ways, laws) as life:
        before = life.export()
        report = life.reflect(None, relink=relink)
        undone = life.ghost.lifecycle.undo(report.run)
        assert (undone.undone, undone.left) == (len(report.changes), ())
        assert life.export() == before


@QUIET
@given(memories, links, rules, st.integers(1, 4))
def test_undoing_run_after_run_goes_back_through_time(
    given_: Any, ways: Any, laws: Any, runs: int
) -> None:
    """Days apart, undone last first: each undo gives the state before its run."""
    with filled(given_, ways, laws) as life:
        states = []
        for _ in range(runs):
            states.append(life.export())
            life.reflect(None)
            life.clock.at += timedelta(hours=30)
        for state in reversed(states):
            life.ghost.lifecycle.undo("last")
            assert life.export() == state


@pytest.mark.requirement("002-109")
@QUIET
@given(memories, links, rules, st.booleans())
def test_nothing_pinned_or_locked_ever_changes(
    given_: Any, ways: Any, laws: Any, relink: bool
) -> None:
    """Over a week of nightly runs and a collection, the row of each is the same to the byte."""
    with filled(given_, ways, laws) as life:
        guarded = {
            id_: row
            for id_, row in rows(life).items()
            if json.loads(row)["pinned"] or "locked" in row
        }
        for _ in range(7):
            life.reflect(None, relink=relink)
            life.clock.at += timedelta(days=1)
        life.ghost.lifecycle.gc(stale="1d")
        after = rows(life)
        assert {id_: after[id_] for id_ in guarded} == guarded


@QUIET
@given(memories, links, rules)
def test_nothing_crosses_a_namespace(given_: Any, ways: Any, laws: Any) -> None:
    """A run over one leaves the other's export alone, and a run over all joins none of one to any of the other."""
    with filled(given_, ways, laws) as life:
        other = list(life.ghost.export("agent:you"))
        life.reflect("agent:me", relink=True)
        assert list(life.ghost.export("agent:you")) == other
        life.reflect(None, relink=True)
        with life.ghost.store.engine.read() as tx:
            for edge in tx.graph.edges():
                ends = tx.memories.by_ids([edge.from_id, edge.to_id])
                assert len({end.ns for end in ends.values()}) == 1


@QUIET
@given(memories, links, rules)
def test_a_run_over_all_is_a_run_over_each(given_: Any, ways: Any, laws: Any) -> None:
    """The changes of a run without --ns are those of one run for each namespace, in order."""
    with filled(given_, ways, laws) as life:
        whole = life.reflect(None, dry_run=True).changes
        assert whole == tuple(
            change for ns in SPACES for change in life.reflect(ns, dry_run=True).changes
        )


@QUIET
@given(memories, links, rules)
def test_no_content_is_on_record(given_: Any, ways: Any, laws: Any) -> None:
    """A word that is in every memory is in no row of the tables runs and audit."""
    with filled(given_, ways, laws) as life:
        life.reflect(None, relink=True)
        life.ghost.lifecycle.undo("last")
        with life.ghost.store.engine.read() as tx:
            written = (
                tx.db.execute("SELECT * FROM runs").fetchall()
                + tx.db.execute("SELECT * FROM audit").fetchall()
            )
        assert SECRET not in json.dumps(written)
        assert "ferry" not in json.dumps(written)


@QUIET
@given(memories, links)
def test_with_the_built_in_rules_a_second_run_touches_only_what_the_first_did(
    given_: Any, ways: Any
) -> None:
    """At the same moment nothing else happens anew, but for fading, which is by run, and what has faded enough to go."""
    with filled(given_, ways, []) as life:
        first = {(change.ns, change.key) for change in life.reflect(None).changes}
        for change in life.reflect(None).changes:
            assert change.op in ("DECAY", "FADE", "PRUNE") or (change.ns, change.key) in first, (
                change
            )


@QUIET
@given(memories, links)
def test_runs_at_the_same_moment_come_to_rest(given_: Any, ways: Any) -> None:
    """With the built-in rules at most three runs change a tier, a link or a double: sensory, stm, ltm, dormant; then none."""
    with filled(given_, ways, []) as life:
        for _ in range(4):
            life.reflect(None)
        assert {change.op for change in life.reflect(None).changes} <= {"DECAY", "FADE", "PRUNE"}


@FEW
@given(memories, links, rules, st.integers(0, 12), st.integers(1, 3), st.booleans())
def test_killed_after_any_write_and_run_again_ends_as_if_undisturbed(
    given_: Any, ways: Any, laws: Any, writes: int, batch: int, relink: bool
) -> None:
    """A copy that was killed and resumed has the same export as one that was not, and the same report."""
    usual = run_log.CHANGES_PER_TRANSACTION
    with (
        tempfile.TemporaryDirectory() as folder,
        filled(given_, ways, laws, target=str(Path(folder, "one.db"))) as life,
    ):
        life.ghost.transfer.backup(Path(folder, "two.db"))
        clock = Moment()
        with Ghost.open(
            Path(folder, "two.db"), embedder=placed, settings=Settings(), clock=clock
        ) as ghost:
            ghost.store.vectoriser.must().embed(["warm"])
            run_log.CHANGES_PER_TRANSACTION = batch
            try:
                whole = life.reflect(None, relink=relink)
                killed(ghost, writes, relink)
                resumed = ghost.reflect(None, relink=relink)
            finally:
                run_log.CHANGES_PER_TRANSACTION = usual
            assert list(ghost.export()) == life.export()
            if resumed.run == ghost.lifecycle.runs()[0].id and len(ghost.lifecycle.runs()) == 1:
                assert resumed.changes == whole.changes


def killed(ghost: Ghost, writes: int, relink: bool) -> None:
    """Let a reflection end after so many committed write transactions; one that needs fewer is taken back."""
    with pytest.MonkeyPatch.context() as patch:
        dies_after(ghost, writes, patch)
        try:
            report = ghost.reflect(None, relink=relink)
        except Killed:
            event("killed")
            return
    ghost.lifecycle.undo(report.run)
