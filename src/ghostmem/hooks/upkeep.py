"""Run the lifecycle of a namespace after a session, at most once a day."""

import os
from datetime import timedelta

from ghostmem.ghost import Ghost
from ghostmem.hooks.log import describe_error, log_path, write_log_line
from ghostmem.hooks.queue import store_exists
from ghostmem.hooks.watchdog import Watchdog
from ghostmem.model import NsFilter
from ghostmem.settings import Settings
from ghostmem.store.store import Store

INTERVAL = timedelta(days=1)
# A run that takes longer is ended; the next one finishes it.
REFLECT_SECONDS = 300.0
_MAX_RUNS = 100  # recent runs that are looked at
_NICENESS = 10


def reflect_daily(settings: Settings, ns: str) -> None:
    """Reflect on a namespace if no run of the last day included it."""
    if not store_exists(settings):
        return

    def log(message: str) -> None:
        write_log_line(log_path(settings), "-", "reflect", message)

    with Watchdog(REFLECT_SECONDS, lambda: log("took too long and gave up")):
        try:
            with Ghost.open(settings=settings) as ghost:
                if is_due(ghost.store, ns):
                    if hasattr(os, "nice"):
                        os.nice(_NICENESS)
                    ghost.reflect(ns)
        except Exception as error:  # noqa: BLE001 (the outermost handler of this process)
            log(describe_error(error))


def is_due(store: Store, ns: str) -> bool:
    """Say whether a namespace has memories, and no run of the last day included it."""
    with store.engine.read() as tx:
        runs = tx.runs.all(_MAX_RUNS)
        has_memories = bool(tx.search.spaces([ns]))
    since = store.clock() - INTERVAL
    recent = [run for run in runs if max(run.at, run.finished_at or run.at) > since]
    return has_memories and not any(NsFilter(run.scope).matches(ns) for run in recent)
