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
from ghostmem.hooks.detached import settings_for, start_detached
from ghostmem.hooks.hosts import Moment
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
    """Start a worker in the background.

    It reads the location of the store from standard input: a URL may contain a password, and the
    arguments of a process are visible to every user of the machine."""
    start_detached("ghostmem.hooks.worker", settings.path.encode())


def main() -> None:
    """Work on the queue of the store that standard input names."""
    settings = settings_for(sys.stdin.buffer.read().decode())

    def log(message: str) -> None:
        write_log_line(log_path(settings), "-", "capture", message)

    try:
        with Watchdog(SESSION_SECONDS, lambda: log("took too long and gave up")) as watchdog:
            ended = drain(settings, watchdog)
    except Exception as error:  # noqa: BLE001 (the outermost handler of this process)
        log(describe_error(error))
        return
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
    """Capture from the entries of a session and remove them; False leaves them for later."""
    try:
        problem = _drop_reason(group) or _try(settings, group)
        remove(group)
    except Exception as error:  # noqa: BLE001 (one session must not stop the others)
        _log(settings, group, describe_error(error))
        return False
    if problem:
        _log(settings, group, problem)
    return True


def _try(settings: Settings, group: list[CaptureEntry]) -> str:
    """Capture from the entries of a session; return why they cannot be captured, or "".

    The attempt is counted on the first entry before it begins, so that entries that end their
    worker are dropped in the end. A transient error, such as a busy store, is raised and not
    counted."""
    from ghostmem.hooks.capture import capture_entries

    before = group[0].attempts
    group[0] = with_attempts(group[0], _attempts(group) + 1)
    try:
        capture_entries(settings, group)
    except Exception as error:
        if not _is_transient(error):
            return describe_error(error)
        group[0] = with_attempts(group[0], before)
        raise
    return ""


def _is_transient(error: Exception) -> bool:
    is_reported = isinstance(error, GhostError) and error.exit_code in _TRANSIENT
    return is_reported or isinstance(error, OSError)


def _attempts(group: Sequence[CaptureEntry]) -> int:
    return max(entry.attempts for entry in group)


def _drop_reason(group: Sequence[CaptureEntry]) -> str:
    """Return why the entries of a session are dropped, or an empty text."""
    if (attempts := _attempts(group)) >= MAX_ATTEMPTS:
        return f"not captured: gave up after {attempts} attempts"
    return "not captured: too old" if now() - group[-1].at > MAX_AGE else ""


def _log(settings: Settings, group: Sequence[CaptureEntry], message: str) -> None:
    call = group[-1].call
    write_log_line(log_path(settings), call.host.name, call.event, message)


if __name__ == "__main__":
    main()
