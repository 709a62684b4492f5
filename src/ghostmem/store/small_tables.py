"""Small tables: access tokens, rules, backups, secrets and the quarantine."""

from datetime import datetime
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.model import SYSTEM, Held, NsFilter, Rule, Token
from ghostmem.store.database import StoreTable
from ghostmem.store.filters import LAST, ns_part
from ghostmem.store.records import RowType

_TOKEN = RowType("tokens", Token)


class Tokens(StoreTable):
    """Tokens with the hashes of their secrets."""

    def all(self) -> list[Token]:
        """List every token, oldest first."""
        return _TOKEN.select(self._db, "ORDER BY created_at, id")

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


_RULE = RowType("reflect_rules", Rule)


class RuleTable(StoreTable):
    """Lifecycle rules as data."""

    def all(self) -> list[Rule]:
        """List every rule, highest priority first."""
        return _RULE.select(self._db, "ORDER BY priority DESC, id")

    def get(self, rule_id: str) -> Rule | None:
        """Return one rule."""
        return next(iter(_RULE.select(self._db, "WHERE id = ?", (rule_id,))), None)

    def put(self, rule: Rule) -> bool:
        """Add a rule, or replace a built-in one by a user's; return False when its id is taken."""
        known = self.get(rule.id)
        if known is not None and (known.created_by != SYSTEM or rule.created_by == SYSTEM):
            return False
        self.replace(rule)
        return True

    def replace(self, rule: Rule) -> None:
        """Write a rule, whatever its id held before."""
        _RULE.put(self._db, rule)

    def delete(self, rule_id: str) -> bool:
        """Delete a rule; return False when there is none."""
        return self._db.change("DELETE FROM reflect_rules WHERE id = ?", (rule_id,)) > 0


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


_HELD = RowType("quarantine", Held)


class Quarantine(StoreTable):
    """Texts that are not trusted, in a table that no index and no retrieval reads."""

    def add(self, held: Held) -> None:
        """Add an item."""
        _HELD.put(self._db, held)

    def get(self, held_id: str) -> Held | None:
        """Return the item with an id, from any namespace."""
        return next(iter(self._read("id = ?", [held_id])), None)

    def all(self, ns: NsFilter) -> list[Held]:
        """List the items of some namespaces, oldest first."""
        return self._read(*ns_part(ns, "ns"))

    def counts(self) -> dict[str, int]:
        """Return the number of items of each namespace that has any."""
        return dict(self._db.rows("SELECT ns, count(*) FROM quarantine GROUP BY ns"))

    def at_key(self, ns: str, key: str) -> list[Held]:
        """List the items for one key, oldest first."""
        return self._read("ns = ? AND key = ?", [ns, key])

    def under_key(self, ns: str, prefix: str) -> list[Held]:
        """List the items for keys with a prefix, oldest first."""
        # a range, unlike `Dialect.starts`, uses the index by key
        return self._read("ns = ? AND key >= ? AND key < ?", [ns, prefix, prefix + LAST])

    def drop(self, held_id: str) -> bool:
        """Delete an item for good; return False when there is none."""
        ns = self._db.get("SELECT ns FROM quarantine WHERE id = ?", (held_id,))
        sql = "DELETE FROM quarantine WHERE ns = ? AND id = ?"
        return ns is not None and self._db.change(sql, (ns, held_id)) > 0

    def _read(self, condition: str, values: list[Any]) -> list[Held]:
        return _HELD.select(self._db, f"WHERE {condition} ORDER BY at, id", values)
