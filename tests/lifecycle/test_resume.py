"""A run that is killed, or meets others at work: the next one finishes it, and the end is the same as undisturbed."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.lifecycle import reflect as module
from ghostmem.lifecycle import run_log, workers
from ghostmem.lifecycle import run_log as applying

if TYPE_CHECKING:
    from conftest import Life

Open = Callable[..., "Life"]
Copies = Callable[[], tuple["Life", "Life"]]
HERE = "[1, 0]"


class Killed(BaseException):
    """The process ends here."""


def dies_after(ghost: Ghost, writes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a store's process end after so many committed write transactions."""
    engine = ghost.store.engine
    write, done = engine.write, [0]

    @contextmanager
    def counting(*args: Any, **named: Any) -> Iterator[Any]:
        if done[0] >= writes:
            raise Killed
        with write(*args, **named) as tx:
            yield tx
        done[0] += 1

    monkeypatch.setattr(engine, "write", counting)


def interrupted(
    life: "Life", monkeypatch: pytest.MonkeyPatch, scope: str | None = None, writes: int = 2
) -> None:
    """Begin a run, write down its plan for the first namespace, and end there."""
    with monkeypatch.context() as patch:
        dies_after(life.ghost, writes, patch)
        with pytest.raises(Killed):
            life.reflect(scope)


def fill(life: "Life") -> None:
    """Store some of everything in three namespaces."""
    for ns in ("agent:a", "agent:b", "agent:c"):
        for number in range(4):
            life.put(f"q{number}", f"[0, 0, 1] Zq quiet{number}", ns=ns, age=49, importance=0.8)
        life.put("glance", "[0, 1] Zq glance", ns=ns, tier="sensory", age=5)
        life.put(
            "kept",
            f"The billing service runs on three nodes {HERE}",
            ns=ns,
            importance=0.8,
            tags=["a"],
        )
        life.put("double", f"The billing service runs on three nodes {HERE}", ns=ns, tags=["b"])
        life.edge("q0", "q1", ns=ns, age=40)


@pytest.fixture
def copies(open_exact: Open, clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copies:
    """Return a function that opens two copies of one filled store on a clock that stands still, with batches of two."""
    monkeypatch.setattr(run_log, "CHANGES_PER_TRANSACTION", 2)

    def open_() -> tuple["Life", "Life"]:
        paths = (tmp_path / "one.db", tmp_path / "two.db")
        fill(open_exact(paths[0]))
        open_exact(paths[0]).ghost.transfer.backup(paths[1])
        one, two = (open_exact(path, at=lambda: clock.at) for path in paths)
        for life in (one, two):
            life.ghost.store.vectoriser.must().embed(["warm"])
        return one, two

    return open_


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("writes", range(20))
def test_killed_anywhere_and_run_again_ends_as_if_undisturbed(
    copies: Copies, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """After any number of transactions: the same export, the same changes, the same counters; undo takes it all back."""
    one, two = copies()
    before = one.export()
    interrupted(one, monkeypatch, writes=writes)
    resumed, whole = one.reflect(None), two.reflect(None)
    assert resumed.resumed is (writes > 0)
    assert one.export() == two.export()
    assert [change.to_dict() for change in resumed.changes] == [
        change.to_dict() for change in whole.changes
    ]
    for name in (
        "memories_evaluated",
        "rules_applied",
        "decayed",
        "deleted",
        "deduplicated",
        "linked",
        "linked_clusters",
    ):
        assert getattr(resumed, name) == getattr(whole, name), name
    assert len(one.ghost.lifecycle.runs()) == 1
    one.ghost.lifecycle.undo("last")
    assert one.export() == before


def test_a_run_killed_twice_is_finished_by_the_third(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goes on where the one before stopped."""
    one, two = copies()
    for writes in (3, 4):
        interrupted(one, monkeypatch, writes=writes)
    assert one.reflect(None).resumed
    two.reflect(None)
    assert one.export() == two.export()
    assert not one.reflect(None).resumed


def test_an_interrupted_run_can_be_undone(copies: Copies, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it did is taken back, what it had planned is dropped, and the next run begins anew."""
    one, _ = copies()
    before = one.export()
    interrupted(one, monkeypatch, writes=4)
    assert one.export() != before
    assert one.ghost.lifecycle.runs()[0].finished_at is None
    one.ghost.lifecycle.undo("last")
    assert one.export() == before
    again = one.reflect(None)
    assert (again.resumed, again.memories_evaluated) == (False, 21)


def test_a_dry_run_after_a_kill_tells_what_the_next_run_does(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run finishes the interrupted one, so that is what the dry run must show."""
    one, _ = copies()
    interrupted(one, monkeypatch, writes=3)
    dry = one.reflect(None, dry_run=True)
    done = one.reflect(None)
    assert [change.to_dict() for change in dry.changes] == [
        change.to_dict() for change in done.changes
    ]


def test_an_unfinished_run_of_another_scope_is_left_to_its_own(
    copies: Copies, monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    """A run of one namespace does not take up the one over all, and undoing the last first takes both back."""
    one, _ = copies()
    before = one.export()
    interrupted(one, monkeypatch)
    clock.forward(seconds=1)
    assert not one.reflect("agent:b").resumed
    assert {row.importance for row in (one.row("q0", "agent:a"), one.row("q0", "agent:c"))} == {0.8}
    assert one.row("q0", "agent:b").importance == pytest.approx(0.76)
    clock.forward(seconds=1)
    assert one.reflect(None).resumed
    while [run for run in one.ghost.lifecycle.runs() if not run.undone_at]:
        one.ghost.lifecycle.undo("last")
    assert one.export() == before


@pytest.mark.parametrize("guard", ["pin", "lock"])
def test_what_is_pinned_or_locked_after_a_kill_is_left_alone(
    copies: Copies, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    """The plan of a killed run does not outrank what its owner said since."""
    one, _ = copies()
    interrupted(one, monkeypatch)
    for key in ("q0", "glance", "double"):
        one.ghost.curate("agent:a", key, guard)
    before = [one.row(key, "agent:a") for key in ("q0", "glance", "double")]
    one.reflect(None)
    assert [one.row(key, "agent:a") for key in ("q0", "glance", "double")] == before


def test_a_plan_meets_memories_that_were_edited_removed_or_deleted(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is left as its owner made it, the rest is done, and the report counts only what was done."""
    one, _ = copies()
    interrupted(one, monkeypatch, "agent:a")
    one.ghost.put("agent:a", "q0", "Rewritten.")
    one.ghost.rm("agent:a", "q1")
    one.ghost.rm("agent:a", "q2", hard=True)
    one.ghost.rm("agent:a", "kept", hard=True)
    removed = one.row("q1", "agent:a")
    report = one.reflect("agent:a")
    assert (one.row("q0", "agent:a").importance, one.row("q0", "agent:a").content) == (
        0.8,
        "Rewritten.",
    )
    assert one.row("q1", "agent:a") == removed
    assert (report.decayed, report.deleted) == (1, 1)
    assert one.row("q3", "agent:a").importance == pytest.approx(0.76)
    assert {change.key for change in report.changes if change.op == "DECAY"} == {"q3"}


def test_a_double_stays_awake_when_the_one_it_is_a_double_of_is_gone(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between plan and deed the canonical one was removed: putting the other to sleep would lose the fact."""
    one, _ = copies()
    interrupted(one, monkeypatch, "agent:a")
    one.ghost.rm("agent:a", "kept")
    one.reflect("agent:a")
    assert one.tier("double", "agent:a") == "stm"


def test_a_namespace_that_vanished_after_a_kill_is_not_counted(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was planned there was never done, so the report must not say so."""
    one, _ = copies()
    interrupted(one, monkeypatch, "agent:c*")
    one.ghost.admin.rm_namespace("agent:c", hard=True)
    report = one.reflect("agent:c*")
    assert (report.decayed, report.changes) == (0, ())


def test_an_edit_between_plan_and_deed_wins(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes while the run is at work: the new version keeps its fields."""
    life = open_exact("m.db")
    life.put("quiet", age=49, importance=0.8)
    plan = module.make_plan

    def then_edit(*args: Any, **named: Any) -> Any:
        made = plan(*args, **named)
        thread = threading.Thread(target=lambda: life.ghost.put("agent:me", "quiet", "Rewritten."))
        thread.start()
        thread.join()
        return made

    for place in (module, workers):  # where a run of one takes it from, and one of several
        monkeypatch.setattr(place, "make_plan", then_edit)
    report = life.reflect()
    assert (report.decayed, report.changes) == (0, ())
    assert (life.row("quiet").importance, life.row("quiet").version) == (0.8, 2)


def test_an_error_in_one_change_leaves_a_run_that_can_be_finished(
    open_exact: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is rolled back, and the next run does it."""
    life = open_exact("m.db")
    life.put("quiet", age=49, importance=0.8)
    with monkeypatch.context() as patch:
        fail = (_ for _ in ()).throw
        patch.setattr(applying, "_new_values", lambda *_, **__: fail(OSError("disk")))
        with pytest.raises(OSError, match="disk"):
            life.reflect()
    assert life.row("quiet").importance == 0.8
    assert life.reflect().resumed
    assert life.row("quiet").importance == pytest.approx(0.76)


@pytest.mark.parametrize("scopes", [(None, None), (None, "agent:b"), ("agent:a", "agent:b")])
def test_two_reflections_at_once_end_as_one_after_the_other(
    open_exact: Open, clock: Any, scopes: tuple[str | None, str | None]
) -> None:
    """Threads: no error, each memory faded once or twice and not in between; unless they overlap, undo gives every byte back."""
    fill(open_exact("one.db"))
    life = open_exact("one.db", at=lambda: clock.at)
    before = life.export()
    failed: list[BaseException] = []
    gate = threading.Barrier(2)

    def work(scope: str | None) -> None:
        try:
            gate.wait()
            reports.append(life.reflect(scope))
        except BaseException as error:
            failed.append(error)

    reports: list[Any] = []
    threads = [threading.Thread(target=work, args=(scope,)) for scope in scopes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    faded = {
        round(life.row(f"q{n}", ns).importance, 6)
        for n in range(4)
        for ns in ("agent:a", "agent:b", "agent:c")
    }
    assert faded <= {0.8, 0.76, 0.722}
    if scopes != (None, "agent:b"):  # of two that overlap, either may have come first to a memory
        while [run for run in life.ghost.lifecycle.runs() if not run.undone_at]:
            assert life.ghost.lifecycle.undo("last").left == ()
        assert life.export() == before
    assert max(report.memories_evaluated for report in reports) <= 21


SCRIPT = """
import sys
from ghostmem import Ghost, Settings
from ghostmem.lifecycle import run_log
run_log.CHANGES_PER_TRANSACTION = 2
with Ghost.open(sys.argv[1], settings=Settings(embed_provider="none")) as ghost:
    print("ready", flush=True)
    sys.stdin.readline()
    report = ghost.reflect()
    print(report.run, report.memories_evaluated, flush=True)
"""


def started(target: str) -> "subprocess.Popen[str]":
    """Start a process that reflects when it is told to."""
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, target],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def test_processes_that_reflect_at_once_lose_nothing(
    open_life: Open, store_at: Callable[[str], str]
) -> None:
    """Three at a time: every change is on record, and undoing all runs gives every byte back."""
    life = open_life("m.db")
    for number in range(60):
        life.put(f"k{number}", age=49 + 24 * 365, importance=0.8)
    before = life.export()
    children = [started(store_at("m.db")) for _ in range(3)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=60)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert {round(life.row(f"k{n}").importance, 6) for n in range(60)} <= {0.76, 0.722, 0.6859}
    while [run for run in life.ghost.lifecycle.runs() if not run.undone_at]:
        assert life.ghost.lifecycle.undo("last").left == ()
    assert life.export() == before
    assert [int(out.split()[1]) for out in said] == [60] * 3


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on this system")
def test_a_process_killed_in_the_middle_is_finished_by_the_next(
    open_life: Open, tmp_path: Path
) -> None:
    """SIGKILL after the first batch: run again, the end is that of an undisturbed run."""
    life = open_life(tmp_path / "m.db")
    for number in range(20):
        life.put(f"k{number}", age=49 + 24 * 365, importance=0.8)
    script = SCRIPT.replace(
        'print("ready"',
        "import os\n    from ghostmem.lifecycle import run_log as applying\n"
        "    read, left = applying._new_values, [7]\n"
        "    def dying(*given, **named):\n        left[0] -= 1\n"
        "        return read(*given, **named) if left[0] else os.kill(os.getpid(), 9)\n"
        "    applying._new_values = dying\n"
        '    print("ready"',
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "m.db")],
        input=b"go\n",
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    faded = sum(life.row(f"k{n}").importance < 0.8 for n in range(20))
    assert faded == 6
    report = life.reflect(None)
    assert (report.resumed, report.decayed, report.memories_evaluated) == (True, 20, 20)
    assert {round(life.row(f"k{n}").importance, 6) for n in range(20)} == {0.76}
    assert os.path.exists(tmp_path / "m.db")


def test_a_run_that_relinks_is_finished_as_one(
    copies: Copies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever finishes an interrupted run with --relink relinks, though it is not said again."""
    one, other = copies()
    for life in (one, other):
        for key, text in (
            ("x", "Ask Marta Keller about Project Atlas."),
            ("y", "We met Marta Keller for Project Atlas."),
        ):
            life.ghost.put("agent:z", key, text)
        for edge in life.ghost.edges("agent:z"):
            life.ghost.graph.rm_edge("agent:z", str(edge.from_key), str(edge.to_key), edge.rel)
        for rule in ("sys-merge-similar", "sys-dedup-all"):
            life.ghost.lifecycle.rm_rule(rule)
    assert other.reflect(None, relink=True).relinked

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("ghostmem.lifecycle.reflect.apply_planned", killed)
        with pytest.raises(KeyboardInterrupt):
            one.reflect(None, relink=True)
    assert one.reflect(None).resumed
    names = [
        [(e.from_key, e.to_key, e.rel) for e in life.ghost.edges("agent:z")]
        for life in (one, other)
    ]
    assert names[0] == names[1] != []
