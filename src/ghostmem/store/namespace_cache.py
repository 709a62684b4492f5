"""Rows of chunks and facts of namespaces that stay in memory between searches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ghostmem.store.rows import ChunkCandidate, Space

MAX_CHARACTERS = 12_000_000  # of the rows that are kept
ROW_SIZE = 600  # characters that a row takes in addition to its texts
ITEM_SIZE = 80  # characters that an item of a fact takes, such as the number of a chunk
T = TypeVar("T")


@dataclass(eq=False, repr=False)
class _Kept:
    """The cached rows and facts of a namespace, valid while its sequence stays."""

    sequence: int
    rows: dict[int, ChunkCandidate | None] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    size: int = ROW_SIZE


class NamespaceCache:
    """Live chunks and facts of the namespaces that were searched last.

    Every change of a memory changes the sequence of its namespace, so they are valid for as long
    as that stays. Only committed states may be kept."""

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        self._max_characters = max_characters
        self._kept: dict[int, _Kept] = {}  # the namespace that was used last at the end
        self._size = 0
        self._lock = threading.Lock()

    def rows(self, space: Space) -> Mapping[int, ChunkCandidate | None]:
        """Return the known chunks of a namespace, None for those that are not live."""
        return self._of(space).rows

    def add(self, space: Space, rows: Mapping[int, ChunkCandidate | None]) -> None:
        """Keep chunks of a namespace, in place of those of namespaces used longest ago."""
        added = sum(
            ROW_SIZE + (len(row.text) + len(row.terms) if row is not None else 0)
            for row in rows.values()
        )
        kept = self._of(space)
        with self._lock:
            if self._reserve(space, kept, added):
                kept.rows.update(rows)

    def fact(self, space: Space, name: str, read: Callable[[], T]) -> T:
        """Return a fact of a namespace, which is read if it is not known."""
        kept = self._of(space)
        if name in kept.facts:
            known: T = kept.facts[name]
            return known
        fact = read()
        added = ROW_SIZE + (ITEM_SIZE * len(fact) if isinstance(fact, Sized) else 0)
        with self._lock:
            if self._reserve(space, kept, added):
                kept.facts[name] = fact
        return fact

    def _reserve(self, space: Space, kept: _Kept, added: int) -> bool:
        """Make room in a namespace's entry, and say whether it is still there."""
        if self._size + added > self._max_characters:
            self._drop_oldest(self._max_characters - added)
        is_there = self._kept.get(space.number) is kept
        if is_there:
            kept.size += added
            self._size += added
        return is_there

    def _of(self, space: Space) -> _Kept:
        with self._lock:
            kept = self._kept.pop(space.number, None)
            if kept is None or kept.sequence != space.sequence:
                self._size += ROW_SIZE - (0 if kept is None else kept.size)
                kept = _Kept(space.sequence)
            self._kept[space.number] = kept
            if self._size > self._max_characters:
                self._drop_oldest(self._max_characters)
            return kept

    def _drop_oldest(self, room: int) -> None:
        """Forget namespaces until the others fit, the last one only if it is too large itself."""
        while self._kept and self._size > max(0, room):
            self._size -= self._kept.pop(next(iter(self._kept))).size
