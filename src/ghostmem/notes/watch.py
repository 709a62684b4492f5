"""Watching folders: a hint that something may have changed, never more; one watcher a store."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.notes.lock import is_locked, lock_file

DEBOUNCE = 0.4  # seconds of quiet after which a change is looked at
RECONCILE = 60.0  # seconds after which everything is looked at, whatever was heard
POLL = 2.0  # seconds between looks where the system does not tell
WATCHING, POLLING, NONE = "watching", "polling", "none"


def lock_path(store: str) -> Path:
    """Return the file that the watcher of a store holds a lock on."""
    return Path(f"{store}.watch")


def watcher(store: str) -> str:
    """Say whether a watcher is alive, and whether it hears of changes or has to look: watching, polling or none."""
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
    try:
        with lock_file(lock_path(store)) as handle:

            def say(mode: str) -> None:
                text = json.dumps({"pid": os.getpid(), "mode": mode}).encode()
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, text)

            say(WATCHING)
            yield say
    except ConflictError:
        raise ConflictError("another process already watches the notes of this store", "`ghost notes status` shows it") from None


def changes(
    roots: Sequence[Path], stop: threading.Event, *, poll: bool = False, say: Callable[[str], None], warn: Callable[[str], None]
) -> Iterator[None]:
    """Yield whenever something may have changed below these folders, and every RECONCILE seconds; until `stop` is set."""
    yield None
    if not poll:
        try:
            yield from _heard(roots, stop)
            return
        except (OSError, RuntimeError) as error:  # no more watches to be had, or a file system that cannot
            warn(f"cannot hear of changes ({error}); looking every {POLL:g} seconds instead")
    say(POLLING)
    while not stop.wait(POLL):
        yield None


def _heard(roots: Sequence[Path], stop: threading.Event) -> Iterator[None]:
    from watchfiles import watch

    there = [root for root in roots if root.is_dir()]
    if not there:
        raise OSError("no folder is there")
    for _ in watch(
        *there,
        debounce=int(DEBOUNCE * 1000 * 4),
        step=int(DEBOUNCE * 1000),
        stop_event=stop,
        rust_timeout=int(RECONCILE * 1000),
        yield_on_timeout=True,
        raise_interrupt=sys.platform == "win32",
        ignore_permission_denied=False,  # else it also passes over that there are no more watches to be had
    ):
        yield None
