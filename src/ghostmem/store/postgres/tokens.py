"""Tokens of callers over the network; only hashes of their secrets are here."""

from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.model import Token
from ghostmem.store.postgres.connect import Db
from ghostmem.store.records import TOKEN, token_of, token_row


class PostgresTokens:
    """Tokens as rows."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def all(self) -> list[Token]:
        """List every token, oldest first."""
        return [
            token_of(row)
            for row in self._db.rows(f"SELECT {TOKEN} FROM tokens ORDER BY created_at, id")
        ]

    def any(self) -> bool:
        """Say whether a token was ever made."""
        return bool(self._db.get("SELECT EXISTS (SELECT 1 FROM tokens)"))

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """Return a token and the hash of its secret."""
        row = self._db.row(f"SELECT {TOKEN}, hash FROM tokens WHERE id = %s", (token_id,))
        return None if row is None else (token_of(row[:-1]), row[-1])

    def add(self, token: Token, digest: str) -> None:
        """Write down a token and the hash of its secret."""
        row = (*token_row(token), digest)
        self._db.run(
            f"INSERT INTO tokens ({TOKEN}, hash) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row
        )

    def revoke(self, token_id: str, at: datetime) -> None:
        """Note that a token opens nothing any more."""
        self._db.run("UPDATE tokens SET revoked_at = %s WHERE id = %s", (format_time(at), token_id))

    def used(self, token_id: str, at: datetime) -> None:
        """Note when a token was used."""
        self._db.run(
            "UPDATE tokens SET last_used_at = %s WHERE id = %s", (format_time(at), token_id)
        )
