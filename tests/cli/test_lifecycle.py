"""ghost reflect, undo, rule and curate"""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

Sql = Callable[..., list[Any]]
SECRET = "The spare key lies under the third flowerpot."


@pytest.fixture
def filled(ghost_cli: "GhostCli", wind: Any) -> None:
    """Store a glance that is to go, a quiet memory that is to fade, a pinned one, and one of another namespace."""
    ghost_cli.ok("put", "-n", "a", "-k", "glance", "--tier", "sensory", "The build took long.")
    ghost_cli.ok("put", "-n", "a", "-k", "quiet", "--importance", "0.8", SECRET)
    ghost_cli.ok("put", "-n", "a", "-k", "persona", "--pinned", "You are Ada.")
    ghost_cli.ok("put", "-n", "b", "-k", "other", "--tier", "sensory", "Of another namespace.")
    wind.forward(hours=49)


# --- reflect


def test_every_takes_a_pause_of_any_length(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is longer than the system's clock goes on is shortened."""
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr("ghostmem.cli.commands.lifecycle.time.sleep", sleep)
    ghost_cli("reflect", "--every", "999999999d")
    assert pauses == [100 * 365 * 86_400]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send on this system")
def test_every_goes_on_until_it_is_interrupted(program: "Program") -> None:
    """Two reports in, an interrupt ends it with code 130, no traceback, and both runs are on record."""
    assert (
        program("put", "-n", "a", "-k", "x", "--created-at", "2026-01-01", "Some text.").code == 0
    )
    child = program.start("--json", "reflect", "--every", "1s")
    assert child.stdout is not None
    reports = [json.loads(child.stdout.readline()) for _ in range(2)]
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in err
    assert [report["decayed"] for report in reports] == [1, 1]
    runs = [json.loads(line) for line in program("--json", "undo").out.splitlines()]
    assert {report["run"] for report in reports} <= {run["id"] for run in runs}


# --- undo


@pytest.mark.usefixtures("filled")
def test_undo_gives_every_byte_back(ghost_cli: "GhostCli") -> None:
    """By the run's id, its beginning, or `last`."""
    before = ghost_cli.ok("export")
    for name in (lambda run: run, lambda run: run[:24].lower(), lambda _: "last"):
        run = ghost_cli.row("reflect")["run"]
        assert ghost_cli.ok("export") != before
        assert ghost_cli.ok("undo", name(run)) == f"reverted 3 changes of run {run}\n"
        assert ghost_cli.ok("export") == before


@pytest.mark.usefixtures("filled")
def test_no_content_is_in_the_records(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """Tables runs and audit have ids and hashes; the text of a memory is in neither."""
    ghost_cli.ok("reflect")
    written = json.dumps(sql(store, "SELECT * FROM runs") + sql(store, "SELECT * FROM audit"))
    assert len(sql(store, "SELECT * FROM audit")) == 3
    for word in ("flowerpot", "build took", "another namespace"):
        assert word not in written


# --- rule


@pytest.mark.parametrize(
    "args",
    [
        ("set", "--name", "r", "--id", "mine", "--cond-tag", "x", "--action", "PIN"),
        ("delete", "sys-dedup-all"),
        ("reset", "sys-dedup-all"),
    ],
)
def test_a_change_of_the_rules_is_kept_in_a_home_without_a_store(
    ghost_cli: "GhostCli", store: Path, args: tuple[str, ...]
) -> None:
    """What a command says it did must be there for the next one."""
    ghost_cli.ok("rule", *args)
    assert store.exists()


# --- curate
