"""ghost peek --watch: drawn in place on a terminal that is given back, in blocks elsewhere, while others write"""

import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Program

pytestmark = [
    pytest.mark.may_skip,
    pytest.mark.skipif(sys.platform == "win32", reason="terminals are those of Unix"),
]
PATIENCE = 60.0  # seconds after which what should be on the screen counts as missing
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """A terminal with the command in it: what it writes, and what stands on the screen."""

    def __init__(
        self,
        command: list[str | bytes],
        folder: Path,
        rows: int = 40,
        columns: int = 100,
        **env: str,
    ) -> None:
        import pty

        self._ours, self._theirs = pty.openpty()
        self.resize(rows, columns)
        kept = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")
        }
        environment = {**kept, "TERM": "xterm", **env}
        self.process = subprocess.Popen(
            command,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env=environment,
            cwd=folder,
        )
        self.written = ""

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        import fcntl
        import termios

        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float = 0.1) -> str:
        """Take in what was written."""
        while select.select([self._ours], [], [], seconds)[0]:
            self.written += os.read(self._ours, 65_536).decode()
            seconds = 0
        return self.written

    @property
    def frame(self) -> list[str]:
        """Return the lines that were drawn last, without their styles."""
        last = self.written.rsplit("\x1b[H", 2)
        whole = last[-1] if "ends it" in last[-1] or "again" in last[-1] else last[-2]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", whole).split("\r\n")

    def until(self, true: Callable[[list[str]], object], what: str) -> list[str]:
        """Wait until the screen shows something, and return it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.read()
            if "\x1b[H" in self.written and true(self.frame):
                return self.frame
            assert self.process.poll() is None, self.written
            assert time.monotonic() < deadline, (
                f"{what}: {self.frame if self.written else 'nothing'}"
            )

    def end(self, number: signal.Signals) -> int:
        """Send a signal and return how the command ended."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self.read()
        return code

    def close(self) -> None:
        """Close the terminal."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a store with two memories."""
    path = tmp_path / "watched.db"
    with store(path) as ghost:
        ghost.put("a", "tea", "The user drinks green tea.", tags=["taste"])
        ghost.put("a", "cup", "The cup is blue.", pinned=True)
    return path


def store(path: Path) -> Ghost:
    """Open a store beside the command."""
    return Ghost.open(str(path), settings=Settings(embed_provider="none"))


@pytest.fixture
def terminal(program: "Program", tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Return a function that watches a store in a terminal."""
    made: list[Terminal] = []

    def run(db: Path, *args: str, **more: object) -> Terminal:
        command = program.command(
            "--db", str(db), "peek", "--all", "--watch", "--interval", "0.2", *args
        )
        made.append(Terminal(command, tmp_path, **more))  # type: ignore[arg-type]
        return made[-1]

    yield run
    for one in made:
        one.close()


def told(word: str) -> Callable[[list[str]], bool]:
    """Return whether a word is on the screen."""
    return lambda frame: any(word in line for line in frame)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_screen_is_given_back(
    terminal: Callable[..., Terminal], db: Path, number: signal.Signals
) -> None:
    """The other screen is entered once, drawn over without being cleared, and left at the end, with the cursor."""
    screen = terminal(db)
    frame = screen.until(told("Newest"), "the look")
    assert frame[0].startswith("a: 2 memories") or frame[0].startswith("all namespaces: 2 memories")
    assert screen.end(number) == 0
    assert screen.written.startswith(f"{ENTER}\x1b[?25l")
    assert screen.written.endswith(f"\x1b[?25h{LEAVE}")
    assert screen.written.count(ENTER) == screen.written.count(LEAVE) == 1
    assert "\x1b[2J" not in screen.written


def test_a_signal_during_a_wait_is_not_lost() -> None:
    """The handler does not wait for the lock of the event that the main thread waits with."""
    code = (
        "import os, signal; from ghostmem.cli.terminal import leaving\n"
        "with leaving() as stop:\n"
        "    with stop._cond: os.kill(os.getpid(), signal.SIGINT); print('held')\n"
        "    print(stop.wait(30))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], timeout=PATIENCE, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["held", "True"]


def test_what_another_process_writes_is_marked(terminal: Callable[..., Terminal], db: Path) -> None:
    """A put beside the command appears with a star, and so does the removal after it."""
    screen = terminal(db)
    screen.until(told("Newest"), "the look")
    assert not any(line.startswith("*") for line in screen.frame)
    with store(db) as ghost:
        ghost.put("a", "kettle", "The kettle is new.")
        frame = screen.until(
            lambda frame: [line for line in frame if line.startswith("*")], "the mark"
        )
        assert [line.split()[2:4] for line in frame if line.startswith("*")] == [["said", "kettle"]]
        assert any("1 change since the last update" in line for line in frame)
        ghost.rm("a", "kettle")
    frame = screen.until(told("deleted"), "the removal")
    assert frame[0].startswith("all namespaces: 2 memories")


def test_another_size_is_used_at_once(terminal: Callable[..., Terminal], db: Path) -> None:
    """Lines are as wide as the terminal is now, and no more of them than it has."""
    with store(db) as ghost:
        ghost.put("a", "long", "word " * 100)
    screen = terminal(db, rows=40, columns=100)
    screen.until(lambda frame: max(map(len, frame)) > 90, "a wide look")
    screen.resize(12, 50)
    frame = screen.until(lambda frame: max(map(len, frame)) <= 50, "a narrow look")
    assert len(frame) <= 12
    assert frame[-1].startswith("every 0.2 s")


def test_hostile_text_cannot_draw(terminal: Callable[..., Terminal], db: Path) -> None:
    """Escape sequences in a content are pictures on the screen."""
    with store(db) as ghost:
        ghost.put("a", "evil", "\x1b[2J\x1b]0;title\x07hidden\x9b2J", pinned=True)
    screen = terminal(db)
    screen.until(told("hidden"), "the text")
    assert [bad for bad in ("\x1b[2J", "\x1b]0;", "\x07", "\x9b") if bad in screen.written] == []


def test_colour_can_be_switched_off(terminal: Callable[..., Terminal], db: Path) -> None:
    """NO_COLOR leaves only the movements of the cursor."""
    screen = terminal(db, NO_COLOR="1")
    screen.until(told("Newest"), "the look")
    assert not re.search(r"\x1b\[[0-9;]*m", screen.written)


def test_a_busy_store_is_looked_at_all_the_same(
    terminal: Callable[..., Terminal], db: Path
) -> None:
    """While somebody holds the write lock the look goes on, and what they wrote is seen when they are done."""
    screen = terminal(db)
    screen.until(told("Newest"), "the look")
    holder = apsw.Connection(str(db))
    holder.execute("BEGIN IMMEDIATE")
    drawn = screen.written.count("\x1b[H")
    deadline = time.monotonic() + PATIENCE
    while screen.read().count("\x1b[H") < drawn + 3:
        assert time.monotonic() < deadline
    holder.execute("ROLLBACK")
    holder.close()
    with store(db) as ghost:
        ghost.put("a", "kettle", "The kettle is new.")
    screen.until(told("kettle"), "the news")


@pytest.mark.smoke
def test_a_pipe_gets_plain_blocks(program: "Program", db: Path) -> None:
    """The whole look first, then a block for what happened, without any control character; the end is quiet."""
    process = program.start("--db", db, "peek", "-n", "a", "--watch", "--interval", "0.2")
    assert process.stdout is not None
    assert process.stderr is not None
    first = [process.stdout.readline().decode()]
    while (
        not first[-1].endswith("The user drinks green tea.\n") or "Recently changed\n" not in first
    ):
        first.append(process.stdout.readline().decode())
    with store(db) as ghost:
        ghost.put("a", "kettle", "The kettle is new.")
        ghost.put("b", "other", "Somewhere else.")
    lines = [process.stdout.readline().decode() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    rest, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert lines[0] == "\n"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  a: 3 memories\n", lines[1])
    assert lines[2].split() == ["now", "said", "kettle", "The", "kettle", "is", "new."]
    assert "\x1b" not in "".join([*first, *lines, rest.decode()])
    assert "other" not in rest.decode()


def test_json_is_one_object_a_look(program: "Program", db: Path) -> None:
    """The first line is what peek prints; the next ones have what happened too, and come only when something did."""
    process = program.start("--db", db, "--json", "peek", "-n", "a", "--watch", "--interval", "0.2")
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert first == json.loads(program("--db", db, "--json", "peek", "-n", "a").out)
    with store(db) as ghost:
        ghost.put("a", "kettle", "The kettle is new.")
    then = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert then["total"] == 3
    assert [(one["op"], one["key"]) for one in then["happened"]] == [("put", "kettle")]


def test_a_store_that_is_made_later_is_seen(program: "Program", tmp_path: Path, home: Path) -> None:
    """Who watches before anything was stored is told so, and sees the first memory."""
    screen = Terminal(program.command("peek", "--all", "--watch", "--interval", "0.2"), tmp_path)
    try:
        screen.until(told("no store yet"), "that there is none")
        assert program("put", "-n", "a", "-k", "first", "The first.").code == 0
        screen.until(told("The first."), "the first memory")
        assert screen.end(signal.SIGINT) == 0
    finally:
        screen.close()


def test_a_reader_who_leaves_ends_it(program: "Program", db: Path) -> None:
    """`ghost peek --watch | head -1` ends when there is something to say, without a word."""
    process = program.start("--db", db, "peek", "--all", "--watch", "--interval", "0.2")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.readline()
    process.stdout.close()
    with store(db) as ghost:
        ghost.put("a", "kettle", "The kettle is new.")
    assert process.wait(PATIENCE) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_interval_has_bounds(program: "Program", db: Path) -> None:
    """Looking without a pause is refused."""
    done = program("--db", db, "peek", "--all", "--watch", "--interval", "0")
    assert done.code == 2
    assert "--interval" in done.err
