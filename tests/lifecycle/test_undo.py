"""undo: a run taken back leaves no byte behind, and what has changed since is left and named."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import ConflictError, NotFoundError
from ghostmem.errors import InvalidInputError
from ghostmem.model import Run

if TYPE_CHECKING:
    from conftest import Life

Open = Callable[..., "Life"]
Rows = Callable[..., list[Any]]
HERE = "[1, 0]"
SECRET = "Marguerite keeps the spare key under the third flowerpot."


def everything(life: "Life") -> None:
    """Fill a store so that a run does each thing there is."""
    life.put("glance", f"Zq glance {HERE}", tier="sensory", age=5)
    life.put("seen", "[0, 0, 1] Zq seen", tier="sensory", age=2, access=3)
    life.put("quiet", "[0, 0, 0, 1] Zq quiet", age=49, importance=0.8)
    life.put("good", "[0, 0, 0, 0, 1] Zq good", age=100, access=60, used=(1, 2, 3))
    life.put("stale", "[0, 0, 0, 0, 0, 1] Zq stale", tier="ltm", age=9000)
    life.put("useless", "[0, 0, 0, 0, 0, 0, 1] Zq useless", age=500, access=30, utility=1)
    life.put("kept", f"The billing service runs on three nodes {HERE}", importance=0.8, tags=["a"])
    life.put("double", f"The billing service runs on three nodes {HERE}", access=9, tags=["b"])
    for key, tags in {"m1": ["merge", "x"], "m2": ["merge"], "m3": ["merge", "y"]}.items():
        life.put(
            key,
            "The ferry departs at nine [0, 1]",
            tags=tags,
            importance=0.3 if key == "m2" else 0.6,
        )
    for op, params in {"ARCHIVE": {}, "TTL_SET": {"ttl": "7d"}, "PIN": {}}.items():
        life.ghost.lifecycle.set_rule(op, op, tag=op.lower(), priority=99, action_params=params)
        life.put(op.lower(), f"[0, 0, 0, 0, 0, 0, 0, 1] Zq {op}", tags=[op.lower()])
    life.ghost.lifecycle.set_rule(
        "merge",
        "MERGE",
        tag="merge",
        similarity_gt=0.9,
        priority=98,
        action_params={"strategy": "keep_highest_importance"},
    )
    life.edge("quiet", "good", age=40)
    life.edge("quiet", "stale", "implies", weight=0.02, access=2, idle=3, age=40)
    life.edge("good", "stale", "contradicts", weight=0.9, age=40)


OPS = {
    *(
        "PROMOTE DEMOTE DECAY DELETE ARCHIVE TTL_SET PIN LINK DEDUP MERGE TRAIL GATHER FADE PRUNE".split()
    ),
}


def test_undo_gives_back_every_byte(open_exact: Open) -> None:
    """After a run that does each thing there is, an export is the same as before, and everything is found again."""
    life = open_exact("m.db")
    everything(life)
    before = life.export()
    report = life.reflect()
    assert {change.op for change in report.changes} == OPS
    assert life.export() != before
    undone = life.ghost.lifecycle.undo(report.run)
    assert (undone.run, undone.undone, undone.left, undone.dry_run) == (
        report.run,
        len(report.changes),
        (),
        False,
    )
    assert life.export() == before
    assert life.ghost.admin.embed_status().pending == 0


def test_undo_of_a_relink_takes_its_edges_away(life: "Life") -> None:
    """Edges that a run added go."""
    life.put("one", "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.")
    life.put("two", "Marguerite Oyelaran retired from Lindholm in spring.")
    before = life.export()
    assert life.reflect(relink=True).relinked == 1
    life.ghost.lifecycle.undo("last")
    assert life.export() == before


def test_what_a_run_removed_is_found_again(open_exact: Open) -> None:
    """By its words and by its vector."""
    life = open_exact()
    life.put("glance", f"The build took long {HERE}", tier="sensory", age=5)
    life.reflect()
    life.ghost.lifecycle.undo("last")
    for query in ("build took", f"something else {HERE}"):
        assert [hit.key for hit in life.ghost.search(query, "agent:me", include_all=True)] == [
            "glance"
        ]


def test_undo_of_a_promotion_makes_no_links(open_exact: Open) -> None:
    """Taking a promotion back must not link the memory to what it was never linked to."""
    life = open_exact()
    life.put("seen", f"Zq seen {HERE}", tier="sensory", age=2, access=3)
    life.put("other", f"Zq other {HERE}", age=2)
    life.ghost.lifecycle.rm_rule("sys-merge-similar")
    before = life.export()
    life.reflect()
    life.ghost.lifecycle.undo("last")
    assert life.export() == before


def test_undo_of_a_promotion_to_long_term_makes_no_links(open_exact: Open) -> None:
    """An edge that its owner took away does not come back with an undo."""
    life = open_exact()
    life.put("good", f"Zq good {HERE}", age=100, access=60)
    life.put("other", f"Zq other {HERE}")
    life.ghost.lifecycle.rm_rule("sys-merge-similar")
    before = life.export()
    life.reflect()
    life.ghost.lifecycle.undo("last")
    assert life.export() == before


def test_undo_brings_back_the_legacy_link_beside_a_dropped_edge(life: "Life") -> None:
    """`ghost link` writes two rows; when the edge was dropped for its weight, both come back."""
    life.put("a")
    life.put("b")
    life.ghost.graph.link("agent:me", "a", "b", "relates_to")
    life.ghost.edge("agent:me", "a", "b", "relates_to", weight=0.01)
    before = life.export()
    assert any('"type": "link"' in line for line in before)
    assert life.reflect().edges_pruned == 1
    life.ghost.lifecycle.undo("last")
    assert life.export() == before


def test_a_dry_undo_tells_and_does_nothing(life: "Life") -> None:
    """It counts what it would take back; the run can still be undone."""
    life.put("quiet", age=49)
    run = life.reflect().run
    after = life.export()
    told = life.ghost.lifecycle.undo(run, dry_run=True)
    assert (told.undone, told.dry_run, life.export(), life.ghost.lifecycle.runs()[0].undone_at) == (
        1,
        True,
        after,
        None,
    )
    assert life.ghost.lifecycle.undo(run).undone == 1


def test_a_run_is_undone_once(life: "Life") -> None:
    """The second time says so and changes nothing."""
    life.put("quiet", age=49)
    run = life.reflect().run
    life.ghost.lifecycle.undo(run)
    before = life.export()
    with pytest.raises(ConflictError, match=f"run {run} was already undone"):
        life.ghost.lifecycle.undo(run)
    assert life.export() == before


def test_last_goes_back_one_run_after_another(life: "Life") -> None:
    """Each time the newest that was not taken back yet, until there is none."""
    life.put("quiet", age=49, importance=0.8)
    states = []
    for _ in range(3):
        states.append(life.row("quiet").importance)
        life.reflect()
    for state in reversed(states):
        life.ghost.lifecycle.undo("last")
        assert life.row("quiet").importance == state
    with pytest.raises(NotFoundError, match="every run is undone already"):
        life.ghost.lifecycle.undo("last")


def test_runs_out_of_order_leave_what_came_later(life: "Life") -> None:
    """Undoing the older of two runs leaves what the newer one changed too, and names it."""
    life.put("quiet", age=49, importance=0.8)
    life.put("glance", tier="sensory", age=5)
    first = life.reflect().run
    life.reflect()
    undone = life.ghost.lifecycle.undo(first)
    assert (undone.undone, [(change.key, change.op) for change in undone.left]) == (
        1,
        [("quiet", "DECAY")],
    )
    assert (life.tier("glance"), life.row("quiet").importance) == (
        "sensory",
        pytest.approx(0.8 * 0.95**2),
    )


def test_a_memory_with_a_new_version_is_left(life: "Life") -> None:
    """What was rewritten since keeps its new text and fields, and the rest is taken back."""
    life.put("one", age=49, importance=0.8)
    life.put("two", age=49, importance=0.8)
    life.reflect()
    life.ghost.put("agent:me", "one", "Rewritten.")
    undone = life.ghost.lifecycle.undo("last")
    assert ([change.key for change in undone.left], undone.undone) == (["one"], 1)
    assert (life.row("one").version, life.row("one").importance) == (2, pytest.approx(0.76))
    assert life.row("two").importance == 0.8


def test_a_removed_memory_that_was_put_anew_is_left(life: "Life") -> None:
    """The new text stays the only one."""
    life.put("glance", "Old text.", tier="sensory", age=5)
    life.reflect()
    life.ghost.put("agent:me", "glance", "New text.")
    assert [change.op for change in life.ghost.lifecycle.undo("last").left] == ["DELETE"]
    assert [memory.content for memory in life.ghost.list("agent:me")] == ["New text."]


def test_of_a_memory_deleted_for_good_nothing_is_left_to_undo(life: "Life") -> None:
    """The record of what a run did to it went with it: not even a hash of its text stays."""
    life.put("glance", tier="sensory", age=5)
    life.reflect()
    life.ghost.rm("agent:me", "glance", hard=True)
    undone = life.ghost.lifecycle.undo("last")
    assert (undone.left, undone.undone) == ((), 0)


def test_what_was_pinned_since_is_taken_back_and_stays_pinned(life: "Life") -> None:
    """An undo is its owner's word, so it reverts the run completely; the pin, which came later, stays."""
    life.put("quiet", age=49, importance=0.8)
    life.reflect()
    life.ghost.curate("agent:me", "quiet", "pin")
    assert life.ghost.lifecycle.undo("last").left == ()
    assert (life.row("quiet").importance, life.row("quiet").pinned) == (0.8, True)


def test_an_edge_that_was_strengthened_since_is_left(life: "Life") -> None:
    """Its new weight stays."""
    life.put("a")
    life.put("b")
    life.edge("a", "b", age=40)
    life.reflect()
    life.ghost.edge("agent:me", "a", "b", "relates_to", weight=0.7)
    (left,) = life.ghost.lifecycle.undo("last").left
    assert (left.key, left.to_key, left.rel, life.weight("a", "b")) == ("a", "b", "relates_to", 0.7)


def test_use_since_a_run_is_kept(life: "Life") -> None:
    """An undo takes back what the run did, not what happened since."""
    life.put("quiet", age=49, importance=0.8)
    life.reflect()
    for _ in range(3):
        life.ghost.get("agent:me", "quiet")
    life.ghost.lifecycle.undo("last")
    assert (life.row("quiet").importance, life.row("quiet").access_count) == (0.8, 3)


def test_a_run_is_named_by_the_beginning_of_its_id(life: "Life") -> None:
    """In either case of letters."""
    life.put("quiet", age=49)
    run = life.reflect().run
    assert life.ghost.lifecycle.undo(run[:20].lower()).run == run


def test_an_old_run_among_very_many_is_found(life: "Life") -> None:
    """A run is looked up by its id, however many are newer."""
    life.put("quiet", "[0, 0, 0, 1] Zq quiet", age=49, importance=0.8)
    old = life.ghost.reflect().run
    with life.ghost.store.engine.write() as tx:
        at = life.ghost.store.clock()
        for number in range(10_001):
            tx.runs.begin(Run(f"ZZ{number:05d}", "reflect", "", at), "")
    assert life.ghost.lifecycle.undo(old).run == old


def test_a_beginning_that_several_runs_share_is_refused(life: "Life") -> None:
    """The error says how many."""
    first, second = life.reflect().run, life.reflect().run
    shared = first[:8]
    assert second.startswith(shared)
    with pytest.raises(NotFoundError, match=f"'{shared}' is the beginning of 2 runs"):
        life.ghost.lifecycle.undo(shared)


@pytest.mark.parametrize("name", ["01ZZZZZZ", "", "%", "nope"])
def test_a_run_that_is_not_there_is_not_found(life: "Life", name: str) -> None:
    """Nothing matches by chance."""
    life.reflect()
    with pytest.raises(NotFoundError, match="there is no run"):
        life.ghost.lifecycle.undo(name)


def test_runs_are_listed_newest_first(life: "Life", clock: Any) -> None:
    """With their scope, how much they changed, and whether they are done or undone."""
    life.put("quiet", age=49)
    first = life.reflect("agent:*").run
    clock.forward(hours=1)
    second = life.reflect(None).run
    life.ghost.lifecycle.undo(first, dry_run=False)
    found = life.ghost.lifecycle.runs()
    assert [(run.id, run.verb, run.scope, run.changes) for run in found] == [
        (second, "reflect", "", 1),
        (first, "reflect", "agent:*", 1),
    ]
    assert [bool(run.undone_at) for run in found] == [False, True]
    assert all(run.finished_at for run in found)
    assert [run.id for run in life.ghost.lifecycle.runs(limit=1)] == [second]
    with pytest.raises(InvalidInputError):
        life.ghost.lifecycle.runs(limit=0)


def test_gc_drops_records_after_ninety_days(life: "Life", clock: Any) -> None:
    """Younger ones stay and can be undone."""
    life.put("quiet", age=49)
    old = life.reflect().run
    clock.forward(days=60)
    young = life.reflect().run
    clock.forward(days=31)
    life.ghost.lifecycle.gc()
    assert [run.id for run in life.ghost.lifecycle.runs()] == [young]
    with pytest.raises(NotFoundError):
        life.ghost.lifecycle.undo(old)
    assert life.ghost.lifecycle.undo(young).undone == 1


def test_the_records_hold_no_content(open_exact: Open, rows: Rows) -> None:
    """Tables runs and audit name memories by id and hash; no text of a memory is in them."""
    life = open_exact("m.db")
    for key, fields in {
        "gone": {"tier": "sensory", "age": 5},
        "one": {"age": 49},
        "two": {"age": 49},
    }.items():
        life.put(key, f"{SECRET} {HERE}", **fields)
    report = life.reflect()
    assert {"DELETE", "DECAY", "DEDUP", "LINK"} <= {change.op for change in report.changes}
    written = json.dumps(rows("SELECT * FROM audit") + rows("SELECT * FROM runs"))
    assert len(rows("SELECT * FROM audit")) == len(report.changes)
    for word in ("Marguerite", "flowerpot", "spare"):
        assert word not in written
    ids = {row[0] for row in rows("SELECT id FROM memories")}
    assert {
        part for (subject,) in rows("SELECT subject FROM audit") for part in subject.split(" ")[:2]
    } <= ids
    for subject, digest in rows("SELECT subject, hash FROM audit"):
        assert " " in subject or len(digest) == 16


def test_a_dry_run_leaves_no_record(open_exact: Open, rows: Rows) -> None:
    """Neither a run nor a planned change."""
    life = open_exact("m.db")
    life.put("quiet", age=49)
    life.reflect(dry_run=True)
    assert rows("SELECT count(*) FROM runs") == rows("SELECT count(*) FROM audit") == [(0,)]


def test_an_edge_that_was_dropped_with_its_memory_comes_back_with_it(open_life: Open) -> None:
    """A run that merges a memory away and drops a faint edge of it is taken back as a whole, whatever came first."""
    from lifecycle.conftest import placed

    life = open_life(embedder=placed)
    life.put("one", "The ferry departs at nine [1, 0]", importance=0.9)
    life.put("two", "The ferry departs at nine. [1, 0]")
    life.put("far", "Something else [0, 1]")
    life.edge("two", "far", "relates_to", 0.0)
    life.ghost.lifecycle.set_rule(
        "merge",
        "MERGE",
        similarity_gt=0.5,
        action_params={"strategy": "keep_highest_importance"},
        priority=200,
    )
    before = life.export()
    life.reflect(None)
    assert life.export() != before
    life.ghost.lifecycle.undo("last")
    assert life.export() == before
