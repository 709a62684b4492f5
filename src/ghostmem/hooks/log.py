"""The log of hooks: one line for what went wrong, beside the store.

What was said is never in it.
"""

import os

from ghostmem.clock import format_time, now
from ghostmem.errors import GhostError
from ghostmem.hooks.unanswered import UnansweredError
from ghostmem.settings import Settings

NAME = "hooks.log"
MOST = 64_000  # bytes, after which the older half goes
_LONGEST = 300  # characters of a line
_TELLING = (
    5,
    6,
)  # exit codes of errors whose messages are about the store or a model, and not about what was said


def log_path(settings: Settings) -> str | None:
    """Return where the log is, or None for a store that is no file."""
    path = settings.path
    return (
        None
        if path == ":memory:" or "://" in path
        else os.path.join(os.path.dirname(path) or ".", NAME)
    )


def note(path: str | None, host: str, event: str, what: str) -> None:
    """Add a line; a log that cannot be written changes nothing."""
    if path is None:
        return
    line = " ".join(f"{format_time(now())[:19]}Z {host[:20]} {event[:40] or '-'}: {what}".split())[
        :_LONGEST
    ]
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _shorten(path)
        into = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(into, f"{line}\n".encode("utf-8", "backslashreplace"))
        finally:
            os.close(into)
    except OSError:
        pass


def last(path: str | None) -> str | None:
    """Return the last line of the log, or None when nothing ever went wrong."""
    if path is None:
        return None
    try:
        with open(path, "rb") as stream:
            lines = stream.read(2 * MOST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    return lines[-1] if lines else None


def told(error: BaseException) -> str:
    """Say what went wrong and where, in words that hold nothing of what was said."""
    if isinstance(error, UnansweredError):
        return str(error)
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = (
        f" at {os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}"
        if at is not None
        else ""
    )
    if isinstance(error, GhostError) and error.exit_code in _TELLING:
        return f"{type(error).__name__}: {error.message}"
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror}{where}"
    return f"{type(error).__name__}{where}"


def _shorten(path: str) -> None:
    try:
        if os.path.getsize(path) <= MOST:
            return
        with open(path, "rb") as stream:
            kept = stream.read()[-MOST // 2 :].partition(b"\n")[2]
    except OSError:
        return
    from ghostmem.atomic import replacing

    with replacing(path) as stream:
        stream.write(kept)
