"""A queue in the database through which several workers share one job.

A worker is present as long as it holds a lock; the items of a worker that is gone are free
again."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ghostmem.store.postgres.engine import PostgresEngine
    from ghostmem.store.postgres.transaction import PostgresTransaction
    from ghostmem.store.store import Store

LEASE = timedelta(minutes=30)  # after which an idle worker loses its items
POLL_SECONDS = 0.1  # seconds between two looks while other workers hold all items


def shared(store: Store) -> PostgresEngine | None:
    """Return the engine if workers can share a job on it."""
    return cast("PostgresEngine", store.engine) if store.engine.shared else None


def claim_work(
    store: Store, tx: PostgresTransaction, kind: str, holder: str, size: int
) -> list[tuple[str, str]]:
    """Claim some items; when none is free, those of workers that are gone."""
    now = store.clock()
    items = tx.work.claim(kind, holder, now + LEASE, size, now)
    if not items and tx.work.free_the_dead(kind):
        items = tx.work.claim(kind, holder, now + LEASE, size, now)
    return items


def is_alive(pid: int) -> bool:
    """Say whether a process of this machine is running."""
    if sys.platform == "win32":
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)  # only to ask
        if not handle:
            return False
        code = ctypes.c_ulong()
        ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return code.value == 259  # still active
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
