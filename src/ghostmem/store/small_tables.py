"""Small tables: tokens, rules, backups, secrets, the quarantine, mirrors and sessions."""

from datetime import datetime
from typing import Any, NamedTuple

from ghostmem.clock import format_time, read_time
from ghostmem.frozen import frozen
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
        self._db.run(
            f"INSERT INTO tokens ({_TOKEN.columns}, hash) VALUES ({marks}, ?)",
            (*_TOKEN.write(token), digest),
        )

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
        self._db.run(
            self._sql.insert("backups", ("path", "at"), replace=True), (path, format_time(at))
        )

    def all(self) -> dict[str, datetime]:
        """Return the time of every copy by its path."""
        return {
            path: read_time(at)
            for path, at in self._db.rows("SELECT path, at FROM backups ORDER BY path")
        }


class Secrets(StoreTable):
    """Secrets by which the store recognises its own signatures; they are never exported."""

    def get(self, name: str) -> str | None:
        """Return a secret, or None when it was never made."""
        value: str | None = self._db.get("SELECT value FROM store_secrets WHERE name = ?", (name,))
        return value

    def put(self, name: str, value: str) -> None:
        """Write a secret."""
        self._db.run(
            self._sql.insert("store_secrets", ("name", "value"), replace=True), (name, value)
        )


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
        return (
            ns is not None
            and self._db.change("DELETE FROM quarantine WHERE ns = ? AND id = ?", (ns, held_id)) > 0
        )

    def _read(self, condition: str, values: list[Any]) -> list[Held]:
        return _HELD.select(self._db, f"WHERE {condition} ORDER BY at, id", values)


class Mirror(NamedTuple):
    """A namespace and a markdown folder that are kept equal.

    `layout` names the format of the folder."""

    id: int
    root: str
    layout: str
    ns: str


class MirrorItem(NamedTuple):
    """The agreed state of a key: its file, hash of the text, tags, and summary in the index."""

    key: str
    path: str
    hash: str
    tags: frozenset[str] = frozenset()
    about: str = ""


_MIRROR = RowType("mirrors", Mirror)
_ITEM = RowType("mirror_items", MirrorItem)


class Mirrors(StoreTable):
    """The mirrors of all namespaces."""

    def all(self) -> list[Mirror]:
        """Return every mirror, the oldest first."""
        return _MIRROR.select(self._db, "ORDER BY id")

    def add(self, root: str, layout: str, ns: str, at: datetime) -> Mirror:
        """Add a mirror, or return the one that the folder has."""
        self._db.run(
            self._sql.insert("mirrors", ("root", "layout", "ns", "added_at")),
            (root, layout, ns, format_time(at)),
        )
        return _MIRROR.select(self._db, "WHERE root = ?", (root,))[0]

    def drop(self, mirror_id: int) -> None:
        """Delete a mirror and the agreed state of its keys."""
        self._db.run("DELETE FROM mirrors WHERE id = ?", (mirror_id,))

    def items(self, mirror_id: int) -> dict[str, MirrorItem]:
        """Return the agreed state by key."""
        items = _ITEM.select(self._db, "WHERE mirror_id = ? ORDER BY key", (mirror_id,))
        return {item.key: item for item in items}

    def item(self, mirror_id: int, key: str) -> MirrorItem | None:
        """Return the agreed state of a key."""
        return next(
            iter(_ITEM.select(self._db, "WHERE mirror_id = ? AND key = ?", (mirror_id, key))), None
        )

    def put_item(self, mirror_id: int, item: MirrorItem) -> None:
        """Write the agreed state of a key."""
        self._db.run(
            self._sql.insert("mirror_items", ("mirror_id", *_ITEM.names), replace=True),
            (mirror_id, *_ITEM.write(item)),
        )

    def drop_item(self, mirror_id: int, key: str) -> None:
        """Delete a key that neither side has any more."""
        self._db.run("DELETE FROM mirror_items WHERE mirror_id = ? AND key = ?", (mirror_id, key))


@frozen
class HookSession:
    """A session: its namespace, the ids it was shown, and the positions in its transcript.

    `captured_to` and `asked_to` say how far the transcript was captured and sent to a model."""

    id: str
    ns: str
    at: datetime
    shown: tuple[str, ...] = ()
    captured_to: int = 0
    asked_to: int = 0


_SESSION = RowType("hook_sessions", HookSession, id="session_id")


class SessionTable(StoreTable):
    """The state of hooks by session; old sessions are pruned."""

    def get(self, session_id: str) -> HookSession | None:
        """Return a session."""
        return self._first("session_id = ?", session_id)

    def latest(self, ns: str, besides: str) -> HookSession | None:
        """Return the session of a namespace that was active last, except one."""
        return self._first(
            "ns = ? AND session_id <> ? ORDER BY at DESC, session_id LIMIT 1", ns, besides
        )

    def _first(self, tail: str, *values: str) -> HookSession | None:
        return next(iter(_SESSION.select(self._db, f"WHERE {tail}", values)), None)

    def put(self, session: HookSession) -> None:
        """Write a session, replacing its last state."""
        _SESSION.put(self._db, session)

    def prune(self, before: datetime) -> int:
        """Delete sessions that were last active before a time and return their number."""
        return self._db.change("DELETE FROM hook_sessions WHERE at < ?", (format_time(before),))
