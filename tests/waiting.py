"""Wait for something that another thread or process does."""

import time
from collections.abc import Callable
from typing import TypeVar

MAX_WAIT = 60.0  # seconds; the machine may be busy
PAUSE = 0.02
T = TypeVar("T")


def until(result: Callable[[], T], what: str = "it", seconds: float = MAX_WAIT) -> T:
    """Call a function until its result is true, and return that; fail when the time is up."""
    deadline = time.monotonic() + seconds
    while not (found := result()):
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds:g} s"
        time.sleep(PAUSE)
    return found
