"""Sessions of agent hosts."""

from datetime import datetime

import apsw

from ghostmem.clock import format_time
from ghostmem.store.records import SESSION, session_of, session_row
from ghostmem.store.session import Session


class SqliteSessions:
    """What hooks remember of sessions; a session that is long over is forgotten."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, session_id: str) -> Session | None:
        """Return what is known of a session."""
        sql = f"SELECT {SESSION} FROM hook_sessions WHERE session_id = ?"
        row = self._db.execute(sql, (session_id,)).fetchone()
        return None if row is None else session_of(row)

    def latest(self, ns: str, besides: str) -> Session | None:
        """Return the session of a namespace that was active last, besides one."""
        where = "ns = ? AND session_id <> ? ORDER BY at DESC, session_id LIMIT 1"
        sql = f"SELECT {SESSION} FROM hook_sessions WHERE {where}"
        row = self._db.execute(sql, (ns, besides)).fetchone()
        return None if row is None else session_of(row)

    def put(self, session: Session) -> None:
        """Write down what is known of a session, in the place of what was."""
        sql = f"INSERT OR REPLACE INTO hook_sessions ({SESSION}) VALUES (?, ?, ?, ?, ?, ?)"
        self._db.execute(sql, session_row(session))

    def prune(self, before: datetime) -> int:
        """Forget sessions in which nothing happened since a time."""
        self._db.execute("DELETE FROM hook_sessions WHERE at < ?", (format_time(before),))
        return self._db.changes()
