"""The audit log in PostgreSQL."""

from ghostmem.caller import CALLER
from ghostmem.store.journal import LINE, Journal, encoded
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.pipeline import BoundStatement
from ghostmem.store.rows import Space

# The server computes the hash of `chained`, so that nothing needs to be read before: of the JSON
# array of the hash before, the namespace's number, the sequence, and the rest, which is bound.
# Citus allows only immutable functions of columns here, which `convert_to` is not.
_HEAD = (
    "UPDATE namespaces SET chunks = chunks + ?, length = length + ?, sequence = sequence + 1,"
    " head = encode(sha256(decode("
    "'[\"' || coalesce(head, '') || '\", ' || id || ', ' || (sequence + 1) || ', ',"
    " 'escape') || ?::bytea), 'hex') WHERE ns = ?"
)
_APPEND = (
    f"INSERT INTO changes (ns, {LINE}) SELECT ns, id, sequence, ?, ?, ?, ?, NULL, head"
    " FROM namespaces WHERE ns = ?"
)
_STILL_THERE = "SELECT 1 / count(*) FROM namespaces WHERE ns = ? AND id = ?"


class PostgresJournal(Journal):
    """The audit log.

    Namespaces are written in parallel, so lines of all namespaces have no common order and `line`
    stays empty: each namespace has its own chain."""

    all_in_order = "hash IS NOT NULL, line NULLS LAST, at, ns_id, seq"
    _db: Db

    def __init__(self, db: Db) -> None:
        super().__init__(db)
        self._numbers: dict[str, int] = {}
        self._heads: dict[str, BoundStatement] = {}  # the last `_HEAD` of a namespace

    def namespace(self, ns: str) -> int:
        if ns not in self._numbers:
            self._db.lock(ns)
            number = self._db.get("SELECT id FROM namespaces WHERE ns = ?", (ns,))
            self._numbers[ns] = number or self._db.get(
                "INSERT INTO namespaces (ns) VALUES (?) RETURNING id", (ns,)
            )
        return self._numbers[ns]

    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log; its lock keeps others from doing so meanwhile."""
        self.namespace(ns)
        actor = CALLER.get().name
        self._heads[ns] = self._db.later(
            _HEAD, (0, 0, encoded([memory_id, op, at, actor, None])[1:].encode(), ns)
        )
        self._db.run(_APPEND, (memory_id, op, at, actor, ns))

    def grow(self, ns: str, chunks: int, length: int) -> None:
        """Update a namespace's number of chunks and their total length, with a line that waits."""
        head = self._heads.get(ns)
        if head is not None:
            more, longer, *rest = head.values
            new = head._replace(values=(more + chunks, longer + length, *rest))
            if self._db.trips.replace(head, new):
                self._heads[ns] = new
                return
        super().grow(ns, chunks, length)

    def assume(self, space: Space) -> None:
        """Use a namespace as it was read before; the transaction fails if it has gone."""
        self._db.lock(space.name)
        self._numbers[space.name] = space.number
        self._db.run(_STILL_THERE, (space.name, space.number))

    def retire(self, ns: str) -> bool:
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
        self._db.run(
            f"INSERT INTO changes (ns, {LINE}) SELECT ?, {LINE} FROM changes WHERE ns = ?",
            (nameless, ns),
        )
        for table in ("changes", "threads", "namespaces"):
            self._db.run(f"DELETE FROM {table} WHERE ns = ?", (ns,))
        self._numbers.pop(ns, None)
        return True
