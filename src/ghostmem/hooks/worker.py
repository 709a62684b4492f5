"""Capture from the entries of the queue, then run the lifecycle once a day; ends by itself.

This module runs as a process of its own. One worker at a time holds the lock of a queue.
A worker may be killed at any moment: an entry is removed after its statements are stored and the
position in the transcript is recorded, and a statement that is stored again changes nothing.
"""

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from ghostmem.clock import now
from ghostmem.errors import ConflictError, GhostError
from ghostmem.ghost import Ghost
from ghostmem.hooks.capture import capture_entries
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.later import run_job
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import (
    MAX_AGE,
    CaptureEntry,
    by_session,
    entries,
    queue_folder,
    remove,
    remove_leftovers,
    store_exists,
    with_attempts,
)
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.model import NsFilter
from ghostmem.notes.lock import lock_file
from ghostmem.settings import Settings
from ghostmem.store.store import Store

SESSION_SECONDS = 120.0  # to capture from one session
MAX_ATTEMPTS = 8  # entries whose capture ended this many workers are dropped
ENDINGS = (Moment.STOP, Moment.END)  # the lifecycle runs after these
_TRANSIENT = (4, 5, 6)  # exit codes of errors worth another try: of the store, of a provider
_LOCK = ".lock"
_TOO_LONG = "took too long and gave up"
INTERVAL = timedelta(days=1)
# A run that takes longer is ended; the next one finishes it.
REFLECT_SECONDS = 300.0
_MAX_RUNS = 100  # recent runs that are looked at
_NICENESS = 10


def work(settings: Settings, _: object) -> None:
    """Work on the queue of a store, then reflect on the namespaces whose sessions ended."""
    late = partial(write_log_line, log_path(settings), "-", "capture", _TOO_LONG)
    with Watchdog(SESSION_SECONDS, late) as watchdog:
        ended = drain(settings, watchdog)
    for ns in ended if settings.hook_reflect and store_exists(settings) else ():
        reflect_daily(settings, ns)


def drain(settings: Settings, watchdog: Watchdog | None = None, patience: float = 0.0) -> list[str]:
    """Capture from all entries that are due; return the namespaces in which a turn has ended.

    Waits for `patience` seconds while another worker has the lock. After that nothing is done: the
    other one looks for new entries before it ends.
    """
    folder = queue_folder(settings)
    ended: dict[str, None] = {}
    tried: set[str] = set()  # entries that could not be captured now are left for another worker
    while folder is not None and _untried(settings, tried):
        try:
            with lock_file(Path(folder, _LOCK), patience):
                remove_leftovers(settings)
                for group in _untried(settings, tried):
                    tried.update(entry.id for entry in group)
                    if watchdog is not None:
                        watchdog.extend(time.monotonic() - watchdog.began + SESSION_SECONDS)
                    if _capture(settings, group):
                        ended |= {e.ns: None for e in group if e.call.moment in ENDINGS}
        except ConflictError:
            break
    return list(ended)


def _untried(settings: Settings, tried: set[str]) -> list[list[CaptureEntry]]:
    """Return the groups of entries that are due, without those that were tried.

    Groups with fewer attempts come first, so that one that ends its worker does not block others.
    """
    untried = [
        group
        for group in by_session(entries(settings))
        if any(entry.id not in tried for entry in group)
    ]
    return sorted(untried, key=_attempts)


def _capture(settings: Settings, group: list[CaptureEntry]) -> bool:
    """Capture from the entries of a session and remove them; False leaves them for later.

    The attempt is counted on the first entry before it begins, so that entries that end their
    worker are dropped in the end. A transient error, such as a busy store, is not counted."""
    before, attempts, problem, is_done = group[0].attempts, _attempts(group), "", True
    try:
        if attempts >= MAX_ATTEMPTS:
            problem = f"not captured: gave up after {attempts} attempts"
        elif now() - group[-1].at > MAX_AGE:
            problem = "not captured: too old"
        else:
            group[0] = with_attempts(group[0], attempts + 1)
            capture_entries(settings, group)
    except Exception as error:  # noqa: BLE001 (one session must not stop the others)
        code = error.exit_code if isinstance(error, GhostError) else None
        problem = describe_error(error)
        is_done = code not in _TRANSIENT and not isinstance(error, OSError)
    try:
        if is_done:
            remove(group)
        elif group[0].attempts != before:
            group[0] = with_attempts(group[0], before)
    except OSError as error:
        problem, is_done = describe_error(error), False
    if problem:
        call = group[-1].call
        write_log_line(log_path(settings), call.host.name, call.event, problem)
    return is_done


def reflect_daily(settings: Settings, ns: str) -> None:
    """Reflect on a namespace if no run of the last day included it."""
    log = partial(write_log_line, log_path(settings), "-", "reflect")
    with Watchdog(REFLECT_SECONDS, partial(log, _TOO_LONG)):
        try:
            with Ghost.open(settings=settings) as ghost:
                if is_due(ghost.store, ns):
                    if hasattr(os, "nice"):
                        os.nice(_NICENESS)
                    ghost.reflect(ns)
        except Exception as error:  # noqa: BLE001 (the outermost handler of this process)
            log(describe_error(error))


def is_due(store: Store, ns: str) -> bool:
    """Say whether a namespace has memories, and no run of the last day included it."""
    with store.engine.read() as tx:
        runs = tx.runs.all(_MAX_RUNS)
        has_memories = bool(tx.search.spaces([ns]))
    since = store.clock() - INTERVAL
    recent = [run for run in runs if max(run.at, run.finished_at or run.at) > since]
    return has_memories and not any(NsFilter(run.scope).matches(ns) for run in recent)


def _attempts(group: Sequence[CaptureEntry]) -> int:
    return max(entry.attempts for entry in group)


if __name__ == "__main__":
    run_job(work, "capture")
