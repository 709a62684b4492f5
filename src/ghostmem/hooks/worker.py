"""Capture from the entries of the queue, then run the lifecycle once a day; ends by itself.

`start` starts this module as a process of its own. One worker at a time holds the lock of a queue.
A worker may be killed at any moment: an entry is removed after its statements are stored and the
position in the transcript is recorded, and a statement that is stored again changes nothing.
"""

import sys
import time
from collections.abc import Sequence

from ghostmem.clock import now
from ghostmem.errors import ConflictError, GhostError
from ghostmem.hooks.detached import start_detached
from ghostmem.hooks.hosts import Moment
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import (
    MAX_AGE,
    CaptureEntry,
    by_session,
    entries,
    queue_folder,
    remove,
    with_attempts,
)
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.settings import Settings, load

SESSION_SECONDS = 120.0  # to capture from one session
MAX_ATTEMPTS = 8  # an entry that ended so many workers is dropped
ENDINGS = (Moment.STOP, Moment.END)  # the lifecycle runs after these
_PASSING = (4, 5, 6)  # exit codes of errors that pass: a busy or broken store, a provider
_LOCK = ".lock"


def start(settings: Settings) -> None:
    """Start a worker in the background.

    It reads the location of the store from standard input: a URL may contain a password, and the
    arguments of a process are visible to every user of the machine."""
    start_detached("ghostmem.hooks.worker", data=settings.path.encode())


def main() -> None:
    """Work on the queue of the store that standard input names."""
    settings = load(db=sys.stdin.buffer.read().decode())

    def late() -> None:
        write_log_line(log_path(settings), "-", "capture", "took too long and gave up")

    with Watchdog(SESSION_SECONDS, late) as watchdog:
        ended = drain(settings, watchdog)
    if settings.hook_reflect:
        from ghostmem.hooks.upkeep import reflect_daily

        for ns in ended:
            reflect_daily(settings, ns)


def drain(settings: Settings, watchdog: Watchdog | None = None) -> list[str]:
    """Capture from all entries that are due; return the namespaces in which a turn has ended.

    While another worker has the lock, nothing is done: it looks for new entries before it ends.
    """
    from pathlib import Path

    from ghostmem.notes.lock import lock_file

    folder = queue_folder(settings)
    ended: dict[str, None] = {}
    tried: set[str] = set()  # entries that could not be captured now are left for another worker
    while folder is not None and _untried(settings, tried):
        try:
            with lock_file(Path(folder, _LOCK)):
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
    """Return the entries that are due by session, without those that were tried."""
    groups = by_session(entries(settings))
    return [group for group in groups if any(entry.id not in tried for entry in group)]


def _capture(settings: Settings, group: Sequence[CaptureEntry]) -> bool:
    """Capture from the entries of a session and remove them; False leaves them for later.

    An attempt is counted before it begins, so that an entry that ends its worker is dropped in
    the end. An error that passes, such as a store that is busy, is not counted."""
    from ghostmem.hooks.capture import capture_entries

    *earlier, last = group
    problem = _hopeless(last)
    if not problem:
        counted = with_attempts(last, last.attempts + 1)
        group = [*earlier, counted]
        try:
            capture_entries(settings, group)
        except Exception as error:  # noqa: BLE001 (one session must not stop the others)
            problem = describe_error(error)
            if isinstance(error, OSError) or (
                isinstance(error, GhostError) and error.exit_code in _PASSING
            ):
                with_attempts(counted, last.attempts)
                group = []
    if problem:
        write_log_line(log_path(settings), last.call.host.name, last.call.event, problem)
    remove(group)
    return bool(group)


def _hopeless(entry: CaptureEntry) -> str:
    """Return why an entry is dropped, or an empty text."""
    if entry.attempts >= MAX_ATTEMPTS:
        return f"not captured: {entry.attempts} attempts did not end"
    return "not captured: too old" if now() - entry.at > MAX_AGE else ""


if __name__ == "__main__":
    main()
