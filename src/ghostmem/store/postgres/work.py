"""A queue of work that several workers share, and their presence.

A worker holds a lock of the database as long as it runs; its claims expire."""

import os
import secrets
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

import psycopg

from ghostmem.clock import format_time
from ghostmem.store.postgres.connect import WRITERS, translated
from ghostmem.store.postgres.database import Db

PRESENT = WRITERS + 1  # the class of advisory locks of present workers
_WATCHED = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"
)


@contextmanager
def present(url: str, location: str) -> Iterator[str]:
    """Be present under a unique name until the block ends.

    The lock belongs to a session on its own connection: it need not be renewed, clocks need not
    agree, and it ends when the process or machine dies."""
    with translated(location):
        connection = psycopg.connect(
            url, autocommit=True, application_name="ghost worker", connect_timeout=10
        )
    try:
        with translated(location):
            connection.execute(_WATCHED)
            while True:
                name = f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
                row = connection.execute(
                    "SELECT pg_try_advisory_lock(%s, hashtext(%s))", (PRESENT, name)
                ).fetchone()
                if row and row[0]:
                    break  # else another name has the same number
        yield name
    finally:
        with suppress(psycopg.Error):  # the server notices a closed connection only a moment later
            connection.execute("SELECT pg_advisory_unlock_all()")
        connection.close()


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
        for (ns,) in self._db.rows(
            "SELECT ns FROM work WHERE kind = ? AND until <= ? GROUP BY ns ORDER BY md5(? || ns)",
            (kind, time, holder),
        ):
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
        sql = (
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = ?"
            " AND objsubid = 2 AND objid = (hashtext(?)::bigint & 4294967295)::oid"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return self._db.get(sql, (PRESENT, holder)) is not None

    def left(self, kind: str) -> int:
        """Return the number of items that are not done, claimed or not."""
        return int(self._db.get("SELECT count(*) FROM work WHERE kind = ?", (kind,)))
