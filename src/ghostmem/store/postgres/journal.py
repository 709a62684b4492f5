"""The change log in PostgreSQL."""

from ghostmem.caller import CALLER
from ghostmem.store.journal import LINE, ChainLine, Journal, chained
from ghostmem.store.postgres.database import Db

_APPEND = (  # in one statement, because each one costs a round trip
    "WITH head AS (UPDATE namespaces SET sequence = ?, head = ? WHERE ns = ?)"
    f" INSERT INTO changes (ns, {LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class PostgresJournal(Journal):
    """The change log.

    Namespaces are written in parallel, so lines of all namespaces have no common order and `line`
    stays empty: each namespace has its own chain."""

    all_in_order = "hash IS NOT NULL, line NULLS LAST, at, ns_id, seq"
    _db: Db

    def __init__(self, db: Db) -> None:
        super().__init__(db)
        self._numbers: dict[str, int] = {}
        self._heads: dict[str, tuple[int, str]] = {}  # the end of each log in this transaction

    def namespace(self, ns: str) -> int:
        """Return a namespace's number, giving it one on first sight."""
        if ns not in self._numbers:
            self._db.lock(ns)
            sql = "SELECT id, sequence, coalesce(head, '') FROM namespaces WHERE ns = ?"
            row = self._db.row(sql, (ns,))
            if row is None:
                sql = "INSERT INTO namespaces (ns) VALUES (?) RETURNING id"
                row = (self._db.get(sql, (ns,)), 0, "")
            self._numbers[ns], self._heads[ns] = row[0], (row[1], row[2])
            self._db.places.saw_space(row[0], ns)
        return self._numbers[ns]

    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log; its lock keeps others from doing so meanwhile."""
        number = self.namespace(ns)
        seq, before = self._heads[ns]
        line = ChainLine(number, seq + 1, memory_id, op, at, CALLER.get().name, None)
        head = chained(before, line)
        self._db.run(_APPEND, (seq + 1, head, ns, ns, *line[:7], head))
        self._heads[ns] = (seq + 1, head)

    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing; its log keeps its number."""
        self._db.lock(ns)
        number = self._db.get(
            "SELECT id FROM namespaces WHERE ns = ? AND NOT EXISTS (SELECT 1 FROM "
            "memories WHERE ns = ?)",
            (ns, ns),
        )
        if number is None:
            return False
        nameless = f"#{number}"
        self._db.run(
            "INSERT INTO namespaces (ns, id, sequence, chunks, length, head)"
            " SELECT ?, id, sequence, chunks, length, head FROM namespaces WHERE ns = ?",
            (nameless, ns),
        )
        sql = f"INSERT INTO changes (ns, {LINE}) SELECT ?, {LINE} FROM changes WHERE ns = ?"
        self._db.run(sql, (nameless, ns))
        for table in ("changes", "threads", "namespaces"):
            self._db.run(f"DELETE FROM {table} WHERE ns = ?", (ns,))
        self._numbers.pop(ns, None)
        self._heads.pop(ns, None)
        self._db.places.forget()
        return True
