"""Secrets of the store."""

import apsw


class SqliteSecrets:
    """Secrets that the store keeps to recognise its own work."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def get(self, name: str) -> str | None:
        """Return a secret, or None when it was never made."""
        row = self._db.execute("SELECT value FROM store_secrets WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, name: str, value: str) -> None:
        """Keep a secret."""
        self._db.execute(
            "INSERT OR REPLACE INTO store_secrets (name, value) VALUES (?, ?)", (name, value)
        )
