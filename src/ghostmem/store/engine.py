"""The state of an open store that is the same in every engine."""

import os
import threading
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NewerStoreError, ReadOnlyStoreError
from ghostmem.store.ledger import MOVING, newer, pending, unknown

if TYPE_CHECKING:
    from ghostmem.store.protocol import Reindex
    from ghostmem.store.transaction import Transaction
    from ghostmem.store.vectors import Views


class BaseEngine:
    """A store that is open: where it is, and whether it can be written."""

    shared = False

    def __init__(self, location: str, synchronous: str, busy_timeout: float) -> None:
        self.location = location
        self.read_only = False
        self.read_only_reason = ""
        self.moving = False  # a migration is still filling the store
        self._newer = ""
        self._synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._views: Views = {}
        self._closed = False
        self._process = os.getpid()
        self._lock = threading.RLock()

    def _must_migrate(self, names: Set[str] | None, migrations: Mapping[str, str]) -> bool:
        """Say whether migrations are missing and can be applied."""
        is_older = pending(names, migrations) and not unknown(names, migrations)
        return bool(is_older) and not self.read_only

    def _adopt(self, names: Set[str] | None, migrations: Mapping[str, str]) -> None:
        """Learn from the applied migrations whether the store can be written."""
        self._newer = newer(self.location, names, migrations)
        self.moving = names is not None and MOVING in names
        if self._newer:
            self.read_only, self.read_only_reason = True, self._newer

    def _refuse_closed(self) -> None:
        if self._closed:
            raise InvalidInputError("this store is closed", "open it again with Ghost.open()")

    def _refuse_read_only(self) -> None:
        if self.read_only:
            raise (NewerStoreError if self._newer else ReadOnlyStoreError)(self.read_only_reason)


def reindexed(tx: "Transaction", reindex: "Reindex") -> dict[str, int]:
    """Index all live memories again, and return their number and that of their chunks."""
    from ghostmem.model import NsFilter

    counts = {"memories": 0, "chunks": 0}
    for memory in tx.listing.rows(NsFilter()):
        tx.journal.namespace(memory.ns)
        if memory.deleted_at is None:
            rows = reindex(memory)
            tx.index.add(memory, rows)
            counts["memories"] += 1
            counts["chunks"] += len(rows)
    return counts
