"""Reads for ranking: namespaces, postings, substrings, candidates and their neighbours.

Their results stay in memory for as long as their namespace is unchanged."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ghostmem.model import NsFilter
from ghostmem.store.database import Database, Pieces, StoreTable
from ghostmem.store.filters import clause, plain_test
from ghostmem.store.namespace_cache import NamespaceCache, Postings
from ghostmem.store.rows import ChunkCandidate, ChunkTerms, Filter, Space
from ghostmem.text.spelling import WordParts
from ghostmem.text.terms import encode

_CANDIDATE = (
    "SELECT c.id, c.memory_id, c.seq, c.start, c.stop, c.start_line, c.end_line, c.terms,"
    " c.thread_id, c.place, {}, m.created_at, m.source_user, m.kind, m.key, m.priority, m.tags,"
    " m.tier, m.expires_at, m.valid_to"
)
_LIVE = "FROM memories WHERE ns = ? AND source_user IS NOT NULL AND deleted_at IS NULL"
SOURCES = (  # bound with the namespace twice and a limit
    f"WITH RECURSIVE s(name) AS (SELECT min(source_user) {_LIVE} UNION ALL"
    f" SELECT (SELECT min(source_user) {_LIVE} AND source_user > s.name)"
    " FROM s WHERE s.name IS NOT NULL)"
    " SELECT name FROM s WHERE name IS NOT NULL LIMIT ?"
)
MAX_SOURCES = 200
MAX_STATED_CHUNKS = 5_000  # chunks of the user's statements that are read and kept
T = TypeVar("T")


class Search(StoreTable, ABC):
    """Reads for ranking; each is bounded, and none computes a score."""

    def __init__(self, db: Database, cache: NamespaceCache | None) -> None:
        super().__init__(db)
        self._cache = cache  # none in a write transaction: only committed rows may be kept
        self._columns = _CANDIDATE.format(self._sql.chunk_text)
        self._pieces = Pieces(db)

    def _chunks(
        self, columns: str, tail: str, values: Sequence[Any], selection: Filter, order: str = ""
    ) -> Iterable[Any]:
        """Return columns of the chunks that pass a condition, and whose memories pass a filter."""
        ns, names = self.ns, list[str]()
        if ns is None and selection.ns and not selection.ns.is_prefix:
            ns = str(selection.ns)
        if ns is not None and self._sql.owner:
            names, tail = [ns, ns], f"c.ns = ? AND {tail}"
        condition, bound = clause(self._sql, selection)
        # the order is kept, or the planner would scan a namespace instead of a few chunks
        join = self._sql.of_chunk.format("?" if names else "c.ns")
        return self._db.iterate(
            f"{columns} FROM chunks c {join} WHERE {tail} AND {condition}{order}",
            [*names, *values, *bound],
        )

    def _candidates(
        self, tail: str, values: Sequence[Any], selection: Filter, order: str = ""
    ) -> list[ChunkCandidate]:
        return [
            chunk
            if chunk.text is not None
            else chunk._replace(
                text=self._pieces.text(None, chunk.memory_id, chunk.start, chunk.stop)
            )
            for chunk in map(
                ChunkCandidate._make, self._chunks(self._columns, tail, values, selection, order)
            )
        ]

    def spaces(self, names: Iterable[str]) -> list[Space]:
        """Return the numbers of namespaces that ranking needs."""
        name, wanted = self._sql.ns_name, list(names)
        sql = f"SELECT id, {name}, sequence, chunks, length FROM namespaces WHERE {name}"
        if len(wanted) == 1:
            return [Space(*row) for row in self._db.rows(f"{sql} = ?", wanted)]
        sql = f"{sql} {self._sql.among} ORDER BY {name}"
        return [Space(*row) for row in self._db.rows(sql, (self._sql.array(wanted),))]

    def space(self, ns: str) -> Space | None:
        """Return the numbers of one namespace, or None if nothing was ever stored there."""
        return next(iter(self.spaces([ns])), None)

    def names(self, prefix: str) -> list[str]:
        """Return the namespaces with a prefix that hold chunks."""
        name = self._sql.ns_name
        starts, values = self._sql.starts(name, prefix)
        return self._column(
            f"SELECT {name} FROM namespaces WHERE chunks > 0 AND {starts} ORDER BY {name}", values
        )

    def postings(self, space: Space, codes: Sequence[str], limit: int) -> "list[array[int]]":
        """Return for each term the newest chunks of a namespace that contain it, up to `limit`."""
        cache, postings = self._cache, dict[str, "array[int]"]()
        if cache is not None:
            cached = {code: cache.postings(space, code, limit) for code in codes}
            postings = {code: chunks for code, chunks in cached.items() if chunks is not None}
        missing = [code for code in dict.fromkeys(codes) if code not in postings]
        for code, fresh in self._read_postings(space, missing, limit).items():
            postings[code] = fresh.chunks[:limit]
            if cache is not None:
                cache.add_postings(space, code, fresh)
        return [postings[code] for code in codes]

    def term_postings(
        self, space: Space, terms: Sequence[str], limit: int
    ) -> "dict[str, array[int]]":
        """Return the postings of terms by term, at most `limit` of each."""
        return dict(
            zip(terms, self.postings(space, [encode(term) for term in terms], limit), strict=True)
        )

    @abstractmethod
    def _read_postings(
        self, space: Space, codes: Sequence[str], limit: int
    ) -> Mapping[str, Postings]:
        """Return the newest chunks of a namespace for each of some terms."""

    def expect(self, ns: str, codes: Sequence[str], limit: int) -> None:
        """Read what a search in a namespace needs first, before its sequence is known.

        These are the postings of some terms; `Transaction.ahead` lets this share a round trip."""

    def expect_sources(self, ns: str) -> None:
        """Read the sources of a namespace before its sequence is known, as `expect`."""

    @abstractmethod
    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text.

        The text must have three characters or more."""

    def words(self, space: Space, parts: WordParts) -> list[str]:
        """Return the words of a namespace that have one of some parts in its place."""
        start, middle, end, *lengths = parts
        like, many = self._sql.like, self._sql.any_text
        sql = (
            f"SELECT word FROM words WHERE {self._sql.of_ns()} AND length(word) BETWEEN ? AND ?"
            f" AND (word {like} ? OR word {like} ?"
        )
        values: list[Any] = [space.name, *lengths, f"{start}{many}", f"{many}{end}"]
        if middle:  # two edits can move it by two letters
            sql += f" OR {self._sql.position}(substr(word, ?, ?), ?) > 0"
            values += [len(start), len(middle) + 4, middle]
        return self._column(f"{sql})", values)

    def known_words(self, space: Space, words: Iterable[str]) -> list[str]:
        """Return those of some words that a namespace has."""
        return self._column(
            f"SELECT word FROM words WHERE {self._sql.of_ns()} AND word {self._sql.among}",
            (space.name, self._sql.array(words)),
        )

    def allowed(self, space: Space, selection: Filter, limit: int) -> list[int] | None:
        """Return all chunks of a namespace that pass a filter, or None if more than `limit` do."""
        condition, values = clause(self._sql, selection)
        rows = self._db.rows(
            f"SELECT c.id FROM memories m {self._sql.ordered_join} chunks c"
            f" ON {self._sql.same_ns('c', 'm')}c.memory_id = m.id"
            f" WHERE {condition} AND {self._sql.of_ns('c.')} LIMIT ?",
            [*values, space.name, limit + 1],
        )
        return [number for (number,) in rows] if len(rows) <= limit else None

    def statements(self, space: Space) -> frozenset[int] | None:
        """Return all chunks of the user's statements in a namespace, or None if very many."""
        return self.fact(space, "statements", lambda: self._read_statements(space))

    def _read_statements(self, space: Space) -> frozenset[int] | None:
        chunks = self.allowed(
            space, Filter(ns=NsFilter(space.name), trusted=True), MAX_STATED_CHUNKS
        )
        return None if chunks is None else frozenset(chunks)

    def fact(self, space: Space, name: str, read: Callable[[], T]) -> T:
        """Return a fact of a namespace, which `read` reads if it is not in memory."""
        return read() if self._cache is None else self._cache.fact(space, name, read)

    def sources(self, space: Space) -> list[str]:
        """Return the source users of a namespace, by stepping from one name to the next."""
        return self.fact(space, "sources", lambda: self._read_sources(space))

    def _read_sources(self, space: Space) -> list[str]:
        return self._column(SOURCES, (space.name, space.name, MAX_SOURCES))

    def candidates(
        self, chunks: Sequence[int], selection: Filter, space: Space | None = None
    ) -> list[ChunkCandidate]:
        """Return those of some chunks that pass a filter, in the order given.

        `space` is the namespace of all of them, if it is known."""
        passes = plain_test(selection)
        if self._cache is None or space is None or passes is None:
            candidates = self._by_number(chunks, selection)
            return [candidates[number] for number in chunks if number in candidates]
        known = self._cache.rows(space)
        if fresh := [number for number in chunks if number not in known]:
            live = self._by_number(fresh, Filter(ns=selection.ns))
            read = {number: live.get(number) for number in fresh}
            self._cache.add(space, read)
            known = {**{number: known[number] for number in chunks if number in known}, **read}
        return [row for row in map(known.get, chunks) if row is not None and passes(row)]

    def _by_number(self, chunks: Sequence[int], selection: Filter) -> dict[int, ChunkCandidate]:
        rows = self._candidates(f"c.id {self._sql.among}", [self._sql.array(chunks)], selection)
        return {candidate.chunk: candidate for candidate in rows}

    def chunk_terms(self, chunks: Sequence[int], selection: Filter) -> list[ChunkTerms]:
        """Return the terms of those of some chunks that pass a filter, in the order given."""
        rows = self._chunks(
            "SELECT c.id, c.memory_id, m.key, c.terms, m.tags, c.start, c.stop",
            f"c.id {self._sql.among}",
            [self._sql.array(chunks)],
            selection,
        )
        terms = {row[0]: ChunkTerms(*row) for row in rows}
        return [terms[number] for number in chunks if number in terms]

    def threads(self, space: Space, numbers: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Return the numbers of chunks and terms of a namespace's threads."""
        within, names = self._of(space.name)
        rows = self._db.iterate(
            f"SELECT id, chunks, length FROM threads WHERE {within}id {self._sql.among}",
            (*names, self._sql.array(numbers)),
        )
        return {number: (chunks, length) for number, chunks, length in rows}

    def thread_average(self, space: Space) -> float:
        """Return the mean length of a namespace's threads."""
        condition = f"{self._sql.of_ns()} AND chunks > 0"
        sql = f"SELECT coalesce(avg(length), 1.0) FROM threads WHERE {condition}"
        return self.fact(space, "thread average", lambda: float(self._db.get(sql, (space.name,))))

    def thread(self, number: int, selection: Filter) -> list[ChunkCandidate]:
        """Return the chunks of a thread that pass a filter, in order."""
        return self._candidates("c.thread_id = ?", [number], selection, " ORDER BY c.place")

    def around(
        self, number: int, place: str, before: int, after: int, selection: Filter
    ) -> list[ChunkCandidate]:
        """Return the neighbours of a place in a thread, in order, without the place itself."""
        earlier, later = (
            self._candidates(
                f"c.thread_id = ? AND c.place {sign} ?",
                [number, place],
                selection,
                f" ORDER BY c.place {order} LIMIT {int(limit)}",
            )
            for sign, order, limit in (("<", "DESC", before), (">", "ASC", after))
        )
        return [*reversed(earlier), *later]
