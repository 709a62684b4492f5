"""After a session the lifecycle runs in the background: once a day, undoable, and never in the way"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.hooks.queue import entries
from ghostmem.hooks.worker import is_due, reflect_daily
from ghostmem.model import Run
from ghostmem.settings import Settings
from hooks.conftest import NS, spoken
from waiting import until

if TYPE_CHECKING:
    from hooks.conftest import Hook, Program

OLD = "2026-01-10"


@pytest.fixture
def settings(store: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return the settings of a store with a memory that fades."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "none")
    settings = Settings(db=str(store), embed_provider="none")
    with Ghost.open(settings=settings) as ghost:
        ghost.put(NS, "office", "The office is in Berlin.", created_at=OLD)
        ghost.put("project:garden", "roses", "Roses need water.", created_at=OLD)
    return settings


def runs(settings: Settings) -> list[Run]:
    """Return the finished runs."""
    with Ghost.open(settings=settings) as ghost:
        return [run for run in ghost.lifecycle.runs() if run.finished_at is not None]


@pytest.mark.process
@pytest.mark.smoke
def test_the_end_of_a_session_starts_a_reflect(
    hook: "Hook", program: "Program", settings: Settings, transcript: Callable[..., Path]
) -> None:
    """Of the project's namespace, once, and `undo` takes it back."""
    path = transcript(spoken("I prefer tabs over spaces in this project."))
    end = json.dumps(hook.payload("SessionEnd", transcript_path=str(path), reason="exit"))
    result = program("hook", "claude", "SessionEnd", input=end)
    assert (result.code, result.out, result.err) == (0, "", "")
    until(lambda: bool(runs(settings)))
    assert [run.scope for run in runs(settings)] == [NS]
    with Ghost.open(settings=settings) as ghost:
        assert ghost.get(NS, "office").importance == pytest.approx(0.475)
        assert ghost.get("project:garden", "roses").importance == 0.5
        ghost.lifecycle.undo("last")
        assert ghost.get(NS, "office").importance == 0.5
    work(settings, hook, path)
    assert len(runs(settings)) == 1
    assert hook.lines() == []


def work(settings: Settings, hook: "Hook", path: Path, **env: str) -> None:
    """End another turn, and let a worker work to its end."""
    from ghostmem.hooks.call import read_call
    from ghostmem.hooks.queue import add_entry

    fields = json.dumps(hook.payload("Stop", transcript_path=str(path))).encode()
    add_entry(settings, read_call("claude", None, fields), NS)
    command = [sys.executable, "-m", "ghostmem.hooks.worker"]
    place = json.dumps({"db": settings.path}).encode()
    subprocess.run(command, input=place, check=True, env=os.environ | env, timeout=60)
    assert entries(settings) == []


@pytest.mark.process
def test_it_can_be_turned_off(hook: "Hook", settings: Settings, tmp_path: Path) -> None:
    """Captures go on without it."""
    work(settings, hook, tmp_path / "none.jsonl", GHOST_HOOK_REFLECT="off")
    assert runs(settings) == []
    work(settings, hook, tmp_path / "none.jsonl")
    assert len(runs(settings)) == 1


@pytest.mark.parametrize("scope", [NS, "", "project:*"])
def test_a_run_of_somebody_else_counts(settings: Settings, clock: Any, scope: str) -> None:
    """Whoever reflected on the namespace did the work of the day."""
    with Ghost.open(settings=settings, clock=clock) as ghost:
        assert is_due(ghost.store, NS)
        assert not is_due(ghost.store, "project:empty")
        ghost.reflect(scope)
        assert not is_due(ghost.store, NS)
        clock.forward(hours=25)
        assert is_due(ghost.store, NS)
        ghost.reflect("project:garden")
        assert is_due(ghost.store, NS)


def test_a_run_that_was_killed_is_finished_the_next_day(settings: Settings, clock: Any) -> None:
    """It is not repeated on the same day, and its changes are made once."""
    with Ghost.open(settings=settings, clock=clock) as ghost:
        with ghost.store.engine.write() as tx:
            tx.runs.begin(Run("01KILLED", "reflect", NS, clock()), "another machine 1")
        assert not is_due(ghost.store, NS)
        clock.forward(hours=25)
        assert is_due(ghost.store, NS)
        report = ghost.reflect(NS)
        assert (report.run, report.resumed, report.decayed) == ("01KILLED", True, 1)
        assert not is_due(ghost.store, NS)


def test_a_failure_is_a_line_in_the_log(hook: "Hook", settings: Settings, sql: Any) -> None:
    """And nothing else."""
    sql(Path(settings.path), "DROP TABLE runs")
    reflect_daily(settings, NS)
    assert len(hook.lines()) == 1
    assert " - reflect: " in hook.lines()[0]
