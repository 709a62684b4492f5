"""Watching folders: a hint that something may have changed, never more; one watcher a store."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.notes.lock import is_locked, lock_file

DEBOUNCE = 0.4  # seconds of quiet after which a change is looked at
RECONCILE = 60.0  # seconds after which everything is looked at, whatever was heard
POLL = 2.0  # seconds between looks where the system does not tell
WATCHING, POLLING, NONE = "watching", "polling", "none"


def lock_path(store: str) -> Path:
    """Return the file that the watcher of a store holds a lock on."""
    if "://" not in store:
        return Path(f"{store}.watch")
    from hashlib import sha256  # a database has no folder: one of the user's own has the lock

    return Path.home() / ".ghost" / f"{sha256(store.encode()).hexdigest()[:16]}.watch"


def watcher(store: str) -> str:
    """Say whether a watcher is alive, and whether it hears of changes or has to look: watching,
    polling or none.
    """
    path = lock_path(store)
    if store == ":memory:" or not is_locked(path):
        return NONE
    try:
        return str(json.loads(path.read_text(encoding="utf-8")).get("mode", WATCHING))
    except (OSError, ValueError, AttributeError):
        return WATCHING


@contextmanager
def leading(store: str) -> Iterator[Callable[[str], None]]:
    """Be the one watcher of a store; yields a function that says how it watches."""
    if store == ":memory:":
        raise InvalidInputError("a store in memory cannot be watched for", "name a file with --db")
    path = lock_path(store)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with lock_file(path) as handle:

            def say(mode: str) -> None:
                text = json.dumps({"pid": os.getpid(), "mode": mode}).encode()
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, text)

            say(WATCHING)
            yield say
    except ConflictError:
        raise ConflictError(
            "another process already watches the notes of this store",
            "`ghost notes status` shows it",
        ) from None


def changes(
    roots: Callable[[], Sequence[Path]],
    stop: threading.Event,
    *,
    poll: bool = False,
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> Iterator[None]:
    """Yield whenever something may have changed below these folders, and every RECONCILE seconds.

    Until `stop` is set.
    """
    yield None
    if not poll:
        try:
            yield from _heard(roots, stop)
            return
        except (
            OSError,
            RuntimeError,
        ) as error:  # no more watches to be had, or a file system that cannot
            warn(f"cannot hear of changes ({error}); looking every {POLL:g} seconds instead")
    say(POLLING)
    while not stop.wait(POLL):
        yield None


def _heard(roots: Callable[[], Sequence[Path]], stop: threading.Event) -> Iterator[None]:
    """Yield what the system tells.

    Begin anew when a folder is added, goes away or comes back, since its watch goes with it.
    """
    while not stop.is_set():
        there = _there(roots)
        if not there:
            stop.wait(POLL)
            yield None
            continue
        for heard in _watch(list(there), stop):
            if _there(roots) != there:
                yield None
                break
            if heard:
                yield None


def _there(roots: Callable[[], Sequence[Path]]) -> dict[Path, tuple[int, int]]:
    """Return the folders that are there, each with what tells it from another of its name."""
    found: dict[Path, tuple[int, int]] = {}
    for root in roots():
        with suppress(OSError):
            stat = root.stat()
            found[root] = (stat.st_dev, stat.st_ino)
    return found


def _watch(roots: Sequence[Path], stop: threading.Event) -> Iterator[bool]:
    """Yield every POLL seconds or sooner, and whether there is reason to look."""
    from watchfiles import watch

    last = time.monotonic()
    for found in watch(
        *roots,
        debounce=int(DEBOUNCE * 1000 * 4),
        step=int(DEBOUNCE * 1000),
        stop_event=stop,
        rust_timeout=int(POLL * 1000),
        yield_on_timeout=True,
        raise_interrupt=sys.platform == "win32",
        # else it also passes over that there are no more watches to be had
        ignore_permission_denied=False,
    ):
        due = bool(found) or time.monotonic() - last >= RECONCILE
        last = time.monotonic() if due else last
        yield due
