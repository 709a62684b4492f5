"""A queue in the database through which several workers share one job, each piece done once.

A worker is present as long as it holds a lock; pieces of a worker that is gone are free again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ghostmem.store.protocol import SharedEngine, SharedTransaction
    from ghostmem.store.store import Store

LEASE = timedelta(minutes=30)  # a worker who is there but does nothing for so long loses his pieces
POLL_SECONDS = 0.1  # seconds until one looks again when all that is left is in others' hands


def shared(store: Store) -> SharedEngine | None:
    """Return the engine if workers can share a job on it."""
    return cast("SharedEngine", store.engine) if store.engine.shared else None


def claim_work(
    store: Store, tx: SharedTransaction, kind: str, holder: str, size: int
) -> list[tuple[str, str]]:
    """Claim some pieces; when there are none, those of workers who are gone."""
    now = store.clock()
    found = tx.work.claim(kind, holder, now + LEASE, size, now)
    if not found and tx.work.free_the_dead(kind):
        found = tx.work.claim(kind, holder, now + LEASE, size, now)
    return found
