"""The change log in SQLite."""

from ghostmem.caller import CALLER
from ghostmem.store.database import Database
from ghostmem.store.journal import LINE, ChainLine, Journal, chained


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
        if number not in self._heads:
            sql = "SELECT sequence, coalesce(head, '') FROM namespaces WHERE id = ?"
            self._heads[number] = self._db.row(sql, (number,)) or (0, "")
        if self._line is None:
            self._line = int(self._db.get("SELECT coalesce(sum(sequence), 0) FROM namespaces"))
        seq, before = self._heads[number]
        self._line += 1
        line = ChainLine(number, seq + 1, memory_id, op, at, CALLER.get().name, self._line)
        head = chained(before, line)
        sql = "UPDATE namespaces SET sequence = ?, head = ? WHERE id = ?"
        self._db.run(sql, (seq + 1, head, number))
        sql = f"INSERT INTO changes ({LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        self._db.run(sql, (*line[:7], head))
        self._heads[number] = (seq + 1, head)

    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing; its log keeps its number."""
        self._numbers.pop(ns, None)
        sql = (
            "UPDATE namespaces SET name = '#' || id WHERE name = ?"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE ns = ?)"
        )
        return self._db.run(sql, (ns, ns)) > 0
