"""A queue of work that several workers share: what nobody does is free, what somebody does is his
until a time.
"""

from collections.abc import Iterable
from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.presence import is_present

_CLAIM = (
    "WITH free AS (SELECT item FROM work WHERE ns = %s AND kind = %s AND until <= %s ORDER "
    "BY item LIMIT %s"
    " FOR UPDATE SKIP LOCKED) UPDATE work w SET worker = %s, until = %s FROM free"
    " WHERE w.ns = %s AND w.kind = %s AND w.item = free.item RETURNING w.item"
)


class PostgresWork:
    """Pieces of work by kind and namespace.

    A worker claims some in a short transaction, does each and says so; when he dies, they are free
    again once his time is over. The rows of a claim are passed over by others who claim at that
    moment, so nobody waits and no piece is given out twice."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def offer(self, kind: str, rows: Iterable[tuple[str, str]]) -> int:
        """Add pieces as (namespace, item) and return how many are new.

        Those that are there stay as they are.
        """
        given = sorted(
            set(rows)
        )  # in one order, so that two who offer the same do not wait for each other crosswise
        sql = (
            "INSERT INTO work (ns, kind, item) SELECT given.ns, %s, given.item FROM "
            "unnest(%s::text[], %s::text[])"
            " AS given (ns, item) ON CONFLICT DO NOTHING"
        )
        return (
            self._db.run(sql, (kind, [ns for ns, _ in given], [item for _, item in given]))
            if given
            else 0
        )

    def claim(
        self, kind: str, holder: str, until: datetime, limit: int, now: datetime
    ) -> list[tuple[str, str]]:
        """Take up to so many pieces that nobody has, or whose holder's time is over.

        Nothing found is nothing free right now.
        """
        at = format_time(now)
        found: list[tuple[str, str]] = []
        # every worker begins elsewhere, so that they seldom reach for the same
        sql = (
            "SELECT ns FROM work WHERE kind = %s AND until <= %s GROUP BY ns ORDER BY md5(%s || ns)"
        )
        for (ns,) in self._db.rows(sql, (kind, at, holder)):
            if len(found) >= limit:
                break
            values = (ns, kind, at, limit - len(found), holder, format_time(until), ns, kind)
            found += sorted((ns, item) for (item,) in self._db.rows(_CLAIM, values))
        return found

    def done(self, kind: str, ns: str, item: str) -> bool:
        """Take a piece off the queue; False when it is not there any more."""
        return (
            self._db.run(
                "DELETE FROM work WHERE ns = %s AND kind = %s AND item = %s", (ns, kind, item)
            )
            > 0
        )

    def release(self, holder: str) -> int:
        """Give back everything that somebody holds and has not done."""
        return self._db.run("UPDATE work SET worker = '', until = '' WHERE worker = %s", (holder,))

    def free_the_dead(self, kind: str) -> int:
        """Give back what those hold who are not there any more, and return how many pieces
        that is.
        """
        holders = [
            name
            for (name,) in self._db.rows(
                "SELECT DISTINCT worker FROM work WHERE kind = %s AND worker <> ''", (kind,)
            )
        ]
        return sum(self.release(name) for name in holders if not self.is_present(name))

    def is_present(self, holder: str) -> bool:
        """Say whether a worker is there, on whatever machine."""
        return is_present(self._db, holder)

    def left(self, kind: str) -> int:
        """Return how many pieces are not done yet, whoever has them."""
        found: int = self._db.get("SELECT count(*) FROM work WHERE kind = %s", (kind,))
        return found
