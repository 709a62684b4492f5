"""Where copies of the store were written to."""

from datetime import datetime

import apsw

from ghostmem.clock import format_time, read_time


class SqliteBackups:
    """Where copies of the store were written to, so that a deletion can name those that still hold
    what it deleted.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(self, path: str, at: datetime) -> None:
        """Remember a copy."""
        self._db.execute(
            "INSERT OR REPLACE INTO backups (path, at) VALUES (?, ?)", (path, format_time(at))
        )

    def all(self) -> dict[str, datetime]:
        """Return every copy with when it was made."""
        return {
            path: read_time(at)
            for path, at in self._db.execute("SELECT path, at FROM backups ORDER BY path")
        }
