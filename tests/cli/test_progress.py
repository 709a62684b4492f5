"""The progress line of long commands: on a terminal after a second, nowhere else."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.cli.output import Output, Progress

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that the line reads, which a test may change."""
    at = [0.0]
    monkeypatch.setattr("ghostmem.cli.output.time.monotonic", lambda: at[0])
    return at


def test_it_appears_after_a_second_and_goes_before_other_output(
    seconds: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    """A count that comes early shows nothing; later the line is drawn, and removed."""
    progress = Progress("files", on_terminal=True)
    progress(1)
    assert capsys.readouterr().err == ""
    seconds[0] = 2.0
    progress(30)
    assert capsys.readouterr().err == "\r\x1b[Kfiles: 30"
    progress.phase("vectors", 100)
    seconds[0] = 4.0
    progress(50)
    assert capsys.readouterr().err == "\r\x1b[Kvectors: 50 of 100, about 2 s left"
    before = threading.active_count()
    progress.clear()
    assert capsys.readouterr().err == "\r\x1b[K"
    assert threading.active_count() == before - 1


def test_work_without_counts_shows_the_time(seconds: list[float]) -> None:
    """What cannot be counted still shows that it goes on."""
    assert Progress("checking", on_terminal=False).text(0, 7.0) == "checking … 7 s"


def test_elsewhere_nothing_is_drawn(
    seconds: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe there is no line, and no thread that could draw one."""
    before = threading.active_count()
    progress = Output(False, "auto").progress("files")
    seconds[0] = 9.0
    progress(30)
    progress.clear()
    assert capsys.readouterr().err == ""
    assert threading.active_count() == before


def test_ingest_counts_its_files(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is counted."""
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"## Part {number}\n\ntext {number}\n")
    counts: list[int] = []
    monkeypatch.setattr(Progress, "__call__", lambda _, done: counts.append(done))
    ghost_cli.ok("ingest", "-n", "a", tmp_path)
    assert counts == [1, 2, 3]


def test_a_second_line_ends_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    """A command that works in rounds has one thread for its line, and none after its end."""
    before = threading.active_count()
    shown = Output(False, "auto")
    for number in range(3):
        shown.progress(f"round {number}")
        shown._progress = Progress(f"round {number}", on_terminal=True)
        assert threading.active_count() == before + 1
    shown.end_progress()
    assert threading.active_count() == before
