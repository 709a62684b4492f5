"""Where copies of the store were written to."""

from datetime import datetime

from ghostmem.clock import format_time, read_time
from ghostmem.store.postgres.connect import Db


class PostgresBackups:
    """Where copies of the store were written to, so that a deletion can name those that still hold
    what it deleted.
    """

    def __init__(self, db: Db) -> None:
        self._db = db

    def add(self, path: str, at: datetime) -> None:
        """Remember a copy."""
        sql = (
            "INSERT INTO backups (path, at) VALUES (%s, %s) ON CONFLICT (path) DO UPDATE "
            "SET at = excluded.at"
        )
        self._db.run(sql, (path, format_time(at)))

    def all(self) -> dict[str, datetime]:
        """Return every copy with when it was made."""
        return {
            path: read_time(at)
            for path, at in self._db.rows("SELECT path, at FROM backups ORDER BY path")
        }
