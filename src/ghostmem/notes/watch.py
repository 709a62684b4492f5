"""Notice changes in folders: by events of the system or by polling; one watcher per store."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from ghostmem.errors import ConflictError, InvalidInputError
from ghostmem.notes.lock import is_locked, lock_file

DEBOUNCE_SECONDS = 0.4  # time without events after which a change is reported
RECONCILE_SECONDS = 60.0  # time after which a change is reported without an event
POLL_SECONDS = 2.0  # time between polls if the system sends no events
WATCHING, POLLING, NONE = "watching", "polling", "none"


def lock_path(store: str) -> Path:
    """Return the lock file of the watcher of a store."""
    return (
        Path(f"{store}.watch")
        if "://" not in store
        else Path.home() / ".ghost" / f"{sha256(store.encode()).hexdigest()[:16]}.watch"
    )


def watcher(store: str) -> str:
    """Return the mode of the running watcher: "watching", "polling" or "none"."""
    path = lock_path(store)
    if store == ":memory:" or not is_locked(path):
        return NONE
    try:
        return str(json.loads(path.read_text(encoding="utf-8")).get("mode", WATCHING))
    except (OSError, ValueError, AttributeError):
        return WATCHING


@contextmanager
def only_watcher(store: str) -> Iterator[Callable[[str], None]]:
    """Hold the watcher lock of a store; yields a function that sets the mode."""
    if store == ":memory:":
        raise InvalidInputError(
            "notes of a store in memory cannot be watched", "give a file with --db"
        )
    path = lock_path(store)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with lock_file(path) as handle:

            def set_mode(mode: str) -> None:
                text = json.dumps({"pid": os.getpid(), "mode": mode}).encode()
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, text)

            set_mode(WATCHING)
            yield set_mode
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
    set_mode: Callable[[str], None],
    warn: Callable[[str], None],
) -> Iterator[None]:
    """Yield when a file below the folders may have changed, until `stop` is set.

    Also yields every RECONCILE_SECONDS."""
    yield None
    if not poll:
        try:
            yield from _events(roots, stop)
            return
        except (OSError, RuntimeError) as error:  # too many watches, or an unable file system
            warn(f"cannot watch for changes ({error}); polling instead")
    set_mode(POLLING)
    while not stop.wait(POLL_SECONDS):
        yield None


def _events(roots: Callable[[], Sequence[Path]], stop: threading.Event) -> Iterator[None]:
    """Yield on events of the system.

    The watch starts again if a folder is added, disappears or comes back."""
    while not stop.is_set():
        present = _present(roots)
        if not present:
            stop.wait(POLL_SECONDS)
            yield None
            continue
        for is_due in _watch(list(present), stop):
            if _present(roots) != present:
                yield None
                break
            if is_due:
                yield None


def _present(roots: Callable[[], Sequence[Path]]) -> dict[Path, tuple[int, int]]:
    present: dict[Path, tuple[int, int]] = {}
    for root in roots():
        with suppress(OSError):
            present[root] = (root.stat().st_dev, root.stat().st_ino)
    return present


def _watch(roots: Sequence[Path], stop: threading.Event) -> Iterator[bool]:
    """Yield at least every POLL_SECONDS whether the folders should be scanned."""
    from watchfiles import watch

    last = time.monotonic()
    for events in watch(
        *roots,
        debounce=int(DEBOUNCE_SECONDS * 1000 * 4),
        step=int(DEBOUNCE_SECONDS * 1000),
        stop_event=stop,
        rust_timeout=int(POLL_SECONDS * 1000),
        yield_on_timeout=True,
        raise_interrupt=sys.platform == "win32",
        # Otherwise it also ignores that there are too many watches.
        ignore_permission_denied=False,
    ):
        due = bool(events) or time.monotonic() - last >= RECONCILE_SECONDS
        last = time.monotonic() if due else last
        yield due
