"""Sessions of agent hosts."""

import json
from datetime import datetime

import apsw

from ghostmem.engine.session import Session
from ghostmem.times import format_time, read_time

_COLUMNS = "session_id, ns, at, shown, captured_to, asked_to"


class SqliteSessions:
    """What hooks remember of sessions; a session that is long over is forgotten."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, session_id: str) -> Session | None:
        """Return what is known of a session."""
        sql = f"SELECT {_COLUMNS} FROM hook_sessions WHERE session_id = ?"
        row = self._db.execute(sql, (session_id,)).fetchone()
        return None if row is None else Session(row[0], row[1], read_time(row[2]), tuple(json.loads(row[3])), row[4], row[5])

    def put(self, session: Session) -> None:
        """Write down what is known of a session, in the place of what was."""
        row = (session.id, session.ns, format_time(session.at), json.dumps(session.shown), session.captured_to, session.asked_to)
        self._db.execute(f"INSERT OR REPLACE INTO hook_sessions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", row)

    def prune(self, before: datetime) -> int:
        """Forget sessions in which nothing happened since a time."""
        self._db.execute("DELETE FROM hook_sessions WHERE at < ?", (format_time(before),))
        return self._db.changes()
