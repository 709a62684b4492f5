"""Captures are queued: whatever is killed, nothing is lost and nothing is captured twice"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.clock import now
from ghostmem.hooks.call import read_call
from ghostmem.hooks.capture import _user_texts
from ghostmem.hooks.queue import (
    MAX_PROMPT,
    add_entry,
    entries,
    has_due,
    queue_folder,
    take_captured,
    with_attempts,
)
from ghostmem.hooks.worker import MAX_ATTEMPTS, _capture, _untried, drain
from ghostmem.notes.lock import lock_file
from ghostmem.settings import Settings
from hooks.conftest import NS, spoken
from waiting import until

if TYPE_CHECKING:
    from hooks.conftest import Hook, Program

TABS = "I prefer tabs over spaces in this project."
CENTS = "We decided to keep money as integer cents because floats lose pennies."


@pytest.fixture
def settings(store: Path) -> Settings:
    """Return the settings of the default store."""
    return Settings(db=str(store), embed_provider="none")


@pytest.fixture
def stop(
    hook: "Hook", program: "Program", monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path], None]:
    """Return a function that lets a host end a turn, and then kills all that the host started."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "none")

    def call(path: Path) -> None:
        payload = json.dumps(hook.payload("Stop", transcript_path=str(path))).encode()
        child = subprocess.Popen(
            program.command("hook", "claude", "Stop"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert child.communicate(payload) == (b"", b"")
        assert child.returncode == 0
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:  # nothing is left in the group of the host
            pass

    return call


def stored(settings: Settings) -> list[tuple[str, int]]:
    """Return the contents and versions of the namespace."""
    if not os.path.exists(settings.path):
        return []
    with Ghost.open(settings=settings) as ghost:
        return sorted((memory.content, memory.version) for memory in ghost.list(NS))


@pytest.fixture
def write_lock(store: Path, settings: Settings) -> Iterator[Callable[[], object]]:
    """Hold the write lock of a store, and return a function that releases it."""
    with Ghost.open(settings=settings):
        pass
    db = apsw.Connection(str(store))
    db.execute("BEGIN IMMEDIATE")
    yield lambda: db.execute("ROLLBACK") if db.in_transaction else None
    db.close()


def kill_worker(settings: Settings, attempts: int) -> None:
    """Start a worker, and kill it when the oldest entry has this many attempts."""
    command = [sys.executable, "-m", "ghostmem.hooks.worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert worker.stdin is not None
    with worker.stdin as stream:
        stream.write(json.dumps({"db": settings.path}).encode())
    try:
        until(lambda: [entry.attempts for entry in entries(settings)[:1]] == [attempts])
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.process
@pytest.mark.smoke
def test_a_capture_outlives_its_host(
    stop: Callable[[Path], None], settings: Settings, transcript: Callable[..., Path]
) -> None:
    """The host and its processes are killed when the hook has returned."""
    stop(transcript(spoken(TABS)))
    until(lambda: not entries(settings))
    assert stored(settings) == [(TABS, 1)]


@pytest.mark.process
@pytest.mark.parametrize("words", [["hook", "claude"], ["hook", "claude", "Stop"], ["--db", "{db}", "hook", "claude", "Stop"], ["hook", "claude", "Stop", "-n", "project:shop"]])  # fmt: skip
def test_an_entry_is_written_in_every_form_of_the_command(
    hook: "Hook",
    settings: Settings,
    transcript: Callable[..., Path],
    words: list[str],
) -> None:
    """With the event in the arguments the command line is not even loaded; the result is the same."""
    said = hook.payload("Stop", transcript_path=str(transcript(spoken(TABS))))
    args = [word.replace("{db}", settings.path) for word in words]
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ghostmem", *args],
        input=json.dumps(said).encode(),
        capture_output=True,
        check=True,
    )
    assert loaded.stdout == b""
    assert (b" click" in loaded.stderr) == (len(words) == 2)
    until(lambda: stored(settings) == [(TABS, 1)])
    assert hook.lines() == []


@pytest.mark.process
def test_a_worker_that_is_killed_is_followed_by_the_next(
    stop: Callable[[Path], None],
    settings: Settings,
    transcript: Callable[..., Path],
    write_lock: Callable[[], object],
) -> None:
    """A worker that waits for the write lock is killed; the next hook starts another."""
    path = transcript(spoken(TABS))
    add_call(settings, path)
    kill_worker(settings, attempts=1)
    write_lock()
    assert len(entries(settings)) == 1
    assert stored(settings) == []
    transcript(spoken(CENTS))
    stop(path)
    until(lambda: not entries(settings))
    assert stored(settings) == sorted([(TABS, 1), (CENTS, 1)])


@pytest.mark.process
def test_a_worker_that_is_killed_after_storing_stores_nothing_twice(
    stop: Callable[[Path], None], settings: Settings, transcript: Callable[..., Path]
) -> None:
    """The worst moment: the statements are stored, and their position is not recorded yet."""
    path = transcript(spoken(TABS), spoken(CENTS))
    with Ghost.open(settings=settings) as ghost:
        origin = {"source_client": "claude-code", "source_scope": "s-1"}
        ghost.capture(TABS, NS, source_kind="stated", **origin)
    stop(path)
    until(lambda: not entries(settings))
    assert stored(settings) == sorted([(TABS, 1), (CENTS, 1)])


POSTGRES = "We decided to use PostgreSQL for the database."
MYSQL = "We decided to use MySQL for the database instead of PostgreSQL."


def valid(settings: Settings) -> list[str]:
    """Return the contents that are valid now."""
    with Ghost.open(settings=settings) as ghost:
        return [memory.content for memory in ghost.list(NS) if memory.valid_to is None]


@pytest.mark.parametrize("left", [1, 2])
@pytest.mark.parametrize("host", ["claude", "cursor"])
def test_a_worker_that_is_killed_before_it_removes_entries_captures_nothing_twice(
    settings: Settings, transcript: Callable[..., Path], host: str, left: int
) -> None:
    """Captured again, the older statement would end the newer one."""
    settings = replace(settings, freshness="close")
    path = transcript(spoken(POSTGRES), spoken(MYSQL))
    is_claude = host == "claude"
    for text in (POSTGRES, MYSQL):
        if is_claude:
            add_prompt(settings, text, path)
        else:
            add_cursor_prompt(settings, text)
    if is_claude:
        add_call(settings, path)
    files = {entry.path: Path(entry.path).read_bytes() for entry in entries(settings)[:left]}
    drain(settings)
    before = stored(settings)
    assert valid(settings) == [MYSQL]
    for name, content in files.items():
        Path(name).write_bytes(content)
    if is_claude:
        add_call(settings, path)
    drain(settings)
    assert entries(settings) == []
    assert stored(settings) == before
    assert valid(settings) == [MYSQL]


def test_a_worker_that_is_killed_before_it_records_the_position_captures_nothing_twice(
    settings: Settings, transcript: Callable[..., Path]
) -> None:
    """The statements are stored, and the transcript is read again."""
    settings = replace(settings, freshness="close")
    add_call(settings, transcript(spoken(POSTGRES), spoken(MYSQL)))
    with Ghost.open(settings=settings) as ghost:
        for text in (POSTGRES, MYSQL):
            origin = {"source_client": "claude-code", "source_scope": "s-1"}
            ghost.capture(text, NS, source_kind="stated", **origin)
    drain(settings)
    assert valid(settings) == [MYSQL]


def test_a_prompt_that_is_not_in_the_transcript_keeps_its_place(
    settings: Settings, transcript: Callable[..., Path]
) -> None:
    """The text of a later prompt is in the transcript, and stays the later one."""
    settings = replace(settings, freshness="close")
    path = transcript(spoken(MYSQL))
    for text in (POSTGRES, MYSQL):
        add_prompt(settings, text, path)
    add_call(settings, path)
    drain(settings)
    assert valid(settings) == [MYSQL]


def add_prompt(settings: Settings, text: str, path: Path) -> None:
    """Queue a prompt of Claude Code."""
    fields = {"session_id": "s-1", "transcript_path": str(path), "prompt": text}
    call = read_call("claude", "UserPromptSubmit", json.dumps(fields).encode())
    add_entry(settings, call, NS)


def add_call(settings: Settings, path: Path, session: str = "s-1", event: str = "Stop") -> None:
    """Queue what a hook would queue."""
    fields = {"session_id": session, "transcript_path": str(path), "hook_event_name": event}
    add_entry(settings, read_call("claude", None, json.dumps(fields).encode()), NS)


def cursor_prompt(text: str, session: str = "c-1") -> str:
    """Return what Cursor, which names no transcript, sends with a prompt."""
    fields = {"hook_event_name": "beforeSubmitPrompt", "conversation_id": session, "prompt": text}
    return json.dumps(fields)


def test_a_prompt_outlives_a_search_that_fails(
    hook: "Hook",
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The entry is written before the search: the store is busy, and the prompt is captured later."""
    with Ghost.open(settings=settings) as ghost:
        ghost.put(NS, "known", "Tabs or spaces in this project: see the style guide.")
    lock = apsw.Connection(settings.path)
    lock.execute("BEGIN IMMEDIATE")
    monkeypatch.setenv("GHOST_NS", NS)
    monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "0.01")
    assert hook.raw(cursor_prompt(TABS), "cursor") == ""
    assert [entry.call.prompt for entry in entries(settings)] == [TABS]
    lock.execute("ROLLBACK")
    lock.close()
    drain(settings)
    assert (TABS, 1) in stored(settings)


def add_cursor_prompt(settings: Settings, text: str, session: str = "c-1", ns: str = NS) -> None:
    """Queue a prompt of Cursor."""
    add_entry(settings, read_call("cursor", None, cursor_prompt(text, session).encode()), ns)


def test_each_prompt_is_captured_in_its_own_namespace(settings: Settings) -> None:
    """Entries of one session in two namespaces are not mixed."""
    add_cursor_prompt(settings, TABS)
    add_cursor_prompt(settings, CENTS, ns="project:garden")
    drain(settings)
    with Ghost.open(settings=settings) as ghost:
        by_ns = {ns: [m.content for m in ghost.list(ns)] for ns in (NS, "project:garden")}
    assert by_ns == {NS: [TABS], "project:garden": [CENTS]}


FRIDAY = "Please never deploy the service on Fridays without asking me first."


def long_prompt() -> str:
    """Return a prompt with the limit behind the third word of its last line."""
    half = FRIDAY[: FRIDAY.index(" the service")]
    rest = MAX_PROMPT - len(f"{TABS}\n") - len(half)
    filler = "The build log is long.\n"
    lines = filler * (rest // len(filler) - 1)
    return f"{TABS}\n{lines}{'x' * (rest - len(lines) - 1)}\n{FRIDAY}\n{CENTS}"


def test_a_long_prompt_is_cut_between_lines(settings: Settings) -> None:
    """Half a statement is not captured."""
    add_cursor_prompt(settings, long_prompt())
    drain(settings)
    assert stored(settings) == [(TABS, 1)]


def test_a_long_prompt_is_found_in_the_transcript(
    settings: Settings, transcript: Callable[..., Path]
) -> None:
    """The queued part of a prompt is not captured next to the whole text."""
    path = transcript(spoken(long_prompt()), spoken(f"No, never mind. {TABS}"))
    add_prompt(settings, long_prompt(), path)
    add_call(settings, path)
    texts = _user_texts(entries(settings), 0).texts
    assert texts == [long_prompt(), f"No, never mind. {TABS}"]


def test_an_unfinished_entry_is_no_entry(
    settings: Settings, transcript: Callable[..., Path]
) -> None:
    """A hook that is killed while it writes leaves a file that nobody reads."""
    add_call(settings, transcript(spoken(TABS)))
    folder = Path(queue_folder(settings) or "")
    entry = folder / os.path.basename(entries(settings)[0].path)
    entry.rename(folder / f".{entry.name}.tmp")
    (folder / "0-1.0.json").write_text("{", encoding="utf-8")
    assert entries(settings) == []
    assert not has_due(settings)
    assert drain(settings) == []


def test_a_worker_removes_old_leftovers(
    settings: Settings, transcript: Callable[..., Path]
) -> None:
    """Unfinished files, unreadable entries and old messages go after a day, and nothing else."""
    add_call(settings, transcript(spoken(TABS)))
    old = (now() - timedelta(days=2)).timestamp()
    folder = Path(queue_folder(settings) or "")
    for name in (".1-1.0.json.tmp", "1-1.0.json", ".2-1.0.json.tmp", "2-1.0.json"):
        (folder / name).write_text("{", encoding="utf-8")
    (folder / "1-1.captured").write_text(f'["{NS}", 7]', encoding="utf-8")
    for name in (".1-1.0.json.tmp", "1-1.0.json", "1-1.captured"):
        os.utime(folder / name, (old, old))
    drain(settings)
    assert take_captured(settings, NS) == 1
    assert sorted(os.listdir(folder)) == [".2-1.0.json.tmp", ".lock", "2-1.0.json"]


def test_one_worker_at_a_time(settings: Settings, transcript: Callable[..., Path]) -> None:
    """While another has the lock nothing is done, and nothing is lost."""
    add_call(settings, transcript(spoken(TABS)))
    with lock_file(Path(queue_folder(settings) or "", ".lock")):
        assert drain(settings) == []
    assert len(entries(settings)) == 1
    assert drain(settings) == [NS]
    assert stored(settings) == [(TABS, 1)]


def test_a_hook_that_captures_waits_for_the_lock(
    hook: "Hook", settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --wait the statements are stored when the hook returns, although a worker was busy."""
    monkeypatch.setenv("GHOST_NS", NS)
    add_cursor_prompt(settings, CENTS, "c-2")
    is_held = threading.Event()

    def hold() -> None:
        with lock_file(Path(queue_folder(settings) or "", ".lock")):
            is_held.set()
            until(lambda: len(entries(settings)) == 2)
            time.sleep(0.2)

    worker = threading.Thread(target=hold)
    worker.start()
    is_held.wait()
    hook.raw(cursor_prompt(TABS), "cursor")
    worker.join()
    assert stored(settings) == sorted([(TABS, 1), (CENTS, 1)])


def test_an_entry_that_ends_every_worker_is_dropped(
    hook: "Hook", settings: Settings, transcript: Callable[..., Path]
) -> None:
    """What cannot be captured does not block the queue for ever."""
    add_call(settings, transcript(spoken(TABS)))
    with_attempts(entries(settings)[0], MAX_ATTEMPTS)
    add_call(settings, transcript(spoken(CENTS, "s-2"), name="second.jsonl"), "s-2")
    drain(settings)
    assert entries(settings) == []
    assert stored(settings) == [(CENTS, 1)]
    assert [line.split(": ", 1)[1] for line in hook.lines()] == [
        f"not captured: gave up after {MAX_ATTEMPTS} attempts"
    ]


def run_worker(settings: Settings, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run a worker to its end."""
    return subprocess.run(
        [sys.executable, "-m", "ghostmem.hooks.worker"],
        input=json.dumps({"db": settings.path}).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "GHOST_EMBED_PROVIDER": "none", **env},
    )


@pytest.mark.process
def test_a_session_that_ends_workers_does_not_block_others(
    settings: Settings, write_lock: Callable[[], object]
) -> None:
    """Its attempts are counted although it gets new entries, and sessions with fewer come first."""
    add_cursor_prompt(settings, CENTS, "bad")
    for count in (1, 2):
        kill_worker(settings, attempts=count)
        add_cursor_prompt(settings, CENTS, "bad")
    add_cursor_prompt(settings, TABS, "good")
    assert [group[0].call.session for group in _untried(settings, set())] == ["good", "bad"]


def test_an_entry_that_cannot_be_counted_does_not_stop_others(
    hook: "Hook", settings: Settings
) -> None:
    """Another process has removed an entry; the rest of the queue is captured."""
    add_cursor_prompt(settings, CENTS, "gone")
    add_cursor_prompt(settings, TABS, "there")
    [gone, there] = _untried(settings, set())
    os.unlink(gone[0].path)
    assert [_capture(settings, group) for group in (gone, there)] == [False, True]
    assert stored(settings) == [(TABS, 1)]
    assert "FileNotFoundError" in hook.lines()[0]


@pytest.mark.process
def test_a_worker_logs_what_ends_it(hook: "Hook", settings: Settings) -> None:
    """Nobody reads its standard error."""
    add_cursor_prompt(settings, TABS)
    Path(queue_folder(settings) or "", ".lock").mkdir()
    done = run_worker(settings)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split(" ", 1)[1].split(" at ")[0] for line in hook.lines()] == [
        "- capture: InvalidInputError"
    ]


@pytest.mark.process
def test_a_worker_captures_without_a_broken_configuration(
    settings: Settings, tmp_path: Path
) -> None:
    """The hook that has queued the entry ignored the file too."""
    config = tmp_path / "broken.toml"
    config.write_text("no = = toml", encoding="utf-8")
    add_cursor_prompt(settings, TABS)
    assert run_worker(settings, GHOST_CONFIG=str(config)).returncode == 0
    assert stored(settings) == [(TABS, 1)]


def test_a_busy_store_costs_no_attempt(
    hook: "Hook",
    settings: Settings,
    transcript: Callable[..., Path],
    write_lock: Callable[[], object],
) -> None:
    """An error that passes leaves the entry as it was."""
    add_call(settings, transcript(spoken(TABS)))
    drain(Settings(db=settings.db, embed_provider="none", busy_timeout=0.01))
    assert [entry.attempts for entry in entries(settings)] == [0]
    assert "StoreBusyError" in hook.lines()[0]
    write_lock()
    drain(settings)
    assert stored(settings) == [(TABS, 1)]


def test_a_prompt_waits_for_the_end_of_its_turn(
    hook: "Hook", settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that never ends is given up after some hours; other sessions do not touch it before."""
    hook("UserPromptSubmit", prompt=TABS)
    hook("Stop", session_id="s-2")
    assert len(entries(settings)) == 1
    assert stored(settings) == []
    later = now() + timedelta(hours=7)
    monkeypatch.setattr("ghostmem.hooks.queue.now", lambda: later)
    hook("Stop", session_id="s-2")
    assert stored(settings) == [(TABS, 1)]


def test_a_resumed_session_keeps_its_queue(
    hook: "Hook", settings: Settings, transcript: Callable[..., Path]
) -> None:
    """A session that is resumed before it was captured is captured from its beginning."""
    path = transcript(spoken(TABS))
    with Ghost.open(settings=settings) as ghost:
        ghost.put(NS, "known", "The shop sells widgets.", kind="semantic")
    add_call(settings, path)
    hook("SessionStart", source="resume", transcript_path=str(path))
    hook("Stop", transcript_path=str(path))
    assert (TABS, 1) in stored(settings)


@pytest.mark.process
def test_a_session_that_starts_has_what_the_last_one_said(
    stop: Callable[[Path], None],
    hook: "Hook",
    program: "Program",
    settings: Settings,
    transcript: Callable[..., Path],
) -> None:
    """The start of a session waits a moment for the captures of the one before."""
    with Ghost.open(settings=settings) as ghost:
        ghost.put(NS, "known", "The shop sells widgets.", kind="semantic")
    stop(transcript(spoken(TABS)))
    start: dict[str, Any] = hook.payload("SessionStart", source="startup", session_id="s-2")
    answer = program("hook", "claude", input=json.dumps(start))
    assert TABS in answer.out


def test_the_queue_is_private(settings: Settings, transcript: Callable[..., Path]) -> None:
    """Prompts are readable by their user only, and the queue of a database has no password in its name."""
    home = Path(settings.path).parent
    if home.exists():
        home.rmdir()
    add_call(settings, transcript(spoken(TABS)))
    folder = queue_folder(settings) or ""
    assert os.stat(folder).st_mode & 0o077 == 0
    assert os.stat(home).st_mode & 0o077 == 0
    assert os.stat(entries(settings)[0].path).st_mode & 0o077 == 0
    assert "secret" not in (queue_folder(Settings(db="postgresql://u:secret@h/d")) or "")
    assert queue_folder(Settings(db=":memory:")) is None


def test_the_queue_of_a_database_is_in_the_home_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sessions with different configuration files have the same queue."""
    monkeypatch.setenv("GHOST_CONFIG", str(tmp_path / "project" / "ghost.toml"))
    folder = Path(queue_folder(Settings(db="postgresql://h/d")) or "")
    assert folder.parent == home / ".ghost"
