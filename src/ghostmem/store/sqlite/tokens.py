"""Tokens of callers over the network; only hashes of their secrets are here."""

from datetime import datetime

import apsw

from ghostmem.clock import format_time
from ghostmem.model import Token
from ghostmem.store.records import TOKEN, token_of, token_row


class SqliteTokens:
    """Tokens as rows."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def all(self) -> list[Token]:
        """List every token, oldest first."""
        return [
            token_of(row)
            for row in self._db.execute(f"SELECT {TOKEN} FROM tokens ORDER BY created_at, id")
        ]

    def any(self) -> bool:
        """Say whether a token was ever made."""
        return bool(self._db.execute("SELECT EXISTS (SELECT 1 FROM tokens)").get)

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """Return a token and the hash of its secret."""
        row = self._db.execute(
            f"SELECT {TOKEN}, hash FROM tokens WHERE id = ?", (token_id,)
        ).fetchone()
        return None if row is None else (token_of(row[:-1]), row[-1])

    def add(self, token: Token, digest: str) -> None:
        """Write down a token and the hash of its secret."""
        row = (*token_row(token), digest)
        self._db.execute(f"INSERT INTO tokens ({TOKEN}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def revoke(self, token_id: str, at: datetime) -> None:
        """Note that a token opens nothing any more."""
        self._db.execute(
            "UPDATE tokens SET revoked_at = ? WHERE id = ?", (format_time(at), token_id)
        )

    def used(self, token_id: str, at: datetime) -> None:
        """Note when a token was used."""
        self._db.execute(
            "UPDATE tokens SET last_used_at = ? WHERE id = ?", (format_time(at), token_id)
        )
