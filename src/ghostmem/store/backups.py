"""The paths of the store's copies."""

from datetime import datetime

from ghostmem.clock import format_time, read_time
from ghostmem.store.database import StoreTable


class Backups(StoreTable):
    """Paths of copies, so that a deletion can name the copies that still hold deleted text."""

    def add(self, path: str, at: datetime) -> None:
        """Record a copy."""
        sql = self._sql.insert("backups", ("path", "at"), replace=True)
        self._db.run(sql, (path, format_time(at)))

    def all(self) -> dict[str, datetime]:
        """Return the time of every copy by its path."""
        rows = self._db.rows("SELECT path, at FROM backups ORDER BY path")
        return {path: read_time(at) for path, at in rows}
