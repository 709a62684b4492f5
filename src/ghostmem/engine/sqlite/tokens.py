"""Tokens of callers over the network; only hashes of their secrets are here."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from ghostmem.times import format_time, read_time
from ghostmem.token import Token

_COLUMNS = "id, name, grants, created_at, expires_at, revoked_at, last_used_at"


class SqliteTokens:
    """Tokens as rows."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def all(self) -> list[Token]:
        """List every token, oldest first."""
        return [_token(row) for row in self._db.execute(f"SELECT {_COLUMNS} FROM tokens ORDER BY created_at, id")]

    def any(self) -> bool:
        """Say whether a token was ever made."""
        return bool(self._db.execute("SELECT EXISTS (SELECT 1 FROM tokens)").get)

    def get(self, token_id: str) -> tuple[Token, str] | None:
        """Return a token and the hash of its secret."""
        row = self._db.execute(f"SELECT {_COLUMNS}, hash FROM tokens WHERE id = ?", (token_id,)).fetchone()
        return None if row is None else (_token(row[:-1]), row[-1])

    def add(self, token: Token, digest: str) -> None:
        """Write down a token and the hash of its secret."""
        expires = format_time(token.expires_at) if token.expires_at else None
        row = (token.id, token.name, digest, json.dumps(token.grants), format_time(token.created_at), expires)
        self._db.execute("INSERT INTO tokens (id, name, hash, grants, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)", row)

    def revoke(self, token_id: str, at: datetime) -> None:
        """Note that a token opens nothing any more."""
        self._db.execute("UPDATE tokens SET revoked_at = ? WHERE id = ?", (format_time(at), token_id))

    def used(self, token_id: str, at: datetime) -> None:
        """Note when a token was used."""
        self._db.execute("UPDATE tokens SET last_used_at = ? WHERE id = ?", (format_time(at), token_id))


def _token(row: Sequence[Any]) -> Token:
    id_, name, grants, *times = row
    created, *others = (read_time(at) if at else None for at in times)
    return Token(id_, name, tuple(json.loads(grants)), created, *others)  # type: ignore[arg-type]
