"""Postings of index terms that stay in memory between searches."""

from __future__ import annotations

import threading
from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ghostmem.store.rows import Space

MAX_CHUNKS = 1_000_000  # chunk numbers that are kept, of 8 bytes each


class _KeptTerm(NamedTuple):
    sequence: int
    limit: int
    chunks: array[int]


class PostingsCache:
    """The postings of the terms that were looked up last, whatever their namespaces.

    Every change of an index changes the sequence of its namespace, so postings are valid for as
    long as that stays. Only committed states may be kept."""

    def __init__(self, max_chunks: int = MAX_CHUNKS) -> None:
        self._max_chunks = max_chunks
        self._kept: dict[tuple[int, str], _KeptTerm] = {}  # the term that was used last at the end
        self._count = 0
        self._lock = threading.Lock()

    def get(self, space: Space, code: str, limit: int) -> array[int] | None:
        """Return the newest chunks of a namespace with a term, or None if they are not known."""
        key = (space.number, code)
        with self._lock:
            kept = self._kept.pop(key, None)
            if kept is None:
                return None
            self._kept[key] = kept
        is_whole = len(kept.chunks) < kept.limit
        if kept.sequence != space.sequence or (kept.limit < limit and not is_whole):
            return None
        return kept.chunks if len(kept.chunks) <= limit else kept.chunks[:limit]

    def put(self, space: Space, code: str, limit: int, chunks: array[int]) -> None:
        """Keep the newest chunks of a namespace with a term, in place of those used longest ago."""
        key = (space.number, code)
        with self._lock:
            self._drop(key)
            self._kept[key] = _KeptTerm(space.sequence, limit, chunks)
            self._count += 1 + len(chunks)  # a term without chunks takes room too
            while self._count > self._max_chunks and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[int, str]) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._count -= 1 + len(kept.chunks)
