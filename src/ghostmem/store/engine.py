"""The state of an open store that is the same in every engine."""

import os
import threading
from collections.abc import Collection, Mapping, Set
from typing import TYPE_CHECKING

from ghostmem.errors import EngineError, InvalidInputError, NewerStoreError, ReadOnlyStoreError
from ghostmem.model import NsFilter
from ghostmem.store.namespace_cache import NamespaceCache

if TYPE_CHECKING:
    from ghostmem.store.rows import Reindex
    from ghostmem.store.transaction import Transaction
    from ghostmem.store.vectors import Views

# Marks a store that a `ghost migrate` of Ghost 0.15 or older did not finish.
_UNFINISHED = "unfinished-move"
# Counts the applied migrations: more than at the opening mean that a newer Ghost has upgraded.
COUNT_MIGRATIONS = "SELECT count(*) FROM migrations"


def pending(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that a store still needs, in order."""
    return [name for name in migrations if name not in (names or ())]


def unknown(names: Set[str] | None, migrations: Collection[str]) -> list[str]:
    """Return the migrations that only a newer Ghost knows."""
    return sorted((names or set()) - set(migrations))


class BaseEngine:
    """A store that is open: where it is, and whether it can be written."""

    shared = False

    def __init__(self, location: str, synchronous: str, busy_timeout: float) -> None:
        self.location = location
        self.file: str | None = None
        self.read_only = False
        self.read_only_reason = ""
        self._newer = ""
        self._migrations = 0  # the number of those that are applied
        self._synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._views: Views = {}
        self._cache = NamespaceCache()
        self._closed = False
        self._process = os.getpid()
        self._lock = threading.RLock()

    @property
    def is_newer(self) -> bool:
        """Say whether a newer Ghost wrote the store, which can then only be read."""
        return bool(self._newer)

    def _must_migrate(self, names: Set[str] | None, migrations: Mapping[str, str]) -> bool:
        is_older = pending(names, migrations) and not unknown(names, migrations)
        return bool(is_older) and not self.read_only

    def _adopt(self, names: Set[str] | None, migrations: Mapping[str, str]) -> None:
        """Learn from the applied migrations whether the store can be written.

        Raises an error for a store that lacks a migration here: it cannot be written, or it would
        have been migrated."""
        place = self.location
        if names is None:
            raise ReadOnlyStoreError(f"{place} cannot be written, and is not a Ghost store yet")
        if _UNFINISHED in names:
            raise EngineError(
                f"an older Ghost began to fill {place} by `ghost migrate` and did not finish",
                "delete it, and run that `ghost migrate` again",
            )
        self._migrations = len(names)
        if strange := unknown(names, migrations):
            self._newer = f"{place} was written by a newer Ghost (it has {strange[-1]})"
            self.read_only, self.read_only_reason = True, self._newer
        elif missing := pending(names, migrations):
            raise ReadOnlyStoreError(
                f"{place} is of an older Ghost (it lacks {missing[0]}) and cannot be written"
            )

    def _refuse_closed(self) -> None:
        if self._closed:
            raise InvalidInputError("this store is closed", "open it again with Ghost.open()")

    def _refuse_read_only(self) -> None:
        if self.read_only:
            raise (NewerStoreError if self._newer else ReadOnlyStoreError)(self.read_only_reason)


def reindexed(tx: "Transaction", reindex: "Reindex") -> dict[str, int]:
    """Index all live memories again, and return their number and that of their chunks."""
    counts = {"memories": 0, "chunks": 0}
    for memory in tx.listing.rows(NsFilter()):
        tx.journal.namespace(memory.ns)
        if memory.deleted_at is None:
            rows = reindex(memory)
            tx.index.add(memory, rows)
            counts["memories"] += 1
            counts["chunks"] += len(rows)
    return counts
