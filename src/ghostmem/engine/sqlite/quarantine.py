"""What was put and is not trusted."""

import json
from collections.abc import Iterator
from typing import Any

import apsw

from ghostmem.engine.sqlite.where import ns_condition
from ghostmem.held import Held
from ghostmem.model import NsFilter
from ghostmem.times import format_time, read_time

_COLUMNS = "id, ns, key, content, fields, reasons, at"


class SqliteQuarantine:
    """What was put and is not trusted: a table of its own, so that no index and no retrieval can know of it."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, held: Held) -> None:
        """Hold something."""
        texts = (json.dumps(dict(held.fields), ensure_ascii=False), json.dumps(held.reasons, ensure_ascii=False))
        row = (held.id, held.ns, held.key, held.content, *texts, format_time(held.at))
        self._db.execute(f"INSERT OR REPLACE INTO quarantine ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, held_id: str) -> Held | None:
        """Return what is held under an id."""
        return next(self._read("id = ?", [held_id]), None)

    def all(self, ns: NsFilter) -> list[Held]:
        """List what is held, oldest first."""
        where, values = ns_condition(ns, "ns")
        return list(self._read(where, values))

    def drop(self, held_id: str) -> bool:
        """Remove something for good; False when it is not there."""
        self._db.execute("DELETE FROM quarantine WHERE id = ?", (held_id,))
        return self._db.changes() > 0

    def _read(self, where: str, values: list[Any]) -> Iterator[Held]:
        for id_, ns, key, content, fields, reasons, at in self._db.execute(
            f"SELECT {_COLUMNS} FROM quarantine WHERE {where} ORDER BY at, id", values
        ):
            yield Held(id_, ns, key, content, json.loads(fields), tuple(json.loads(reasons)), read_time(at))
