"""The queue of captures: one small file per call of a hook, in a folder next to the store.

Hosts end a hook at any moment, so a hook only writes an entry, completely or not at all. A worker
captures from the entries and removes them; entries of a killed worker are left for the next one.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from ghostmem.atomic import sync_folder
from ghostmem.clock import now
from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.hooks.call import Call
from ghostmem.hooks.hosts import Moment
from ghostmem.settings import Settings

MAX_PROMPT = 50_000  # characters of a prompt that are kept
MAX_AGE = timedelta(days=30)  # an older entry is dropped
# A prompt is captured with the end of its turn; one whose turn never ended, after this time.
MAX_TURN = timedelta(hours=6)
FRESH = timedelta(minutes=1)  # an older entry could not be captured at once
MAX_LEFTOVER_AGE = timedelta(days=1)  # an older file that is not an entry is removed
_SUFFIX = ".json"
_CAPTURED = ".captured"  # a file with a namespace and the number of memories stored there
_UNFINISHED = ".tmp"
_REMOVABLE = (_SUFFIX, _CAPTURED, _UNFINISHED)


@frozen
class CaptureEntry:
    """A call to capture from: its file, its namespace, and how often that was begun."""

    path: str
    call: Call
    ns: str
    at: datetime
    attempts: int = 0

    @property
    def id(self) -> str:
        """Return the part of the file's name that does not change."""
        return os.path.basename(self.path).partition(".")[0]

    @property
    def session(self) -> str:
        """Return the id of the session in the store."""
        return self.call.session_id(self.ns)

    @property
    def is_due(self) -> bool:
        """Say whether to capture now: a prompt waits for its turn to be in the transcript."""
        call = self.call
        waits = call.moment is Moment.PROMPT and call.transcript and call.host.transcripts
        return not waits or now() - self.at > MAX_TURN


def store_exists(settings: Settings) -> bool:
    """Say whether the store exists; a hook that only reads must not create one."""
    return "://" in settings.path or os.path.exists(settings.path)


def queue_folder(settings: Settings) -> str | None:
    """Return the folder of the queue, or None for a store in memory."""
    path = settings.path
    if path == ":memory:":
        return None
    if "://" not in path:
        return f"{os.path.abspath(path)}.hooks"
    name = hashlib.sha256(path.encode()).hexdigest()[:16]  # a URL may contain a password
    return os.path.join(os.path.expanduser("~"), ".ghost", f"{name}.hooks")


def add_entry(settings: Settings, call: Call, ns: str) -> None:
    """Add a call to the queue; when this returns, the entry is on disk."""
    if (folder := queue_folder(settings)) is not None:
        entry = {**call.to_fields(), "ns": ns, "prompt": kept_prompt(call.prompt)}
        for path in (os.path.dirname(folder), folder):  # the mode is only that of the last folder
            os.makedirs(path, mode=0o700, exist_ok=True)
        _write(_new_path(folder, f".0{_SUFFIX}"), json.dumps(entry).encode())


def _new_path(folder: str, suffix: str) -> str:
    """Return the path of a new file; their names are in the order of their times."""
    return os.path.join(folder, f"{round(now().timestamp() * 1e6):016d}-{os.getpid()}{suffix}")


def kept_prompt(text: str) -> str:
    """Return the part of a prompt that is queued: of a long one, the first complete lines."""
    if len(text) > MAX_PROMPT:
        from ghostmem.text.machine import without_machine_text

        text = without_machine_text(text)  # before the cut, as in the texts of a transcript
    if len(text) <= MAX_PROMPT:
        return text
    end = max(text.rfind("\n", 0, MAX_PROMPT), text.rfind(". ", 0, MAX_PROMPT))
    return text[: end + 1 or MAX_PROMPT]


def _write(path: str, content: bytes) -> None:
    """Write a new file, which exists only with all of its content, and wait until it is on disk.

    Without `atomic.replacing`, because a hook has no time to import pathlib."""
    folder, name = os.path.split(path)
    unfinished = os.path.join(folder, f".{name}{_UNFINISHED}")
    with open(unfinished, "xb", opener=partial(os.open, mode=0o600)) as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(unfinished, path)
    sync_folder(folder)


def entries(settings: Settings) -> list[CaptureEntry]:
    """Return the entries, oldest first."""
    paths = (path for path in _paths(settings) if path.endswith(_SUFFIX))
    return [entry for entry in map(_read, paths) if entry is not None]


def add_captured(settings: Settings, ns: str, count: int) -> None:
    """Record that memories were captured, for the next hook of their namespace to say so."""
    if count and (folder := queue_folder(settings)) is not None:
        _write(_new_path(folder, _CAPTURED), json.dumps([ns, count]).encode())


def take_captured(settings: Settings, ns: str) -> int:
    """Return how many memories of a namespace were captured since this was last asked."""
    total = 0
    for path in _paths(settings):
        if path.endswith(_CAPTURED):
            with suppress(OSError, ValueError):
                with open(path, encoding="utf-8") as stream:
                    captured_ns, count = json.load(stream)
                if captured_ns == ns:
                    os.unlink(path)  # of several hooks, one succeeds
                    total += count
    return total


def remove_leftovers(settings: Settings) -> None:
    """Remove old files of hooks that were killed while they wrote, and unreadable entries."""
    before = (now() - MAX_LEFTOVER_AGE).timestamp()
    for path in _paths(settings):
        with suppress(OSError):  # it is gone, or stays
            is_old = path.endswith(_REMOVABLE) and os.path.getmtime(path) < before
            if is_old and (not path.endswith(_SUFFIX) or _read(path) is None):
                os.unlink(path)


def _paths(settings: Settings) -> list[str]:
    """Return the files in the folder of the queue, in the order of their names."""
    folder = queue_folder(settings)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))] if folder else []
    except OSError:
        return []


def by_session(queued: Iterable[CaptureEntry]) -> list[list[CaptureEntry]]:
    """Return the entries of each session and namespace, if one of them is due."""
    return [
        group
        for group in grouped(((entry.session, entry.ns), entry) for entry in queued).values()
        if any(entry.is_due for entry in group)
    ]


def has_due(settings: Settings) -> bool:
    """Say whether there is an entry to capture from now."""
    return any(entry.is_due for entry in entries(settings))


def has_fresh(settings: Settings, ns: str) -> bool:
    """Say whether a session of a namespace has just ended and is not captured yet."""
    return any(
        entry.is_due and entry.ns == ns and now() - entry.at < FRESH for entry in entries(settings)
    )


def with_attempts(entry: CaptureEntry, attempts: int) -> CaptureEntry:
    """Record in the name of its file how often the capture of an entry was begun."""
    path = f"{entry.path.removesuffix(f'.{entry.attempts}{_SUFFIX}')}.{attempts}{_SUFFIX}"
    os.replace(entry.path, path)
    return replace(entry, path=path, attempts=attempts)


def remove(queued: Sequence[CaptureEntry]) -> None:
    """Remove entries that are done, the newest first.

    If this is interrupted, the oldest one is left, which says since when they were captured."""
    for entry in reversed(queued):
        with suppress(FileNotFoundError):
            os.unlink(entry.path)


def _read(path: str) -> CaptureEntry | None:
    """Return the entry in a file, or None if it is gone or not an entry."""
    try:
        with open(path, "rb") as stream:
            fields = json.loads(stream.read())
        stem, attempts, _ = os.path.basename(path).rsplit(".", 2)
        at = datetime.fromtimestamp(int(stem.partition("-")[0]) / 1e6, UTC)
        call, ns = Call.from_fields(fields), str(fields["ns"])
        return CaptureEntry(path, call, ns, at, int(attempts))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
