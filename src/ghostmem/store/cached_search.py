"""Reads for ranking whose results stay in memory for as long as their namespace is unchanged."""

from array import array
from collections.abc import Callable, Sequence
from typing import TypeVar

from ghostmem.store.database import Database
from ghostmem.store.filters import plain_test
from ghostmem.store.namespace_cache import NamespaceCache, Postings
from ghostmem.store.rows import ChunkCandidate, Filter, Space
from ghostmem.store.search import MAX_SOURCES, Search

T = TypeVar("T")


class CachedSearch(Search):
    """Reads for ranking; without a cache, as in a write transaction, nothing is kept."""

    def __init__(self, db: Database, cache: NamespaceCache | None) -> None:
        super().__init__(db)
        self._cache = cache

    def fact(self, space: Space, name: str, read: Callable[[], T]) -> T:
        """Return a fact of a namespace, which `read` reads if it is not in memory."""
        return read() if self._cache is None else self._cache.fact(space, name, read)

    def _known_postings(self, space: Space, code: str, limit: int) -> "array[int] | None":
        return None if self._cache is None else self._cache.postings(space, code, limit)

    def _keep_postings(self, space: Space, code: str, postings: Postings) -> None:
        if self._cache is not None:
            self._cache.add_postings(space, code, postings)

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
        if self._cache is None or space is None or passes is None:
            return super().candidates(chunks, selection)
        known = self._cache.rows(space)
        if fresh := [number for number in chunks if number not in known]:
            live = super().candidates(fresh, Filter(ns=selection.ns))
            read = dict.fromkeys(fresh) | {chunk.chunk: chunk for chunk in live}
            self._cache.add(space, read)
            known = {**{number: known[number] for number in chunks if number in known}, **read}
        rows = [known[number] for number in chunks]
        return [row for row in rows if row is not None and passes(row)]
