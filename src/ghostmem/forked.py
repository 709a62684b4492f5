"""Run a function in a copy of this process (a fork), which has all its data without reading it.

A copy is made on Linux only, and only while this process has a single thread, because a copy of a
process with more may wait forever for a lock that another thread held."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

THREADS = "/proc/self/task"  # one entry for each thread of this process, also those of libraries


def can_fork() -> bool:
    """Say whether a copy of this process is safe, and has a processor of its own."""
    try:
        return (
            sys.platform == "linux" and (os.cpu_count() or 1) > 1 and len(os.listdir(THREADS)) == 1
        )
    except OSError:
        return False


@contextmanager
def copied(run: Callable[[Connection[Any, Any]], None]) -> Iterator[Connection[Any, Any]]:
    """Run a function in a copy of this process, and yield the connection to it.

    The copy ends with the function, or when it uses the connection after this process has left
    the context."""
    from multiprocessing import Pipe

    own, other = Pipe()
    child = os.fork()
    if child == 0:
        try:
            own.close()
            _leave_signals()
            run(other)
        finally:
            os._exit(0)  # leave open files and everything else to the first process
    other.close()
    try:
        with own:
            yield own
    finally:
        with suppress(ChildProcessError):  # the program waits for its children itself
            os.waitpid(child, 0)


def _leave_signals() -> None:
    """Leave interrupts to the first process; no handler of a program runs twice."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
