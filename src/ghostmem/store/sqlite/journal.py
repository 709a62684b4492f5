"""The change log in SQLite."""

from collections.abc import Iterable, Sequence

from ghostmem.caller import CALLER
from ghostmem.clock import format_time
from ghostmem.store.database import Database
from ghostmem.store.journal import LINE, ChainLine, Journal, LoggedChange, chained

# the end of a namespace's log, and the number of lines of all namespaces
_HEAD = (
    "SELECT coalesce((SELECT sequence FROM namespaces WHERE id = ?1), 0),"
    " coalesce((SELECT head FROM namespaces WHERE id = ?1), ''),"
    " coalesce((SELECT sum(sequence) FROM namespaces), 0)"
)
_UPDATE = "UPDATE namespaces SET sequence = ?, head = ? WHERE id = ?"
_INSERT = f"INSERT INTO changes ({LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteJournal(Journal):
    """The change log; lines are also numbered over all namespaces."""

    all_in_order = "line IS NOT NULL, line, ns_id, seq"  # lines of old stores have no number

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._numbers: dict[str, int] = {}
        self._heads: dict[int, tuple[int, str]] = {}  # the end of each log in this transaction
        self._line: int | None = None  # the number of lines of all namespaces

    def namespace(self, ns: str) -> int:
        """Return a namespace's number, giving it one on first sight."""
        if ns not in self._numbers:
            number = self._db.get("SELECT id FROM namespaces WHERE name = ?", (ns,))
            if number is None:
                # skip the numbers of namespaces that only the change log remembers
                number = self._db.get(
                    "SELECT 1 + max(coalesce((SELECT max(id) FROM namespaces), 0), "
                    "coalesce((SELECT max(ns_id) FROM changes), 0))"
                )
                sql = "INSERT INTO namespaces (id, name, token) VALUES (?, ?, ?)"
                self._db.run(sql, (number, ns, f"{number}q"))
            self._numbers[ns] = number
        return self._numbers[ns]

    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log; the write lock keeps others from doing so meanwhile."""
        self.append_to(self.namespace(ns), memory_id, op, at)

    def append_to(self, number: int, memory_id: str, op: str, at: str) -> None:
        """Add a line to the log of the namespace with a number."""
        self._write([self._next(number, memory_id, op, at)])

    def record_all(self, changes: Iterable[LoggedChange]) -> None:
        """Log several changes in order."""
        self._write(
            [
                self._next(self.namespace(ns), memory_id, op, format_time(at))
                for ns, memory_id, op, at in changes
            ]
        )

    def _next(self, number: int, memory_id: str, op: str, at: str) -> ChainLine:
        """Return the next line of a namespace's log."""
        if number not in self._heads:
            sequence, last, lines = self._db.row(_HEAD, (number,))
            self._heads[number] = (sequence, last)
            self._line = lines if self._line is None else self._line
        assert self._line is not None
        seq, before = self._heads[number]
        self._line += 1
        line = ChainLine(number, seq + 1, memory_id, op, at, CALLER.get().name, self._line)
        head = chained(before, line)
        self._heads[number] = (seq + 1, head)
        return line._replace(hash=head)

    def _write(self, lines: Sequence[ChainLine]) -> None:
        numbers = dict.fromkeys(line.number for line in lines)
        self._db.run_many(_UPDATE, [(*self._heads[number], number) for number in numbers])
        self._db.run_many(_INSERT, lines)

    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing; its log keeps its number."""
        self._numbers.pop(ns, None)
        sql = (
            "UPDATE namespaces SET name = '#' || id WHERE name = ?"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE ns = ?)"
        )
        return self._db.change(sql, (ns, ns)) > 0
