"""The log of hooks next to the store: one line per error, without the texts of sessions."""

import os
from contextlib import suppress
from functools import partial

from ghostmem.atomic import replacing
from ghostmem.clock import format_time, now
from ghostmem.errors import GhostError, place_of
from ghostmem.hooks.hosts import UnansweredError
from ghostmem.hooks.queue import queue_folder
from ghostmem.settings import Settings

NAME = "hooks.log"
MAX_BYTES = 64_000  # a longer log loses its older half
_MAX_LINE = 300  # characters
# exit codes of errors whose messages are about the store or a model, not about a text
_SAFE_EXIT_CODES = (5, 6)


def log_path(settings: Settings) -> str | None:
    """Return the path of the log, or None for a store in memory."""
    path = settings.path
    if path == ":memory:":
        return None
    if "://" in path:
        return f"{queue_folder(settings)}.log"
    return os.path.join(os.path.dirname(path) or ".", NAME)


def write_log_line(path: str | None, host: str, event: str, message: str) -> None:
    """Add a line to the log; errors of writing are ignored."""
    if path is None:
        return
    line = " ".join(
        f"{format_time(now())[:19]}Z {host[:20]} {event[:40] or '-'}: {message}".split()
    )[:_MAX_LINE]
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _shorten(path)
        with open(path, "ab", opener=partial(os.open, mode=0o600)) as stream:
            stream.write(f"{line}\n".encode("utf-8", "backslashreplace"))


def last_log_line(path: str | None) -> str | None:
    """Return the last line of the log, or None without one."""
    try:
        with open(path or "", "rb") as stream:
            return stream.read(2 * MAX_BYTES).decode("utf-8", "replace").splitlines()[-1]
    except (OSError, IndexError):
        return None


def describe_error(error: BaseException) -> str:
    """Describe an error and its place without the texts of a session."""
    if isinstance(error, UnansweredError):
        return str(error)
    if isinstance(error, GhostError) and error.exit_code in _SAFE_EXIT_CODES:
        return f"{type(error).__name__}: {error.message}"
    reason = f": {error.strerror}" if isinstance(error, OSError) else ""
    return f"{type(error).__name__}{reason}{place_of(error)}"


def _shorten(path: str) -> None:
    if os.path.exists(path) and os.path.getsize(path) > MAX_BYTES:
        with open(path, "rb") as stream:
            recent = stream.read()[-MAX_BYTES // 2 :].partition(b"\n")[2]
        with replacing(path) as stream:
            stream.write(recent)
