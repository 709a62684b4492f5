"""The reads of a search in PostgreSQL."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from ghostmem.store.namespace_cache import NamespaceCache, Postings
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import Space
from ghostmem.store.search import MAX_SOURCES, SOURCES, Search

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


class PostgresSearch(Search):
    """Reads for ranking; each is bounded, and none computes a score."""

    _db: Db

    def __init__(self, db: Db, cache: NamespaceCache | None) -> None:
        super().__init__(db, cache)
        self._last: dict[str, Space | None] = {}  # namespaces as they were seen before
        # read before the sequence of their namespace was known, with the one at which they were not
        self._expected: dict[tuple[str, str], tuple[Postings, int | None]] = {}  # by ns and term
        self._sources: dict[str, tuple[list[str], int | None]] = {}  # by namespace

    def expect(self, ns: str, codes: Sequence[str], limit: int) -> None:
        """Read what a search in a namespace needs first, before its sequence is known.

        What is in memory for the last known sequence is read only if that has changed."""
        cache, last = self._cache, self._last_seen(ns)
        known: list[str] = []
        if cache is not None and last is not None:
            known = [code for code in codes if cache.postings(last, code, limit) is not None]
        fresh = [code for code in codes if code not in set(known)]
        self._db.ahead(
            [
                lambda: self._expect_postings(ns, known, limit, last),
                lambda: self._expect_postings(ns, fresh, limit, None),
            ]
        )

    def _last_seen(self, ns: str) -> Space | None:
        """Return a namespace as it was before this transaction, which sees the newest state."""
        return self._last.setdefault(ns, None if self._cache is None else self._cache.last(ns))

    def _expect_postings(
        self, ns: str, codes: Sequence[str], limit: int, last: Space | None
    ) -> None:
        unless = None if last is None else last.sequence
        for code, postings in self._fetch_postings(ns, codes, limit, unless).items():
            self._expected[ns, code] = (postings, unless)

    def expect_sources(self, ns: str) -> None:
        """Read the sources of a namespace before its sequence is known."""
        last = self._last_seen(ns)
        sql, values = SOURCES, list[Any]((ns, ns, MAX_SOURCES))
        if last is not None:
            sql = f"SELECT name FROM ({SOURCES}) AS sources{_IF_CHANGED}"
            values += [ns, last.sequence]
        names = [name for (name,) in self._db.rows(sql, values)]
        self._sources[ns] = (names, None if last is None else last.sequence)

    def _read_sources(self, space: Space) -> list[str]:
        names, unless = self._sources.get(space.name, ([], space.sequence))
        return names if unless != space.sequence else super()._read_sources(space)

    def _read_postings(
        self, space: Space, codes: Sequence[str], limit: int
    ) -> Mapping[str, Postings]:
        expected = {code: self._expected.get((space.name, code)) for code in codes}
        postings = {
            code: entry[0]
            for code, entry in expected.items()
            if entry is not None and entry[1] != space.sequence and entry[0].limit >= limit
        }
        return postings | self._fetch_postings(
            space.name, [code for code in codes if code not in postings], limit
        )

    def _fetch_postings(
        self, ns: str, codes: Sequence[str], limit: int, unless: int | None = None
    ) -> dict[str, Postings]:
        """Return the newest chunks of terms, or none if the namespace has a sequence."""
        postings = {code: Postings(limit, array("q")) for code in codes}
        if not codes:
            return postings
        lexemes = ["'" + code.replace("\\", "\\\\").replace("'", "''") + "'" for code in codes]
        values: list[Any] = [lexemes, ns, limit]
        if unless is not None:
            values += [ns, unless]
        for place, number in self._db.rows(
            POSTINGS.format("" if unless is None else _IF_CHANGED), values
        ):
            postings[codes[place - 1]].chunks.append(number)
        return postings

    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        if len(text) < 3:
            return []
        rows = self._db.rows(CONTAINING, (space.name, f"%{text.translate(_ESCAPED)}%", limit))
        return [number for (number,) in rows]
