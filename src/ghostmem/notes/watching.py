"""notes watch: keep folders in step for as long as it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from ghostmem.errors import InvalidInputError, StoreBusyError
from ghostmem.notes.folders import chosen_folders
from ghostmem.notes.sync import SETTLE, SyncReport, sync_folder
from ghostmem.notes.watch import RECONCILE, changes, leading
from ghostmem.store.store import Store


def watch_notes(
    store: Store,
    *,
    stop: threading.Event,
    poll: bool = False,
    done: Callable[[SyncReport], None],
    warn: Callable[[str], None],
) -> None:
    """Index what changes in any folder until `stop` is set; only one process a store may.

    What is heard is only a hint: every round looks at the folders themselves, and every minute all
    is looked at without one."""
    if not chosen_folders(store, None):
        raise InvalidInputError(
            "there is no folder of notes to watch", "add one with `ghost notes add`"
        )

    def roots() -> list[Path]:
        return [Path(folder.root) for folder in chosen_folders(store, None)]

    with leading(store.engine.location) as say:
        cleared = 0.0
        for _ in changes(roots, stop, poll=poll, say=say, warn=warn):
            thorough = time.monotonic() - cleared >= RECONCILE
            cleared = time.monotonic() if thorough else cleared
            for folder in chosen_folders(store, None):
                try:
                    report = sync_folder(store, folder, settle=SETTLE, thorough=thorough)
                except StoreBusyError as error:
                    warn(error.message)
                    continue
                if report.is_changed or report.unavailable != folder.unavailable:
                    done(report)
