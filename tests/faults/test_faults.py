"""The fault scenarios of `bench.faults` in a short form, and proof that their judges notice what they are there to notice."""

import sys
from pathlib import Path

import pytest
from bench.child import Child
from bench.faults import KILLS, LONG, SCENARIOS, as_text, run, run_long
from bench.faults_long import State
from bench.operations import numbers, put_many, verify_puts
from bench.proof import NS, content, is_intact, key, missing, open_store, unclean
from bench.report import table
from bench.scenario import Findings, Plan
from bench.writers import _chain_faults

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="kills, modes and mounts are those of Unix"),
]
SHORT = Plan(Path(), rounds=3, processes=4, puts=20)
MOUNTED = ("disk full, tmpfs", "read-only mount", "read-only mount beside a writer")


@pytest.mark.requirement("002-022")
@pytest.mark.wide(keep=1)
@pytest.mark.smoke
@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in MOUNTED])
def test_nothing_is_lost(name: str) -> None:
    """Each fault leaves a clean store with everything that was acknowledged."""
    found = run(name, SHORT)
    assert found["problems"] == []
    assert found["result"] == "pass"


@pytest.mark.requirement("002-022")
@pytest.mark.parametrize("name", MOUNTED)
def test_nothing_is_lost_on_a_real_file_system(name: str) -> None:
    """The same on file systems that only root can mount."""
    found = run(name, SHORT)
    if found["result"] == "skip":
        pytest.skip(found["reason"])
    assert found["problems"] == []


@pytest.mark.requirement("002-022")
def test_scenarios_cover_every_operation() -> None:
    """Everything that writes a store, or files beside it, is killed."""
    names = "puts, import, gc, migration, vacuum, reflect, restore, hard delete, backup, going back to a backup, migrate"
    assert set(KILLS) == {
        f"kill in {name}" for name in (*names.split(", "), "notes sync", "mirror", "hooks")
    }
    assert set(KILLS) < set(SCENARIOS)


def test_a_long_run_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    """Rounds that are done are not done again, nor are scenarios that passed."""
    plan, path = Plan(Path(), rounds=4), tmp_path / "state.json"
    first = run("kill in gc", plan, LONG)
    half = {
        "facts": {**first["facts"], "killed": 3, "rounds": 3, "acknowledged": 0},
        "problems": [],
        "skipped": "",
        "done": 3,
    }
    State(path, 4, 1).keep("kill in gc", {"result": "running", "seconds": 100.0, "findings": half})
    (result,) = run_long(plan, State(path, 4, 1), "gc")
    assert (result["result"], result["facts"]["killed"]) == ("pass", 4)
    assert result["seconds"] > 100
    State(path, 4, 1).keep("kill in gc", {**result, "seconds": 7.0})
    assert [again["seconds"] for again in run_long(plan, State(path, 4, 1), "gc")] == [7.0]
    with pytest.raises(SystemExit, match="another run"):
        State(path, 5, 1)


def test_a_lost_put_is_noticed(tmp_path: Path) -> None:
    """A put that was acknowledged and is not there is a problem, and so is a lost version."""
    assert verify_puts(tmp_path, ["put 3"]) == [f"{key(4, 3)} was acknowledged and is gone"]
    with open_store(tmp_path / "memory.db") as ghost:
        ghost.put(NS, "latest", content(1, 0))
    assert verify_puts(tmp_path, ["latest 0", "latest 1"]) == [
        "latest has 1 versions after 2 were acknowledged"
    ]


def test_a_changed_content_is_noticed(tmp_path: Path) -> None:
    """A content that is not what was acknowledged is a problem, and a torn one also without an acknowledgement."""
    with open_store(tmp_path / "memory.db") as ghost:
        ghost.put(NS, key(1, 1), content(1, 2))
        assert missing(ghost, [(1, 1)]) == [
            f"{key(1, 1)} has another content than was acknowledged"
        ]
        assert unclean(ghost) == []
        ghost.put(NS, key(1, 1), content(1, 1)[:-1])
        assert unclean(ghost) == [f"{key(1, 1)} is torn"]
    assert is_intact(content(3, 4))


def test_a_gap_in_versions_is_noticed(tmp_path: Path) -> None:
    """A missing version breaks the numbering and the links."""
    with open_store(tmp_path / "memory.db") as ghost:
        for number in range(3):
            ghost.put(NS, "one", content(1, number))
        chain = ghost.history(NS, "one")
    assert _chain_faults("one", chain) == []
    assert len(_chain_faults("one", [chain[0], chain[2]])) == 3


def test_a_meter_kills_and_counts(tmp_path: Path) -> None:
    """The shim counts the writes of undisturbed work and dies at the one it is told."""
    with Child(put_many, folder=str(tmp_path), die_at=200) as child:
        assert child.listen()
        assert child.code == -9
    assert verify_puts(tmp_path, child.lines()[1:]) == []


def test_a_power_cut_takes_back_what_was_not_synced(tmp_path: Path) -> None:
    """Puts that do not wait for the disk are lost, so the shim can tell that those of the default setting do."""
    wrong = {}
    for synchronous in ("normal", "full"):
        (tmp_path / synchronous).mkdir()
        arguments = {
            "folder": str(tmp_path / synchronous),
            "die_at": 1000,
            "power": True,
            "synchronous": synchronous,
        }
        with Child(put_many, **arguments) as child:
            assert child.listen()
        assert child.code == -9
        with open_store(tmp_path / synchronous / "memory.db") as ghost:
            wanted = [(4, number) for number in numbers(child.lines(), "put")]
            wrong[synchronous] = missing(ghost, wanted) + unclean(ghost)
    assert wrong["normal"]
    assert wrong["full"] == []


def test_the_table_names_every_problem() -> None:
    """People see the verdicts in columns and each problem on a line of its own."""
    result = {
        "scenario": "a",
        "result": "fail",
        "seconds": 1.0,
        "facts": {"rounds": 2},
        "problems": ["lost"],
    }
    text = as_text([result])
    assert "rounds 2" in text
    assert text.endswith("a: lost")
    assert table(("what", "ms"), [("put", "12"), ("get", "3")]).splitlines() == [
        "what  ms",
        "----  --",
        "put   12",
        "get    3",
    ]
    assert Findings().problems == []
