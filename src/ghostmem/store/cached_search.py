"""Reads for ranking whose results stay in memory for as long as their namespace is unchanged."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from ghostmem.store.database import Database
from ghostmem.store.filters import plain_test
from ghostmem.store.rows import ChunkCandidate, Filter, Space
from ghostmem.store.search import MAX_SOURCES, Search
from ghostmem.store.search_caches import SearchCaches

T = TypeVar("T")


class CachedSearch(Search):
    """Reads for ranking; without `caches`, as in a write transaction, nothing is cached."""

    def __init__(self, db: Database, caches: SearchCaches | None) -> None:
        super().__init__(db)
        self._kept = None if caches is None else caches.postings
        self._namespaces = None if caches is None else caches.namespaces

    def fact(self, space: Space, name: str, read: Callable[[], T]) -> T:
        """Return a fact of a namespace, which `read` reads if it is not in memory."""
        return read() if self._namespaces is None else self._namespaces.fact(space, name, read)

    def sources(self, space: Space, limit: int = MAX_SOURCES) -> list[str]:
        """Return the source users of a namespace."""
        read = super().sources
        return self.fact(space, f"sources {limit}", lambda: read(space, limit))

    def thread_average(self, space: Space) -> float:
        """Return the mean length of a namespace's threads."""
        read = super().thread_average
        return self.fact(space, "thread average", lambda: read(space))

    def candidates(
        self, chunks: Sequence[int], selection: Filter, space: Space | None = None
    ) -> list[ChunkCandidate]:
        """Return those of some chunks that pass a filter, in the order given."""
        passes = plain_test(selection)
        if self._namespaces is None or space is None or passes is None:
            return super().candidates(chunks, selection)
        known = self._namespaces.rows(space)
        if fresh := [number for number in chunks if number not in known]:
            live = super().candidates(fresh, Filter(ns=selection.ns))
            read = dict.fromkeys(fresh) | {chunk.chunk: chunk for chunk in live}
            self._namespaces.add(space, read)
            known = {**{number: known[number] for number in chunks if number in known}, **read}
        rows = [known[number] for number in chunks]
        return [row for row in rows if row is not None and passes(row)]
