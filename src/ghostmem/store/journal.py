"""The audit log, one hash chain per namespace, and the days on which memories were used."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ghostmem.clock import format_time
from ghostmem.model import Access
from ghostmem.store.database import StoreTable
from ghostmem.store.rows import Space
from ghostmem.store.tables import BY_NAME

# what hashlib would find too, without loading OpenSSL, which costs every cold command some
# milliseconds
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256

encoded = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes one for each call
LINE = "ns_id, seq, memory_id, op, at, actor, line, hash"
_ACCESS = BY_NAME["accesses"].columns


class LoggedChange(NamedTuple):
    """A change of a memory to be logged."""

    ns: str
    memory_id: str
    op: str
    at: datetime


class ChainLine(NamedTuple):
    """One change; `line` and `hash` are None for changes older than the chain."""

    number: int
    seq: int
    memory_id: str
    op: str
    at: str
    actor: str | None
    line: int | None
    hash: str | None = None


class LatestChange(NamedTuple):
    """One of the newest changes in a namespace's log."""

    seq: int
    memory_id: str
    op: str
    at: str


class Head(NamedTuple):
    """The end of a namespace's log as the namespace records it."""

    number: int
    name: str
    sequence: int
    head: str | None


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return str(sha256(data).hexdigest())


def chained(before: str, line: ChainLine) -> str:
    """Return the hash of a line of the log, which covers all lines before it."""
    return sha256_hex(encoded([before, *line[:7]]).encode())


def rolled(before: str, hash_: str) -> str:
    """Return the digest of all lines up to one, from the digest of those before it."""
    return sha256_hex(f"{before}{hash_}".encode())


class Journal(StoreTable, ABC):
    """The changes in order, and the days on which memories were used."""

    all_in_order: str  # the order of lines of all namespaces in which they were written

    @abstractmethod
    def namespace(self, ns: str) -> int:
        """Return a namespace's number, giving it one on first sight."""

    @abstractmethod
    def append(self, ns: str, memory_id: str, op: str, at: str) -> None:
        """Add a line to a namespace's log; the write lock keeps others from doing so meanwhile."""

    def assume(self, space: Space) -> None:
        """Use a namespace as it was read before; the transaction fails if it has gone.

        Nothing to do where reading it again costs nothing."""

    @abstractmethod
    def retire(self, ns: str) -> bool:
        """Forget the name of a namespace that holds nothing; its log keeps its number."""

    def record(self, ns: str, memory_id: str, op: str, at: datetime) -> None:
        """Log one change, without the text that was changed, chained to the change before."""
        self.append(ns, memory_id, op, format_time(at))

    def record_all(self, changes: Iterable[LoggedChange]) -> None:
        """Log several changes in order."""
        for change in changes:
            self.record(*change)

    def grow(self, ns: str, chunks: int, length: int) -> None:
        """Update a namespace's number of chunks and their total length, which ranking needs."""
        name = self._sql.ns_name
        self._db.run(
            f"UPDATE namespaces SET chunks = chunks + ?, length = length + ? WHERE {name} = ?",
            (chunks, length, ns),
        )

    def heads(self) -> list[Head]:
        """Return the end of every namespace's log."""
        sql = f"SELECT id, {self._sql.ns_name}, sequence, head FROM namespaces ORDER BY id"
        return [Head(*row) for row in self._db.rows(sql)]

    def lines(self, in_order: bool = False) -> Iterator[ChainLine]:
        """Yield the whole log by namespace, or as far as known in the order of writing."""
        order = self.all_in_order if in_order else "ns_id, seq"
        for row in self._db.iterate(f"SELECT {LINE} FROM changes ORDER BY {order}"):
            yield ChainLine(*row)

    def latest(self, ns: str, limit: int, after: int = 0) -> list[LatestChange]:
        """List the last changes of a namespace after a sequence number, newest first.

        Lines without a time are not changes: they tell other processes of new vectors."""
        condition = (
            f"{self._sql.of_ns('c.')} AND c.seq > ? AND c.at <> '' ORDER BY c.seq DESC LIMIT ?"
        )
        sql = f"SELECT c.seq, c.memory_id, c.op, c.at FROM changes c WHERE {condition}"
        return [LatestChange(*row) for row in self._db.rows(sql, (ns, after, limit))]

    def log_access(self, ns: str, ids: Any, at: datetime, used: bool) -> None:
        """Count one use or one exposure of the memories of an array, on its day."""
        owner = self._sql.owner
        within, names = self._of(ns)
        self._db.run(
            f"INSERT INTO accesses ({', '.join((*owner, *_ACCESS))})"
            f" SELECT {', '.join((*owner, 'id'))}, ?, ?, ? FROM memories"
            f" WHERE {within}id {self._sql.among}"
            f" ON CONFLICT ({', '.join(self._sql.key(BY_NAME['accesses']))}) DO UPDATE SET"
            " used = accesses.used + excluded.used, shown = accesses.shown + excluded.shown",
            (format_time(at)[:10], int(used), int(not used), *names, ids),
        )

    def accesses(self, memory_id: str | None = None) -> "Iterator[Access]":
        """List all days of use, or those of one memory."""
        of_one = "WHERE :ns memory_id = ?"
        condition, values = ("", []) if memory_id is None else self._scoped(of_one, memory_id)
        for row in self._db.iterate(
            f"SELECT {', '.join(_ACCESS)} FROM accesses {condition} ORDER BY memory_id, day", values
        ):
            yield Access(*row)

    def days_of_use(self, ns: str) -> dict[str, int]:
        """Return the number of days on which each live memory in the log was used."""
        return dict(
            self._db.rows(
                "SELECT m.id, count(*) FILTER (WHERE a.used > 0) FROM memories m JOIN accesses a"
                f" ON {self._sql.same_ns('a', 'm')}a.memory_id = m.id"
                " WHERE m.ns = ? AND m.deleted_at IS NULL GROUP BY m.id",
                (ns,),
            )
        )

    def times_shown(self, ns: str) -> dict[str, int]:
        """Return how often each live memory in the log was shown without being used."""
        return {
            memory_id: int(shown)
            for memory_id, shown in self._db.rows(
                "SELECT m.id, sum(a.shown) FROM memories m JOIN accesses a"
                f" ON {self._sql.same_ns('a', 'm')}a.memory_id = m.id"
                " WHERE m.ns = ? AND m.deleted_at IS NULL GROUP BY m.id",
                (ns,),
            )
        }

    def uses(self, memory_ids: Sequence[str]) -> dict[str, int]:
        """Return how often each memory was used; memories that were only shown are left out."""
        sql = (
            f"SELECT memory_id, sum(used) FROM accesses WHERE :ns memory_id {self._sql.among}"
            " AND used > 0 GROUP BY memory_id"
        )
        return {
            memory_id: int(count)
            for memory_id, count in self._db.iterate(*self._scoped(sql, memory_ids))
        }

    def add_access(self, access: "Access") -> bool:
        """Add a day of use from elsewhere; return False when that day exists."""
        row = (access.memory_id, access.day, access.used, access.shown)
        return self._db.change(*self._inserted("accesses", _ACCESS, access.memory_id, row)) > 0

    def carry(self, old_id: str, new_id: str) -> None:
        """Move the days of use to the next version."""
        self._db.run(
            *self._scoped(
                "UPDATE accesses SET memory_id = ? WHERE :ns memory_id = ?", old_id, before=[new_id]
            )
        )
