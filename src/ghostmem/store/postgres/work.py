"""A queue of work that several workers share, with claims that expire."""

from collections.abc import Iterable
from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.presence import is_present

_CLAIM = (
    "WITH free AS (SELECT item FROM work WHERE ns = ? AND kind = ? AND until <= ? ORDER "
    "BY item LIMIT ?"
    " FOR UPDATE SKIP LOCKED) UPDATE work w SET worker = ?, until = ? FROM free"
    " WHERE w.ns = ? AND w.kind = ? AND w.item = free.item RETURNING w.item"
)


class PostgresWork:
    """Items of work by kind and namespace.

    A worker claims items in a short transaction, does each and reports it; when the worker
    dies, they are free again after their time. A claim skips rows that another claim has
    locked, so that nobody waits and no item is given out twice."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def offer(self, kind: str, rows: Iterable[tuple[str, str]]) -> int:
        """Add items as (namespace, item), keep existing ones, and return the number of new ones."""
        items = sorted(set(rows))  # in one order, so that two workers cannot deadlock
        return (
            self._db.change(
                "INSERT INTO work (ns, kind, item) SELECT given.ns, ?, given.item FROM "
                "unnest(?::text[], ?::text[])"
                " AS given (ns, item) ON CONFLICT DO NOTHING",
                (kind, [ns for ns, _ in items], [item for _, item in items]),
            )
            if items
            else 0
        )

    def claim(
        self, kind: str, holder: str, until: datetime, limit: int, now: datetime
    ) -> list[tuple[str, str]]:
        """Claim up to `limit` items that are free, or whose claim has expired.

        An empty list means that nothing is free now."""
        time = format_time(now)
        items: list[tuple[str, str]] = []
        # each worker has its own order, so that they seldom claim the same items
        sql = "SELECT ns FROM work WHERE kind = ? AND until <= ? GROUP BY ns ORDER BY md5(? || ns)"
        for (ns,) in self._db.rows(sql, (kind, time, holder)):
            if len(items) >= limit:
                break
            values = (ns, kind, time, limit - len(items), holder, format_time(until), ns, kind)
            items += sorted((ns, item) for (item,) in self._db.rows(_CLAIM, values))
        return items

    def done(self, kind: str, ns: str, item: str) -> bool:
        """Delete an item from the queue; return False when it is gone already."""
        return (
            self._db.change(
                "DELETE FROM work WHERE ns = ? AND kind = ? AND item = ?", (ns, kind, item)
            )
            > 0
        )

    def release(self, holder: str) -> int:
        """Release all items that a worker has claimed."""
        return self._db.change(
            "UPDATE work SET worker = '', until = '' WHERE worker = ?", (holder,)
        )

    def free_the_dead(self, kind: str) -> int:
        """Release the items of workers that are gone, and return their number."""
        holders = [
            name
            for (name,) in self._db.rows(
                "SELECT DISTINCT worker FROM work WHERE kind = ? AND worker <> ''", (kind,)
            )
        ]
        return sum(self.release(name) for name in holders if not self.is_present(name))

    def is_present(self, holder: str) -> bool:
        """Say whether a worker is present, on any machine."""
        return is_present(self._db, holder)

    def left(self, kind: str) -> int:
        """Return the number of items that are not done, claimed or not."""
        count: int = self._db.get("SELECT count(*) FROM work WHERE kind = ?", (kind,))
        return count
