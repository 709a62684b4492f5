"""A screen that is drawn again and again in the same place, and given back as it was, however the
program ends.
"""

import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# seconds after which it is noticed that the terminal has another size, or that it is time to go
STEP = 0.1
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _TO_END_OF_LINE, _TO_END = "\x1b[H", "\x1b[K", "\x1b[J"


class Leaving:
    """Whether somebody said stop: Ctrl-C, or a signal to end."""

    def __init__(self) -> None:
        self.told = False

    def wait(self, seconds: float, early: Callable[[], bool] = bool) -> bool:
        """Wait, unless it is time to go or `early` says that it is time to draw.

        Say whether it is time to go.
        """
        end = time.monotonic() + seconds
        while not self.told and (left := end - time.monotonic()) > 0 and not early():
            time.sleep(min(STEP, left))
        return self.told


@contextmanager
def leaving() -> Iterator[Leaving]:
    """Take the signals that end a program, and give them back afterwards."""
    found = Leaving()

    def stop(*_: object) -> None:
        found.told = True

    names = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    before = {one: signal.signal(one, stop) for one in names}
    try:
        yield found
    finally:
        for one, old in before.items():
            signal.signal(one, old)


@contextmanager
def screen() -> Iterator[Callable[[list[str]], None]]:
    """Use the terminal's other screen.

    What is returned draws lines on it, as many as there is room for.
    """
    sys.stdout.write(_ENTER)
    sys.stdout.flush()
    try:
        yield _draw
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()


def size() -> tuple[int, int]:
    """Return how many columns and lines the terminal has."""
    found = shutil.get_terminal_size((100, 40))
    return found.columns, found.lines


def _draw(lines: list[str]) -> None:
    """Draw over what is there, line by line, so that nothing flickers."""
    rows = size()[1]
    shown = lines[:rows]
    body = "\n".join(line + _TO_END_OF_LINE for line in shown)
    sys.stdout.write(_HOME + body + (_TO_END if len(shown) < rows else ""))
    sys.stdout.flush()
