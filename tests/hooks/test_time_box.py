"""Whatever is stuck, a host goes on: exit code 0, nothing on standard output, one line in the log"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from ghostmem.hooks.log import MAX_BYTES, describe_error, last_log_line, log_path, write_log_line
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.settings import Settings
from hooks.conftest import spoken

if TYPE_CHECKING:
    from hooks.conftest import Hook, Program, Result

MONEY = "How do we store money in the cart table?"
BOX = "0.5"
EVENTS: list[tuple[str, dict[str, Any]]] = [
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": MONEY}),
]


@pytest.fixture
def send(hook: "Hook", program: "Program") -> Callable[..., "Result"]:
    """Return a function that sends an event to the installed program, with the time box of hosts that are in a hurry."""

    def call(event: str, fields: dict[str, Any], *args: str, **env: str) -> "Result":
        return program(
            "hook",
            "claude",
            *args,
            input=json.dumps(hook.payload(event, **fields)),
            **{"GHOST_HOOK_TIMEOUT": BOX, **env},
        )

    return call


def silent(result: "Result") -> bool:
    """Say whether a host noticed nothing."""
    return (result.code, result.out, result.err) == (0, "", "")


@pytest.fixture
def write_lock(filled: Path) -> Iterator[apsw.Connection]:
    """Hold the write lock as a program that hangs would."""
    db = apsw.Connection(str(filled))
    db.execute("BEGIN IMMEDIATE")
    yield db
    db.execute("ROLLBACK")
    db.close()


@pytest.fixture
def whole_lock(filled: Path) -> Iterator[apsw.Connection]:
    """Keep everybody else out of the file."""
    db = apsw.Connection(str(filled))
    db.execute("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE mine (a)").fetchall()
    yield db
    db.close()


@pytest.mark.parametrize(("event", "fields"), EVENTS, ids=["start", "prompt"])
def test_a_stuck_write_lock(
    send: Any, hook: "Hook", write_lock: apsw.Connection, event: str, fields: dict[str, Any]
) -> None:
    """Where it cannot be written down what was shown, nothing is shown."""
    assert silent(send(event, fields))
    assert len(hook.lines()) == 1
    assert "StoreBusyError" in hook.lines()[0] or "too long" in hook.lines()[0]


@pytest.mark.parametrize(("event", "fields"), EVENTS, ids=["start", "prompt"])
def test_a_store_that_another_program_has_to_itself(
    send: Any, hook: "Hook", whole_lock: apsw.Connection, event: str, fields: dict[str, Any]
) -> None:
    """A store that cannot even be read is done without."""
    assert silent(send(event, fields))
    assert len(hook.lines()) == 1


def test_capturing_waits_longer_but_not_for_ever(
    send: Any, hook: "Hook", write_lock: apsw.Connection, transcript: Callable[..., Path]
) -> None:
    """A hook that captures gives up too, and takes it up again the next time."""
    path = transcript(spoken("I prefer tabs over spaces in this project."))
    assert silent(send("Stop", {"transcript_path": str(path)}, "--wait"))
    assert len(hook.lines()) == 1


def test_a_host_that_sends_nothing(program: "Program", hook: "Hook") -> None:
    """Standard input that stays open and empty is not waited for."""
    with program.start("hook", "claude", GHOST_HOOK_TIMEOUT=BOX) as child:
        assert child.stdout is not None
        assert child.stdout.read() == b""
        assert child.wait() == 0
        assert child.stdin is not None
        child.stdin.close()
    assert [line.split(": ", 1)[1] for line in hook.lines()] == ["took too long and gave up"]


def test_a_store_that_is_none(hook: "Hook", store: Path) -> None:
    """A file of something else, and a folder in the store's place, are errors like others."""
    store.parent.mkdir()
    store.write_text("not a database", encoding="utf-8")
    assert hook("SessionStart", source="startup") == ""
    store.unlink()
    store.mkdir()
    assert hook("UserPromptSubmit", prompt=MONEY) == ""
    assert [line.split(": ")[1] for line in hook.lines()] == [
        "NotADatabaseError",
        "NotADatabaseError",
    ]


def test_a_file_that_may_not_be_read(
    send: Any, hook: "Hook", filled: Path, transcript: Callable[..., Path]
) -> None:
    """A transcript without permission is a line in the log; to root every file is readable."""
    path = transcript(spoken("I prefer tabs over spaces in this project."))
    path.chmod(0)
    assert silent(send("Stop", {"transcript_path": str(path)}, "--wait"))
    assert len(hook.lines()) == (0 if os.access(path, os.R_OK) else 1)


def test_settings_that_cannot_be_read(send: Any, hook: "Hook", filled: Path, home: Path) -> None:
    """A broken configuration file is noted and done without; a broken variable ends the hook, silently."""
    (home / ".ghost" / "config.toml").write_text("db = [", encoding="utf-8")
    result = send("SessionStart", {"source": "startup"}, GHOST_HOOK_TIMEOUT="60")
    assert (result.code, result.err) == (0, "")
    assert "integer cents" in result.out
    assert silent(send("SessionStart", {"source": "startup"}, GHOST_HOOK_TIMEOUT="soon"))
    assert "configuration" in hook.lines()[0]
    assert (
        "hook_timeout: 'soon' is not a number from 0.1 to 600 (GHOST_HOOK_TIMEOUT)"
        in (hook.lines()[1])
    )


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "0", "1e10"])
def test_a_time_limit_that_is_out_of_range(
    send: Any, hook: "Hook", filled: Path, seconds: str
) -> None:
    """The log says so; the hook prints nothing, not even on standard error."""
    assert silent(send("SessionStart", {"source": "startup"}, "--timeout", seconds))
    assert "is not a number from 0.1 to 600 (--timeout)" in hook.lines()[-1]


@pytest.mark.parametrize(
    "args", [["hook"], ["hook", "claude", "--nonsense"], ["hook", "claude", "a", "b"]], ids=" ".join
)
def test_wrong_arguments_do_not_block_the_user(
    program: "Program", hook: "Hook", args: list[str]
) -> None:
    """Exit code 2 means to some hosts that the user is to be stopped: it is never given to one."""
    assert silent(program(*args, input="{}"))
    assert len(hook.lines()) == 1


def test_a_watchdog_leaves_once_and_only_when_it_is_late() -> None:
    """The time box ends what takes too long, and nothing that is done."""
    left: list[int] = []
    gone = threading.Event()

    def leave(code: int) -> None:
        left.append(code)
        gone.set()

    def be_late() -> None:
        with Watchdog(0.01, lambda: left.append(-1), leave):
            gone.wait(60)

    # in a thread the system's timer is not set; it would end the tests on a busy machine
    late = threading.Thread(target=be_late)
    late.start()
    late.join()
    assert left == [-1, 0]
    with Watchdog(60, lambda: left.append(-2), leave) as watchdog:
        watchdog.extend(120)
    assert left == [-1, 0]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.may_skip
def test_what_lets_no_thread_run_is_ended_by_the_system(tmp_path: Path) -> None:
    """A loop inside C code that holds the interpreter cannot outlast twice the time box."""
    script = (
        "import re\nfrom ghostmem.hooks.watchdog import Watchdog\n"
        "with Watchdog(0.2, lambda: None):\n    re.match('(a*)*b', 'a' * 40)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, timeout=60
    )
    assert done.returncode in (0, -signal.SIGALRM)
    assert done.stdout == b""


def test_the_log_stays_small_and_private(tmp_path: Path) -> None:
    """Older lines go, the last one is kept, and others cannot read it."""
    path = str(tmp_path / "new" / "hooks.log")
    for number in range(3 * MAX_BYTES // 100):
        write_log_line(path, "claude", "Stop", f"line {number} " + "x" * 60)
    assert os.path.getsize(path) <= MAX_BYTES + 200
    assert f"line {3 * MAX_BYTES // 100 - 1} " in (last_log_line(path) or "")
    assert os.stat(path).st_mode & 0o077 == 0
    assert os.listdir(tmp_path / "new") == ["hooks.log"]


def test_the_log_of_what_is_no_file(tmp_path: Path) -> None:
    """A store in memory has no log, that of a database is in the home folder without its password; a log that cannot be written changes nothing, and one that is not there says nothing."""
    assert log_path(Settings(db=":memory:")) is None
    name = log_path(Settings(db="postgresql://me:geheim@host/db")) or ""
    assert os.path.dirname(name) == os.path.expanduser("~/.ghost")
    assert name.endswith(".hooks.log")
    assert "geheim" not in name
    write_log_line(None, "claude", "Stop", "x")
    (tmp_path / "file").write_text("", encoding="utf-8")
    write_log_line(str(tmp_path / "file" / "hooks.log"), "claude", "Stop", "x")
    assert last_log_line(str(tmp_path / "file" / "hooks.log")) is None
    assert last_log_line(None) is None
    assert describe_error(ValueError("a secret")) == "ValueError"


def test_a_line_of_the_log_is_one_line(tmp_path: Path) -> None:
    """Nothing that a host sends can forge a line."""
    path = str(tmp_path / "hooks.log")
    write_log_line(path, "clau\nde", "Stop\r\n2026 forged", "what\u2028ever")
    assert len(Path(path).read_text(encoding="utf-8").splitlines()) == 1


def test_a_failure_is_visible_to_the_doctor(hook: "Hook", filled: Path) -> None:
    """What the host did not see, `ghost doctor` shows."""
    assert "hooks" not in hook.cli("doctor").out
    hook("Stop", transcript_path="/no/such/transcript")
    assert "hooks" not in hook.cli("doctor").out
    hook("Stop", transcript_path=str(hook.shop))
    out = hook.cli("doctor").out
    assert "claude Stop: the transcript that the host named is not a file" in out
