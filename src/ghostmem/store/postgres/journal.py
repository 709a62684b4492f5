"""The change log, one sequence per namespace, and the days on which memories were used."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.caller import CALLER
from ghostmem.clock import format_time
from ghostmem.store.chain import Head, Line, chained
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.places import Places

if TYPE_CHECKING:
    from ghostmem.model import Access

_LINE = "ns_id, seq, memory_id, op, at, actor, line, hash"
_APPEND = (  # in one statement, because each one costs a journey
    "WITH stands AS (UPDATE namespaces SET sequence = %s, head = %s WHERE ns = %s)"
    f" INSERT INTO changes (ns, {_LINE}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)


class PostgresJournal:
    """What changed, in order, and on which days memories were used.

    Namespaces are written side by side, so there is no one order of all lines, and `line` stays
    empty: each has its own chain."""

    def __init__(self, db: Db, places: Places) -> None:
        self._db = db
        self._places = places
        self._numbers: dict[str, int] = {}
        self._heads: dict[
            str, tuple[int, str]
        ] = {}  # where the log of each namespace stands in this transaction

    def namespace(self, ns: str) -> int:
        """Return a namespace's number, giving it one on first sight."""
        if ns not in self._numbers:
            self._db.lock(ns)
            sql = "SELECT id, sequence, coalesce(head, '') FROM namespaces WHERE ns = %s"
            row = self._db.row(sql, (ns,))
            if row is None:
                row = (
                    self._db.get("INSERT INTO namespaces (ns) VALUES (%s) RETURNING id", (ns,)),
                    0,
                    "",
                )
            self._numbers[ns], self._heads[ns] = row[0], (row[1], row[2])
            self._places.saw_space(row[0], ns)
        return self._numbers[ns]

    def grow(self, ns: str, chunks: int, length: int) -> None:
        """Keep the namespace's number of chunks and their total length, which ranking needs."""
        self._db.run(
            "UPDATE namespaces SET chunks = chunks + %s, length = length + %s WHERE ns = %s",
            (chunks, length, ns),
        )

    def record(self, ns: str, memory_id: str, op: str, at: datetime) -> None:
        """Write down one change, without what was changed, and chain it to the one before."""
        self.append(ns, memory_id, op, format_time(at))

    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log; nobody else can meanwhile, because its lock is held."""
        number = self.namespace(ns)
        seq, before = self._heads[ns]
        line = Line(number, seq + 1, memory_id, op, at, CALLER.get().name, None)
        made = chained(before, line)
        self._db.run(_APPEND, (seq + 1, made, ns, ns, *line[:7], made))
        self._heads[ns] = (seq + 1, made)

    def heads(self) -> list[Head]:
        """Return every namespace with how long its log is and how it ends."""
        return [
            Head(*row)
            for row in self._db.rows("SELECT id, ns, sequence, head FROM namespaces ORDER BY id")
        ]

    def lines(self, in_order: bool = False) -> Iterator[Line]:
        """Read the whole log, by namespace, or as near to the order in which it was written as is
        known.
        """
        order = "hash IS NOT NULL, line NULLS LAST, at, ns_id, seq" if in_order else "ns_id, seq"
        for row in self._db.rows(f"SELECT {_LINE} FROM changes ORDER BY {order}"):
            yield Line(*row)

    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing any more.

        Its log goes on under its number alone.
        """
        self._db.lock(ns)
        number = self._db.get(
            "SELECT id FROM namespaces WHERE ns = %s AND NOT EXISTS (SELECT 1 FROM "
            "memories WHERE ns = %s)",
            (ns, ns),
        )
        if number is None:
            return False
        nameless = f"#{number}"
        self._db.run(
            "INSERT INTO namespaces (ns, id, sequence, chunks, length, head)"
            " SELECT %s, id, sequence, chunks, length, head FROM namespaces WHERE ns = %s",
            (nameless, ns),
        )
        self._db.run(
            f"INSERT INTO changes (ns, {_LINE}) SELECT %s, {_LINE} FROM changes WHERE ns = %s",
            (nameless, ns),
        )
        for table in ("changes", "threads", "namespaces"):
            self._db.run(f"DELETE FROM {table} WHERE ns = %s", (ns,))
        self._numbers.pop(ns, None)
        self._heads.pop(ns, None)
        self._places.forget()
        return True

    def changes(self, ns: str, after: int, limit: int) -> list[tuple[int, str, str]]:
        """List changes of a namespace after a sequence number as (sequence, memory id, what)."""
        sql = (
            "SELECT seq, memory_id, op FROM changes WHERE ns = %s AND seq > %s ORDER BY "
            "seq LIMIT %s"
        )
        return self._db.rows(sql, (ns, after, limit))

    def log_access(self, ns: str, ids: Iterable[str], at: datetime, used: bool) -> None:
        """Count one use or one exposure of memories of a namespace, on its day."""
        one = int(used)
        self._db.run(
            "INSERT INTO accesses (ns, memory_id, day, used, shown) SELECT ns, id, %s, %s, "
            "%s FROM memories"
            " WHERE ns = %s AND id = ANY(%s)"
            " ON CONFLICT (ns, memory_id, day) DO UPDATE SET used = accesses.used + excluded.used,"
            " shown = accesses.shown + excluded.shown",
            (format_time(at)[:10], one, 1 - one, ns, list(ids)),
        )

    def accesses(self, memory_id: str | None = None) -> "Iterator[Access]":
        """List all days of use, or those of one memory."""
        from ghostmem.model import Access

        sql, values = "SELECT memory_id, day, used, shown FROM accesses", list[str | None]()
        if memory_id is not None:
            sql, values = (
                f"{sql} WHERE ns = %s AND memory_id = %s",
                [self._places.one(memory_id), memory_id],
            )
        for row in self._db.rows(f"{sql} ORDER BY memory_id, day", values):
            yield Access(*row)

    def days_of_use(self, ns: str) -> dict[str, int]:
        """Return, for each live memory that is in the log, on how many days it was really used."""
        sql = (
            "SELECT m.id, count(*) FILTER (WHERE a.used > 0) FROM memories m"
            " JOIN accesses a ON a.ns = m.ns AND a.memory_id = m.id WHERE m.ns = %s AND "
            "m.deleted_at IS NULL GROUP BY m.id"
        )
        return dict(self._db.rows(sql, (ns,)))

    def uses(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """Return how often each memory was really used.

        Memories that were only shown are left out.
        """
        sql = (
            "SELECT memory_id, sum(used)::int FROM accesses WHERE ns = %s AND memory_id "
            "= ANY(%s) AND used > 0 GROUP BY memory_id"
        )
        found: dict[str, int] = {}
        for ns, ids in self._places.of(memory_ids).items():
            found.update(self._db.rows(sql, (ns, ids)))
        return found

    def add_access(self, access: "Access") -> bool:
        """Bring in a day of use from elsewhere; False when that day is already there."""
        ns = self._places.one(access.memory_id)
        row = (ns, access.memory_id, access.day, access.used, access.shown)
        sql = (
            "INSERT INTO accesses (ns, memory_id, day, used, shown) VALUES (%s, %s, %s, "
            "%s, %s) ON CONFLICT DO NOTHING"
        )
        return self._db.run(sql, row) > 0

    def carry(self, old_id: str, new_id: str) -> None:
        """Hand the days of use to the next version."""
        ns = self._places.one(old_id)
        self._db.run(
            "UPDATE accesses SET memory_id = %s WHERE ns = %s AND memory_id = %s",
            (new_id, ns, old_id),
        )
