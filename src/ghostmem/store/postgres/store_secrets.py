"""Secrets of the store."""

from ghostmem.store.postgres.connect import Db


class PostgresSecrets:
    """Secrets that the store keeps to recognise its own work."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def get(self, name: str) -> str | None:
        """Return a secret, or None when it was never made."""
        found: str | None = self._db.get("SELECT value FROM store_secrets WHERE name = %s", (name,))
        return found

    def put(self, name: str, value: str) -> None:
        """Keep a secret."""
        sql = (
            "INSERT INTO store_secrets (name, value) VALUES (%s, %s) ON CONFLICT (name) "
            "DO UPDATE SET value = excluded.value"
        )
        self._db.run(sql, (name, value))
