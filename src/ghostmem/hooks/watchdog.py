"""End a hook that takes too long, silently and with exit code 0."""

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Self

BACKSTOP = 2.0  # time limits after which the system ends a process that cannot end itself


class Watchdog:
    """End the process after some seconds, unless the work is done; `leave` is for tests."""

    def __init__(
        self, seconds: float, late: Callable[[], object], leave: Callable[[int], object] = os._exit
    ) -> None:
        self.began = time.monotonic()
        self._seconds, self._late, self._leave = seconds, late, leave
        self._done = threading.Event()
        self.busy = threading.Lock()  # while it is held, the process does not end

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="ghost-watchdog", daemon=True).start()
        self._alarm(self._seconds * BACKSTOP)
        return self

    def __exit__(self, *_: object) -> None:
        with self.busy:
            self._done.set()
        self._alarm(0)

    def extend(self, seconds: float) -> None:
        """Raise the limit to this many seconds from the beginning."""
        self._seconds = max(seconds, self._seconds)
        self._alarm(self._seconds * BACKSTOP)

    def _watch(self) -> None:
        while (left := self.began + self._seconds - time.monotonic()) > 0:
            if self._done.wait(left):
                return
        with self.busy:
            if not self._done.is_set():
                self._late()
                self._leave(0)

    def _alarm(self, seconds: float) -> None:
        """Let the system end the process if the interpreter runs no threads."""
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            signal.setitimer(signal.ITIMER_REAL, seconds)
