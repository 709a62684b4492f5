"""A terminal screen that is redrawn in place, and restored when the program ends."""

import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# seconds after which it is noticed that the terminal has another size, or that it is time to go
STEP = 0.1
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _TO_END_OF_LINE, _TO_END = "\x1b[H", "\x1b[K", "\x1b[J"


@contextmanager
def leaving() -> Iterator[threading.Event]:
    """Set an event at the signals that end a program, and restore their handlers afterwards."""
    stop = threading.Event()
    names = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in names}
    try:
        yield stop
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def screen() -> Iterator[Callable[[list[str]], None]]:
    """Switch to the terminal's alternate screen, and yield a function that draws lines on it."""
    sys.stdout.write(_ENTER)
    sys.stdout.flush()
    try:
        yield _draw
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()


def wait_for_size(stop: threading.Event, seconds: float) -> None:
    """Wait until asked to stop, or until the terminal has another size."""
    end, before = time.monotonic() + seconds, size()
    while size() == before and (left := end - time.monotonic()) > 0:
        if stop.wait(min(STEP, left)):
            return


def size() -> tuple[int, int]:
    """Return the number of columns and lines of the terminal."""
    found = shutil.get_terminal_size((100, 40))
    return found.columns, found.lines


def _draw(lines: list[str]) -> None:
    """Redraw line by line, without flicker."""
    rows = size()[1]
    shown = lines[:rows]
    body = "\n".join(line + _TO_END_OF_LINE for line in shown)
    sys.stdout.write(_HOME + body + (_TO_END if len(shown) < rows else ""))
    sys.stdout.flush()
