"""Capture from the entries of the queue, then run the lifecycle once a day; ends by itself.

`start` starts this module as a process of its own. One worker at a time holds the lock of a queue.
A worker may be killed at any moment: an entry is removed after its statements are stored and the
position in the transcript is recorded, and a statement that is stored again changes nothing.
"""

import time
from collections.abc import Sequence
from functools import partial

from ghostmem.clock import now
from ghostmem.errors import ConflictError, GhostError
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.later import run_job, start_later
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import (
    MAX_AGE,
    CaptureEntry,
    by_session,
    entries,
    queue_folder,
    remove,
    remove_leftovers,
    with_attempts,
)
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.settings import Settings

SESSION_SECONDS = 120.0  # to capture from one session
MAX_ATTEMPTS = 8  # entries whose capture ended this many workers are dropped
ENDINGS = (Moment.STOP, Moment.END)  # the lifecycle runs after these
_TRANSIENT = (4, 5, 6)  # exit codes of errors worth another try: of the store, of a provider
_LOCK = ".lock"


def start(settings: Settings) -> None:
    """Start a worker in the background."""
    start_later("ghostmem.hooks.worker", settings)


def work(settings: Settings, _: object) -> None:
    """Work on the queue of a store, then reflect on the namespaces whose sessions ended."""
    late = partial(write_log_line, log_path(settings), "-", "capture", "took too long and gave up")
    with Watchdog(SESSION_SECONDS, late) as watchdog:
        ended = drain(settings, watchdog)
    if settings.hook_reflect:
        from ghostmem.hooks.upkeep import reflect_daily

        for ns in ended:
            reflect_daily(settings, ns)


def drain(settings: Settings, watchdog: Watchdog | None = None, patience: float = 0.0) -> list[str]:
    """Capture from all entries that are due; return the namespaces in which a turn has ended.

    Waits for `patience` seconds while another worker has the lock. After that nothing is done: the
    other one looks for new entries before it ends.
    """
    from pathlib import Path

    from ghostmem.notes.lock import lock_file

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
    groups = by_session(entries(settings))
    untried = [group for group in groups if any(entry.id not in tried for entry in group)]
    return sorted(untried, key=_attempts)


def _capture(settings: Settings, group: list[CaptureEntry]) -> bool:
    """Capture from the entries of a session and remove them; False leaves them for later.

    The attempt is counted on the first entry before it begins, so that entries that end their
    worker are dropped in the end. A transient error, such as a busy store, is not counted."""
    from ghostmem.hooks.capture import capture_entries

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


def _attempts(group: Sequence[CaptureEntry]) -> int:
    return max(entry.attempts for entry in group)


if __name__ == "__main__":
    run_job(work, "capture")
