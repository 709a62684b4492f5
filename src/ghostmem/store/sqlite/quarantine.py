"""What was put and is not trusted."""

from collections.abc import Iterator
from typing import Any

import apsw

from ghostmem.model import Held, NsFilter
from ghostmem.store.filters import LAST
from ghostmem.store.records import HELD, held_of, held_row
from ghostmem.store.sqlite.where import ns_condition


class SqliteQuarantine:
    """What was put and is not trusted: a table of its own, so that no index and no retrieval can
    know of it.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, held: Held) -> None:
        """Hold something."""
        self._db.execute(
            f"INSERT OR REPLACE INTO quarantine ({HELD}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            held_row(held),
        )

    def get(self, held_id: str) -> Held | None:
        """Return what is held under an id."""
        return next(self._read("id = ?", [held_id]), None)

    def all(self, ns: NsFilter) -> list[Held]:
        """List what is held, oldest first."""
        where, values = ns_condition(ns, "ns")
        return list(self._read(where, values))

    def at_key(self, ns: str, key: str) -> list[Held]:
        """List what is held for one key, oldest first."""
        return list(self._read("ns = ? AND key = ?", [ns, key]))

    def under_key(self, ns: str, prefix: str) -> list[Held]:
        """List what is held for keys that start alike, oldest first."""
        return list(self._read("ns = ? AND key >= ? AND key < ?", [ns, prefix, prefix + LAST]))

    def drop(self, held_id: str) -> bool:
        """Remove something for good; False when it is not there."""
        self._db.execute("DELETE FROM quarantine WHERE id = ?", (held_id,))
        return self._db.changes() > 0

    def _read(self, where: str, values: list[Any]) -> Iterator[Held]:
        yield from map(
            held_of,
            self._db.execute(
                f"SELECT {HELD} FROM quarantine WHERE {where} ORDER BY at, id", values
            ),
        )
