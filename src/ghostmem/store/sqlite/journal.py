"""The change log, one sequence per namespace, and the days on which memories were used."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import apsw

from ghostmem.caller import CALLER
from ghostmem.clock import format_time
from ghostmem.store.chain import Head, Line, chained

if TYPE_CHECKING:
    from ghostmem.model import Access

_LINE = "ns_id, seq, memory_id, op, at, actor, line, hash"


class SqliteJournal:
    """What changed, in order, and on which days memories were used."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._numbers: dict[str, int] = {}
        self._heads: dict[
            int, tuple[int, str]
        ] = {}  # where the log of each namespace stands in this transaction
        self._line: int | None = None  # how long the log of all namespaces is

    def namespace(self, ns: str) -> int:
        """Return a namespace's number, giving it one on first sight."""
        if ns not in self._numbers:
            number = self._db.execute("SELECT id FROM namespaces WHERE name = ?", (ns,)).get
            if number is None:
                # also past the numbers of namespaces that only the change log remembers
                number = self._db.execute(
                    "SELECT 1 + max(coalesce((SELECT max(id) FROM namespaces), 0), "
                    "coalesce((SELECT max(ns_id) FROM changes), 0))"
                ).get
                self._db.execute(
                    "INSERT INTO namespaces (id, name, token) VALUES (?, ?, ?)",
                    (number, ns, f"{number}q"),
                )
            self._numbers[ns] = number
        return self._numbers[ns]

    def grow(self, number: int, chunks: int, length: int) -> None:
        """Keep the namespace's number of chunks and their total length, which ranking needs."""
        self._db.execute(
            "UPDATE namespaces SET chunks = chunks + ?, length = length + ? WHERE id = ?",
            (chunks, length, number),
        )

    def record(self, ns: str, memory_id: str, op: str, at: datetime) -> None:
        """Write down one change, without what was changed, and chain it to the one before."""
        self.append(self.namespace(ns), memory_id, op, format_time(at))

    def append(self, number: int, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log.

        Nobody else can meanwhile, because the write lock is held.
        """
        if number not in self._heads:
            sql = "SELECT sequence, coalesce(head, '') FROM namespaces WHERE id = ?"
            self._heads[number] = self._db.execute(sql, (number,)).fetchone() or (0, "")
        if self._line is None:
            self._line = self._db.execute("SELECT coalesce(sum(sequence), 0) FROM namespaces").get
        seq, before = self._heads[number]
        self._line += 1
        line = Line(number, seq + 1, memory_id, op, at, CALLER.get().name, self._line)
        made = chained(before, line)
        self._db.execute(
            "UPDATE namespaces SET sequence = ?, head = ? WHERE id = ?", (seq + 1, made, number)
        )
        self._db.execute(
            f"INSERT INTO changes ({_LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*line[:7], made)
        )
        self._heads[number] = (seq + 1, made)

    def heads(self) -> list[Head]:
        """Return every namespace with how long its log is and how it ends."""
        return [
            Head(*row)
            for row in self._db.execute(
                "SELECT id, name, sequence, head FROM namespaces ORDER BY id"
            )
        ]

    def lines(self, in_order: bool = False) -> Iterator[Line]:
        """Read the whole log, by namespace, or in the order in which it was written, older lines
        without a chain first.
        """
        order = "line IS NOT NULL, line, ns_id, seq" if in_order else "ns_id, seq"
        for row in self._db.execute(f"SELECT {_LINE} FROM changes ORDER BY {order}"):
            yield Line(*row)

    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing any more.

        Its log goes on under its number alone.
        """
        self._db.execute(
            "UPDATE namespaces SET name = '#' || id WHERE name = ?1 AND NOT EXISTS (SELECT "
            "1 FROM memories WHERE ns = ?1)",
            (ns,),
        )
        self._numbers.pop(ns, None)
        return self._db.changes() > 0

    def changes(self, ns: str, after: int, limit: int) -> list[tuple[int, str, str]]:
        """List changes of a namespace after a sequence number as (sequence, memory id, what)."""
        return list(
            self._db.execute(
                "SELECT seq, memory_id, op FROM changes WHERE ns_id = (SELECT id FROM "
                "namespaces WHERE name = ?)"
                " AND seq > ? ORDER BY seq LIMIT ?",
                (ns, after, limit),
            )
        )

    def log_access(self, ids: str, at: datetime, used: bool) -> None:
        """Count one use or one exposure of each of the memories in a JSON list, on its day."""
        self._db.execute(
            "INSERT INTO accesses SELECT m.id, ?2, ?3, 1 - ?3 FROM json_each(?1) j JOIN "
            "memories m ON m.id = j.value WHERE true"
            " ON CONFLICT DO UPDATE SET used = used + ?3, shown = shown + 1 - ?3",
            (ids, format_time(at)[:10], int(used)),
        )

    def accesses(self, memory_id: str | None = None) -> "Iterator[Access]":
        """List all days of use, or those of one memory."""
        from ghostmem.model import Access

        where = "" if memory_id is None else "WHERE memory_id = ?"
        sql = f"SELECT memory_id, day, used, shown FROM accesses {where} ORDER BY memory_id, day"
        for row in self._db.execute(sql, () if memory_id is None else (memory_id,)):
            yield Access(*row)

    def days_of_use(self, ns: str) -> dict[str, int]:
        """Return, for each live memory that is in the log, on how many days it was really used."""
        return dict(
            self._db.execute(
                "SELECT m.id, sum(a.used > 0) FROM memories m JOIN accesses a ON a.memory_id = m.id"
                " WHERE m.ns = ? AND m.deleted_at IS NULL GROUP BY m.id",
                (ns,),
            )
        )

    def uses(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """Return how often each memory was really used.

        Memories that were only shown are left out.
        """
        sql = (
            "SELECT a.memory_id, sum(a.used) FROM json_each(?) j JOIN accesses a ON "
            "a.memory_id = j.value"
            " WHERE a.used > 0 GROUP BY a.memory_id"
        )
        return dict(self._db.execute(sql, (json.dumps(list(memory_ids)),)))

    def add_access(self, access: "Access") -> bool:
        """Bring in a day of use from elsewhere; False when that day is already there."""
        row = (access.memory_id, access.day, access.used, access.shown)
        self._db.execute("INSERT OR IGNORE INTO accesses VALUES (?, ?, ?, ?)", row)
        return self._db.changes() > 0

    def carry(self, old_id: str, new_id: str) -> None:
        """Hand the days of use to the next version."""
        self._db.execute("UPDATE accesses SET memory_id = ? WHERE memory_id = ?", (new_id, old_id))
