"""The reads of a search in PostgreSQL."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ghostmem.store.cached_search import CachedSearch
from ghostmem.store.namespace_cache import NamespaceCache, Postings
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import Space
from ghostmem.store.search import MAX_SOURCES, SOURCES

_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
# `id + 0` keeps the planner from reading chunks backwards until enough of them match: it does not
# know the limit of a prepared statement, and for a rare term it read the whole namespace
_NEWEST = "ORDER BY id + 0 DESC LIMIT ?"
POSTINGS = (
    "SELECT t.place, c.id FROM unnest(?::text[]) WITH ORDINALITY t(code, place)"
    " CROSS JOIN LATERAL (SELECT id FROM chunks WHERE ns = ? AND codes @@ t.code::tsquery"
    f" {_NEWEST}) c{{}} ORDER BY 1, 2 DESC"
)
CONTAINING = f"SELECT id FROM chunks WHERE ns = ? AND plain LIKE ? {_NEWEST}"
# the server then reads nothing for a namespace that is as it was
_IF_CHANGED = " WHERE NOT EXISTS (SELECT 1 FROM namespaces n WHERE n.ns = ? AND n.sequence = ?)"


class _Expected(NamedTuple):
    """Postings that were read before the sequence of their namespace was known."""

    postings: Postings
    unless: int | None  # the sequence at which they were not read

    def answers(self, space: Space, limit: int) -> bool:
        """Say whether these are the postings of a namespace, and enough of them."""
        return self.unless != space.sequence and self.postings.limit >= limit


class PostgresSearch(CachedSearch):
    """Reads for ranking; each is bounded, and none computes a score."""

    _db: Db

    def __init__(self, db: Db, cache: NamespaceCache | None) -> None:
        super().__init__(db, cache)
        self._last: dict[str, Space | None] = {}  # namespaces as they were seen before
        self._expected: dict[tuple[str, str], _Expected] = {}  # by namespace and term
        self._sources: dict[str, tuple[list[str], int | None]] = {}  # as `_expected`

    def expect(self, ns: str, codes: Sequence[str], limit: int) -> None:
        """Read what a search in a namespace needs first, before its sequence is known.

        What is in memory for the last known sequence is read only if that has changed."""
        last = self._last_seen(ns)
        known: list[str] = []
        if last is not None:
            known = [code for code in codes if self._known_postings(last, code, limit) is not None]
        self._db.ahead(
            [
                lambda: self._expect_postings(ns, known, limit, last),
                lambda: self._expect_postings(
                    ns, [code for code in codes if code not in set(known)], limit, None
                ),
            ]
        )

    def _last_seen(self, ns: str) -> Space | None:
        """Return a namespace as it was before this transaction, which sees the newest state."""
        if ns not in self._last:
            self._last[ns] = None if self._cache is None else self._cache.last(ns)
        return self._last[ns]

    def expect_sources(self, ns: str) -> None:
        """Read the sources of a namespace before its sequence is known."""
        last = self._last_seen(ns)
        sql, values = SOURCES, list[Any]((ns, ns, MAX_SOURCES))
        if last is not None:
            sql = f"SELECT name FROM ({SOURCES}) AS sources{_IF_CHANGED}"
            values += [ns, last.sequence]
        names = [name for (name,) in self._db.rows(sql, values)]
        self._sources[ns] = (names, None if last is None else last.sequence)

    def sources(self, space: Space, limit: int = MAX_SOURCES) -> list[str]:
        """Return the source users of a namespace."""
        names, unless = self._sources.get(space.name, ([], space.sequence))
        if self._cache is None or limit != MAX_SOURCES or unless == space.sequence:
            return super().sources(space, limit)
        return self._cache.fact(space, f"sources {limit}", lambda: names)

    def _expect_postings(
        self, ns: str, codes: Sequence[str], limit: int, last: Space | None
    ) -> None:
        unless = None if last is None else last.sequence
        for code, chunks in self._read_postings(ns, codes, limit, unless).items():
            self._expected[ns, code] = _Expected(Postings(limit, chunks), unless)

    def _read_postings(
        self, ns: str, codes: Sequence[str], limit: int, unless: int | None = None
    ) -> "dict[str, array[int]]":
        """Return the newest chunks of terms, or none if the namespace has a sequence."""
        postings = {code: array("q") for code in codes}
        if not codes:
            return postings
        lexemes = ["'" + code.replace("\\", "\\\\").replace("'", "''") + "'" for code in codes]
        values: list[Any] = [lexemes, ns, limit]
        if unless is not None:
            values += [ns, unless]
        sql = POSTINGS.format("" if unless is None else _IF_CHANGED)
        for place, number in self._db.rows(sql, values):
            postings[codes[place - 1]].append(number)
        return postings

    def postings(self, space: Space, codes: Sequence[str], limit: int) -> "Iterator[array[int]]":
        """Yield for each term the newest chunks of a namespace that contain it, up to `limit`."""
        postings: dict[str, array[int]] = {}
        for code in codes:
            chunks = self._known_postings(space, code, limit)
            expected = self._expected.get((space.name, code))
            if chunks is None and expected is not None and expected.answers(space, limit):
                chunks = expected.postings.chunks[:limit]
                self._keep_postings(space, code, expected.postings)
            if chunks is not None:
                postings[code] = chunks
        missing = list(dict.fromkeys(code for code in codes if code not in postings))
        for code, chunks in self._read_postings(space.name, missing, limit).items():
            self._keep_postings(space, code, Postings(limit, chunks))
            postings[code] = chunks
        yield from (postings[code] for code in codes)

    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text.

        The text must have three characters or more."""
        if len(text) < 3:
            return []
        rows = self._db.rows(CONTAINING, (space.name, f"%{text.translate(_ESCAPED)}%", limit))
        return [number for (number,) in rows]
