"""Tokens of callers over the network; only hashes of their secrets are stored."""

from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.model import Token
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType

_TOKEN = RowType("tokens", Token)


class Tokens(StoreTable):
    """Tokens with the hashes of their secrets."""

    def all(self) -> list[Token]:
        """List every token, oldest first."""
        rows = self._db.rows(f"SELECT {_TOKEN.columns} FROM tokens ORDER BY created_at, id")
        return [_TOKEN.read(row) for row in rows]

    def any(self) -> bool:
        """Say whether a token was ever created."""
        return bool(self._db.get("SELECT EXISTS (SELECT 1 FROM tokens)"))

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """Return a token and the hash of its secret."""
        row = self._db.row(f"SELECT {_TOKEN.columns}, hash FROM tokens WHERE id = ?", (token_id,))
        return None if row is None else (_TOKEN.read(row[:-1]), row[-1])

    def add(self, token: Token, digest: str) -> None:
        """Add a token and the hash of its secret."""
        marks = ", ".join("?" * len(_TOKEN.names))
        sql = f"INSERT INTO tokens ({_TOKEN.columns}, hash) VALUES ({marks}, ?)"
        self._db.run(sql, (*_TOKEN.write(token), digest))

    def revoke(self, token_id: str, at: datetime) -> None:
        """Record that a token is no longer valid."""
        self._db.run("UPDATE tokens SET revoked_at = ? WHERE id = ?", (format_time(at), token_id))

    def used(self, token_id: str, at: datetime) -> None:
        """Record when a token was used."""
        self._db.run("UPDATE tokens SET last_used_at = ? WHERE id = ?", (format_time(at), token_id))
