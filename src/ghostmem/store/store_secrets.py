"""Secrets of the store."""

from ghostmem.store.database import StoreTable


class Secrets(StoreTable):
    """Secrets by which the store recognises its own signatures; they are never exported."""

    def get(self, name: str) -> str | None:
        """Return a secret, or None when it was never made."""
        value: str | None = self._db.get("SELECT value FROM store_secrets WHERE name = ?", (name,))
        return value

    def put(self, name: str, value: str) -> None:
        """Write a secret."""
        sql = self._sql.insert("store_secrets", ("name", "value"), replace=True)
        self._db.run(sql, (name, value))
