"""Rows of chunks, postings and facts of namespaces that stay in memory between searches."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Mapping, Sized
from typing import Any, NamedTuple, TypeVar

from ghostmem.store.rows import ChunkCandidate, Space

MAX_SIZE = 20_000_000  # characters of rows, and as many bytes of chunk numbers
ROW_SIZE = 600  # characters that a row takes in addition to its texts
ITEM_SIZE = 80  # characters that an item of a fact takes, such as the number of a chunk
NUMBER_SIZE = 8  # of a chunk in postings
T = TypeVar("T")


class Postings(NamedTuple):
    """The newest chunks with a term, at most `limit`."""

    limit: int
    chunks: array[int]


class _Entry:
    """The cached rows, postings and facts of a namespace, valid while its sequence stays."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.rows: dict[int, ChunkCandidate | None] = {}
        self.postings: dict[str, Postings] = {}  # by term
        self.facts: dict[str, Any] = {}
        self.size = ROW_SIZE


class NamespaceCache:
    """Rows, postings and facts of the namespaces that were searched last.

    Every change of a memory changes the sequence of its namespace, so it is valid for as long as
    that stays. Only committed states may be kept."""

    def __init__(self, max_size: int = MAX_SIZE) -> None:
        self._max_size = max_size
        self._entries: dict[str, _Entry] = {}  # the namespace that was used last at the end
        self._newest: _Entry | None = None  # of these entries, as one search asks many times
        self._size = 0
        self._lock = threading.Lock()

    def last(self, ns: str) -> Space | None:
        """Return a namespace as it was last seen, if something of it is kept."""
        entry = self._entries.get(ns)
        return None if entry is None else entry.space

    def rows(self, space: Space) -> Mapping[int, ChunkCandidate | None]:
        """Return the known chunks of a namespace, None for those that are not live."""
        return self._of(space).rows

    def add(self, space: Space, rows: Mapping[int, ChunkCandidate | None]) -> None:
        """Keep chunks of a namespace, in place of those of namespaces used longest ago."""
        size = sum(
            ROW_SIZE + (len(row.text) + len(row.terms) if row is not None else 0)
            for row in rows.values()
        )
        self._keep(space, lambda entry: entry.rows.update(rows), size)

    def postings(self, space: Space, code: str, limit: int) -> array[int] | None:
        """Return the newest chunks of a namespace with a term, or None if they are not known."""
        cached = self._of(space).postings.get(code)
        if cached is None or (cached.limit < limit and len(cached.chunks) == cached.limit):
            return None
        return cached.chunks if len(cached.chunks) <= limit else cached.chunks[:limit]

    def add_postings(self, space: Space, code: str, postings: Postings) -> None:
        """Keep the newest chunks of a namespace with a term."""
        size = NUMBER_SIZE * len(postings.chunks) + ITEM_SIZE
        self._keep(space, lambda entry: entry.postings.update({code: postings}), size)

    def fact(self, space: Space, name: str, read: Callable[[], T]) -> T:
        """Return a fact of a namespace, which is read if it is not known."""
        facts = self._of(space).facts
        if name not in facts:
            fact = read()
            size = ROW_SIZE + (ITEM_SIZE * len(fact) if isinstance(fact, Sized) else 0)
            self._keep(space, lambda entry: entry.facts.update({name: fact}), size)
            return fact
        known: T = facts[name]
        return known

    def _keep(self, space: Space, put: Callable[[_Entry], None], size: int) -> None:
        """Put something into the entry of a namespace, if there is room for it."""
        entry = self._of(space)
        with self._lock:
            self._make_room(self._max_size - size)
            if self._entries.get(space.name) is entry:
                entry.size += size
                self._size += size
                put(entry)

    def _of(self, space: Space) -> _Entry:
        """Return the entry of a namespace as it is now, a new one after a change."""
        newest = self._newest
        if newest is not None and newest.space == space:
            return newest
        with self._lock:
            entry = self._entries.pop(space.name, None)
            if entry is None or entry.space != space:
                self._size += ROW_SIZE - (0 if entry is None else entry.size)
                entry = _Entry(space)
            self._entries[space.name] = self._newest = entry
            self._make_room(self._max_size)
            return entry

    def _make_room(self, size: int) -> None:
        """Forget namespaces until the others fit, the last one only if it is too large itself."""
        while self._entries and self._size > max(0, size):
            self._size -= self._entries.pop(next(iter(self._entries))).size
        if not self._entries:
            self._newest = None
