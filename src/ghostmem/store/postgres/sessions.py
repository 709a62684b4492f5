"""Sessions of agent hosts."""

from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.postgres.connect import Db
from ghostmem.store.records import SESSION, session_of, session_row
from ghostmem.store.session import Session


class PostgresSessions:
    """What hooks remember of sessions; a session that is long over is forgotten."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def get(self, session_id: str) -> Session | None:
        """Return what is known of a session."""
        row = self._db.row(
            f"SELECT {SESSION} FROM hook_sessions WHERE session_id = %s", (session_id,)
        )
        return None if row is None else session_of(row)

    def latest(self, ns: str, besides: str) -> Session | None:
        """Return the session of a namespace that was active last, besides one."""
        where = "ns = %s AND session_id <> %s ORDER BY at DESC, session_id LIMIT 1"
        sql = f"SELECT {SESSION} FROM hook_sessions WHERE {where}"
        row = self._db.row(sql, (ns, besides))
        return None if row is None else session_of(row)

    def put(self, session: Session) -> None:
        """Write down what is known of a session, in the place of what was."""
        sql = (
            f"INSERT INTO hook_sessions ({SESSION}) VALUES (%s, %s, %s, %s, %s, %s) ON "
            "CONFLICT (session_id) DO UPDATE SET"
            " ns = excluded.ns, at = excluded.at, shown = excluded.shown, captured_to = "
            "excluded.captured_to,"
            " asked_to = excluded.asked_to"
        )
        self._db.run(sql, session_row(session))

    def prune(self, before: datetime) -> int:
        """Forget sessions in which nothing happened since a time."""
        return self._db.run("DELETE FROM hook_sessions WHERE at < %s", (format_time(before),))
