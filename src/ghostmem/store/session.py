"""The state of one session of an agent host."""

from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.frozen import frozen
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType


@frozen
class HookSession:
    """A session: its namespace, the ids it was shown, and the positions in its transcript.

    `captured_to` and `asked_to` say how far the transcript was captured and sent to a model."""

    id: str
    ns: str
    at: datetime
    shown: tuple[str, ...] = ()
    captured_to: int = 0
    asked_to: int = 0


_SESSION = RowType("hook_sessions", HookSession, id="session_id")


class SessionTable(StoreTable):
    """The state of hooks by session; old sessions are pruned."""

    def get(self, session_id: str) -> HookSession | None:
        """Return a session."""
        return self._first("session_id = ?", session_id)

    def latest(self, ns: str, besides: str) -> HookSession | None:
        """Return the session of a namespace that was active last, except one."""
        tail = "ns = ? AND session_id <> ? ORDER BY at DESC, session_id LIMIT 1"
        return self._first(tail, ns, besides)

    def _first(self, tail: str, *values: str) -> HookSession | None:
        return next(iter(_SESSION.select(self._db, f"WHERE {tail}", values)), None)

    def put(self, session: HookSession) -> None:
        """Write a session, replacing its last state."""
        _SESSION.put(self._db, session)

    def prune(self, before: datetime) -> int:
        """Delete sessions that were last active before a time and return their number."""
        return self._db.change("DELETE FROM hook_sessions WHERE at < ?", (format_time(before),))
