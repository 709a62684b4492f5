"""What was put and is not trusted."""

from collections.abc import Sequence
from typing import Any

from ghostmem.model import Held, NsFilter
from ghostmem.store.filters import LAST
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.where import ns_condition
from ghostmem.store.records import HELD, held_of, held_row


class PostgresQuarantine:
    """What was put and is not trusted: a table of its own, so that no index and no retrieval can
    know of it.
    """

    def __init__(self, db: Db) -> None:
        self._db = db

    def add(self, held: Held) -> None:
        """Hold something."""
        sql = (
            f"INSERT INTO quarantine ({HELD}) VALUES (%s, %s, %s, %s, %s, %s, %s) ON "
            "CONFLICT (ns, id) DO UPDATE SET"
            " key = excluded.key, content = excluded.content, fields = excluded.fields, "
            "reasons = excluded.reasons,"
            " at = excluded.at"
        )
        self._db.run(sql, held_row(held))

    def get(self, held_id: str) -> Held | None:
        """Return what is held under an id, in whatever namespace."""
        return next(iter(self._read("id = %s", [held_id])), None)

    def all(self, ns: NsFilter) -> list[Held]:
        """List what is held, oldest first."""
        return self._read(*ns_condition(ns, "ns"))

    def at_key(self, ns: str, key: str) -> list[Held]:
        """List what is held for one key, oldest first."""
        return self._read("ns = %s AND key = %s", [ns, key])

    def under_key(self, ns: str, prefix: str) -> list[Held]:
        """List what is held for keys that start alike, oldest first."""
        return self._read("ns = %s AND key >= %s AND key < %s", [ns, prefix, prefix + LAST])

    def drop(self, held_id: str) -> bool:
        """Remove something for good; False when it is not there."""
        ns = self._db.get("SELECT ns FROM quarantine WHERE id = %s", (held_id,))
        return (
            ns is not None
            and self._db.run("DELETE FROM quarantine WHERE ns = %s AND id = %s", (ns, held_id)) > 0
        )

    def _read(self, where: str, values: Sequence[Any]) -> list[Held]:
        return [
            held_of(row)
            for row in self._db.rows(
                f"SELECT {HELD} FROM quarantine WHERE {where} ORDER BY at, id", values
            )
        ]
