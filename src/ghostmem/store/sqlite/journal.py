"""The audit log in SQLite."""

from collections.abc import Iterable, Sequence

import apsw

from ghostmem.caller import CALLER
from ghostmem.clock import format_time
from ghostmem.store.journal import LINE, ChainLine, Journal, LoggedChange, chained
from ghostmem.store.sqlite.database import SqliteDb

_HEAD = "SELECT id, sequence, coalesce(head, '') FROM namespaces WHERE"
_LINES = "SELECT coalesce(sum(sequence), 0) FROM namespaces"
_UPDATE = "UPDATE namespaces SET sequence = ?, head = ? WHERE id = ?"
_INSERT = f"INSERT INTO changes ({LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class LineCount:
    """The number of lines of all namespaces, kept from one write of a connection to the next.

    Counting them reads a row of every namespace. The number stays valid as long as no other
    connection has written, and this one has written nothing else."""

    def __init__(self) -> None:
        self._count: int | None = None
        # after the last write that was committed
        self._state: tuple[int | None, int] | None = None
        self._version: int | None = None

    def next(self, db: SqliteDb) -> int:
        """Return the number of the next line, which the caller writes."""
        if self._count is None:
            self._count = int(db.get(_LINES))
        self._count += 1
        return self._count

    def begin(self, db: apsw.Connection) -> bool:
        """Forget the number if it may be another one in the write that begins.

        Returns whether others may have written since the last write of this connection."""
        before = self._version
        self._version = db.execute("PRAGMA data_version").get
        if self._state != (self._version, db.total_changes()):
            self._count = None
        self._state = None
        return before != self._version

    def forget(self) -> None:
        """Count again, in the next write too: logs are written past the journal."""
        self._count = self._version = None

    def commit(self, db: apsw.Connection) -> None:
        """Keep the number, because the write that `begin` saw is committed."""
        self._state = (self._version, db.total_changes())


class SqliteJournal(Journal):
    """The audit log; lines are also numbered over all namespaces."""

    all_in_order = "line IS NOT NULL, line, ns_id, seq"  # lines of old stores have no number
    _db: SqliteDb

    def __init__(self, db: SqliteDb, lines: LineCount | None) -> None:
        super().__init__(db)
        self._lines = lines or LineCount()
        self._numbers: dict[str, int] = {}
        self._heads: dict[int, tuple[int, str]] = {}  # the end of each log in this transaction

    def namespace(self, ns: str) -> int:
        if ns not in self._numbers:
            row = self._db.row(f"{_HEAD} name = ?", (ns,))
            if row is None:
                # numbers that the audit log remembers are taken
                number = self._db.get(
                    "SELECT 1 + max(coalesce((SELECT max(id) FROM namespaces), 0), "
                    "coalesce((SELECT max(ns_id) FROM changes), 0))"
                )
                row = (number, 0, "")
                self._db.run(
                    "INSERT INTO namespaces (id, name, token) VALUES (?, ?, ?)",
                    (row[0], ns, f"{row[0]}q"),
                )
            self._numbers[ns] = row[0]
            self._heads.setdefault(row[0], row[1:])
        return self._numbers[ns]

    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        self._write([self._next(self.namespace(ns), memory_id, op, at)])

    def record_all(self, changes: Iterable[LoggedChange]) -> None:
        self._write(
            [
                self._next(self.namespace(ns), memory_id, op, format_time(at))
                for ns, memory_id, op, at in changes
            ]
        )

    def _next(self, number: int, memory_id: str, op: str, at: str) -> ChainLine:
        if number not in self._heads:
            row = self._db.row(f"{_HEAD} id = ?", (number,))
            self._heads[number] = row[1:] if row else (0, "")
        seq, before = self._heads[number]
        line = ChainLine(
            number, seq + 1, memory_id, op, at, CALLER.get().name, self._lines.next(self._db)
        )
        head = chained(before, line)
        self._heads[number] = (seq + 1, head)
        return line._replace(hash=head)

    def _write(self, lines: Sequence[ChainLine]) -> None:
        numbers = dict.fromkeys(line.number for line in lines)
        self._db.run_many(_UPDATE, [(*self._heads[number], number) for number in numbers])
        self._db.run_many(_INSERT, lines)

    def retire(self, ns: str) -> bool:
        self._numbers.pop(ns, None)
        sql = (
            "UPDATE namespaces SET name = '#' || id WHERE name = ?"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE ns = ?)"
        )
        return self._db.change(sql, (ns, ns)) > 0
