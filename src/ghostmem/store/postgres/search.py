"""The reads of a search in PostgreSQL."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ghostmem.store.cached_search import CachedSearch
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import Space
from ghostmem.store.search import MAX_SOURCES, SOURCES
from ghostmem.store.search_caches import SearchCaches

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
MAX_SPACES = 1_000  # namespaces of which the last state is known


class PostgresCaches(SearchCaches):
    """The caches of the searches of an open store, and the last known state of namespaces."""

    def __init__(self) -> None:
        super().__init__()
        self._spaces: dict[str, Space] = {}

    def saw(self, space: Space) -> None:
        """Remember a namespace as it is now."""
        if len(self._spaces) >= MAX_SPACES:
            self._spaces.clear()
        self._spaces[space.name] = space

    def last(self, name: str) -> Space | None:
        """Return a namespace as it was last seen."""
        return self._spaces.get(name)


class _Expected(NamedTuple):
    """Postings that were read before the sequence of their namespace was known."""

    limit: int
    chunks: "array[int]"
    unless: int | None  # the sequence at which they were not read


_UNEXPECTED = _Expected(-1, array("q"), None)


class PostgresSearch(CachedSearch):
    """Reads for ranking; each is bounded, and none computes a score."""

    _db: Db

    def __init__(self, db: Db, caches: PostgresCaches | None) -> None:
        super().__init__(db, caches)
        self._caches = caches
        self._last: dict[str, Space | None] = {}  # namespaces as they were seen before
        self._expected: dict[tuple[str, str], _Expected] = {}  # by namespace and term
        self._sources: dict[str, tuple[list[str], int | None]] = {}  # as `_expected`

    def spaces(self, names: Iterable[str]) -> list[Space]:
        """Return the numbers of namespaces that ranking needs."""
        spaces = super().spaces(names)
        for space in spaces:
            if self._caches is not None:
                self._caches.saw(space)
        return spaces

    def expect(self, ns: str, codes: Sequence[str], limit: int) -> None:
        """Read what a search in a namespace needs first, before its sequence is known.

        What is in memory for the last known sequence is read only if that has changed."""
        last = self._last_seen(ns)
        known: list[str] = []
        if last is not None and self._kept is not None:
            known = [code for code in codes if self._kept.get(last, code, limit) is not None]
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
            self._last[ns] = None if self._caches is None else self._caches.last(ns)
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
        if self._namespaces is None or limit != MAX_SOURCES or unless == space.sequence:
            return super().sources(space, limit)
        return self._namespaces.fact(space, f"sources {limit}", lambda: names)

    def _expect_postings(
        self, ns: str, codes: Sequence[str], limit: int, last: Space | None
    ) -> None:
        unless = None if last is None else last.sequence
        for code, chunks in self._read_postings(ns, codes, limit, unless).items():
            self._expected[ns, code] = _Expected(limit, chunks, unless)

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
            chunks = self._kept.get(space, code, limit) if self._kept is not None else None
            expected = self._expected.get((space.name, code), _UNEXPECTED)
            if chunks is None and expected.unless != space.sequence and expected.limit >= limit:
                chunks = expected.chunks[:limit]
                self._keep(space, code, expected.limit, expected.chunks)
            if chunks is not None:
                postings[code] = chunks
        missing = list(dict.fromkeys(code for code in codes if code not in postings))
        for code, chunks in self._read_postings(space.name, missing, limit).items():
            self._keep(space, code, limit, chunks)
            postings[code] = chunks
        yield from (postings[code] for code in codes)

    def _keep(self, space: Space, code: str, limit: int, chunks: "array[int]") -> None:
        if self._kept is not None:
            self._kept.put(space, code, limit, chunks)

    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text.

        The text must have three characters or more."""
        if len(text) < 3:
            return []
        rows = self._db.rows(CONTAINING, (space.name, f"%{text.translate(_ESCAPED)}%", limit))
        return [number for (number,) in rows]
