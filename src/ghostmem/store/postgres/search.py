"""What a search asks of the database: postings, substrings, candidates and their neighbours."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ghostmem.model import NsFilter
from ghostmem.store.filters import clause
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import Candidate, Filter, Space, candidate_of
from ghostmem.store.search import CANDIDATE, SearchTable

if TYPE_CHECKING:
    from ghostmem.text.spelling import WordParts

_TEXT = "substr(m.content, (c.start + 1)::int, (c.stop - c.start)::int)"
_JOIN = "FROM chunks c JOIN memories m ON m.ns = c.ns AND m.id = c.memory_id"
_CHUNKS = f"{CANDIDATE.format(_TEXT)} {_JOIN}"
_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


class PostgresSearch(SearchTable):
    """Reads for ranking; each is bounded, and none computes a score."""

    def __init__(self, db: Db) -> None:
        super().__init__(db)
        self._places = db.places
        self._threads: dict[int, str] = {}

    def spaces(self, names: Iterable[str]) -> list[Space]:
        """Return the numbers of namespaces that ranking needs."""
        spaces = super().spaces(names)
        for space in spaces:
            self._places.saw_space(space.number, space.name)
        return spaces

    def postings(self, space: int, codes: Sequence[str], limit: int) -> Iterator[list[int]]:
        """Yield, for each of several terms, the newest chunks of a namespace that contain it, at
        most so many.
        """
        ns = self._places.space(space)
        sql = (
            "SELECT t.place, c.id FROM unnest(%s::text[]) WITH ORDINALITY t(code, place) "
            "CROSS JOIN LATERAL"
            " (SELECT id FROM chunks WHERE ns = %s AND codes @@ t.code::tsquery ORDER BY "
            "id DESC LIMIT %s) c ORDER BY 1, 2 DESC"
        )
        found: list[list[int]] = [[] for _ in codes]
        if codes:
            lexemes = ["'" + code.replace("\\", "\\\\").replace("'", "''") + "'" for code in codes]
            for place, number in self._db.rows(sql, (lexemes, ns, limit)):
                found[place - 1].append(number)
        for numbers in found:
            self._places.saw_chunks(ns, numbers)
        yield from found

    def words(self, space: int, parts: "WordParts") -> list[str]:
        """Return the words of a namespace that have one of some parts in its place."""
        start, middle, end, *lengths = parts
        sql = (
            "SELECT word FROM words WHERE ns = %s AND length(word) BETWEEN %s AND %s AND "
            "(word LIKE %s OR word LIKE %s"
        )
        values = [self._places.space(space), *lengths, f"{start}%", f"%{end}"]
        if middle:  # two edits can move it by two letters
            sql += " OR strpos(substr(word, %s, %s), %s) > 0"
            values += [len(start), len(middle) + 4, middle]
        return [word for (word,) in self._db.rows(f"{sql})", values)]

    def known_words(self, space: int, words: Iterable[str]) -> list[str]:
        """Return which of these words a namespace has."""
        sql = "SELECT word FROM words WHERE ns = %s AND word = ANY(%s)"
        return [word for (word,) in self._db.rows(sql, (self._places.space(space), list(words)))]

    def containing(self, space: int, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text of three
        characters or more.
        """
        if len(text) < 3:
            return []
        ns = self._places.space(space)
        sql = "SELECT id FROM chunks WHERE ns = %s AND plain LIKE %s ORDER BY id DESC LIMIT %s"
        return self._seen(ns, self._db.rows(sql, (ns, f"%{text.translate(_ESCAPED)}%", limit)))

    def _seen(self, ns: str, rows: list[Any]) -> list[int]:
        found = [number for (number,) in rows]
        self._places.saw_chunks(ns, found)
        return found

    def allowed(self, space: int, which: Filter, limit: int) -> list[int] | None:
        """Return all chunks of a namespace that a filter lets through, or None when they are more
        than so many.
        """
        ns = self._places.space(space)
        where, values = clause(self._sql, replace(which, ns=NsFilter(ns)))
        sql = (
            "SELECT c.id FROM memories m JOIN chunks c ON c.ns = m.ns AND c.memory_id = "
            f"m.id WHERE {where} LIMIT %s"
        )
        found = self._seen(ns, self._db.rows(sql, [*values, limit + 1]))
        return found if len(found) <= limit else None

    def candidates(self, chunks: Sequence[int], which: Filter) -> list[Candidate]:
        """Return those of these chunks that a filter lets through, in the order given."""
        found: dict[int, Candidate] = {}
        one = (
            str(which.ns) if which.ns and not which.ns.is_prefix else None
        )  # what lies elsewhere would not pass anyway
        for ns, numbers in ({one: list(chunks)} if one else self._places.of_chunks(chunks)).items():
            if which.ns.matches(ns):
                found.update(
                    (row.chunk, row)
                    for row in self._candidates("c.id = ANY(%s)", [numbers], ns, which)
                )
        return [found[number] for number in chunks if number in found]

    def _candidates(
        self, tail: str, values: list[Any], ns: str, which: Filter, order: str = ""
    ) -> list[Candidate]:
        where, bound = clause(self._sql, replace(which, ns=NsFilter(ns)))
        limit = [values.pop()] if "LIMIT" in order else []
        found = [
            candidate_of(row)
            for row in self._db.rows(
                f"{_CHUNKS} WHERE c.ns = %s AND {tail} AND {where}{order}",
                [ns, *values, *bound, *limit],
            )
        ]
        self._places.saw(ns, (one.memory_id for one in found))
        self._threads.update((one.thread, ns) for one in found if one.thread is not None)
        return found

    def threads(self, numbers: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Return how many chunks threads have, and how many terms."""
        sql = "SELECT id, chunks, length FROM threads WHERE ns = %s AND id = ANY(%s)"
        by_ns: dict[str, list[int]] = {}
        for number in numbers:
            by_ns.setdefault(self._thread_ns(number), []).append(number)
        rows = [row for ns, given in by_ns.items() for row in self._db.rows(sql, (ns, given))]
        return {number: (chunks, length) for number, chunks, length in rows}

    def _thread_ns(self, number: int) -> str:
        if number not in self._threads:
            self._threads[number] = (
                self._db.get("SELECT ns FROM threads WHERE id = %s", (number,)) or ""
            )
        return self._threads[number]

    def thread_average(self, space: int) -> float:
        """Return the mean length of a namespace's threads."""
        sql = "SELECT coalesce(avg(length), 1.0) FROM threads WHERE ns = %s AND chunks > 0"
        return float(self._db.get(sql, (self._places.space(space),)))

    def thread(self, number: int, which: Filter) -> list[Candidate]:
        """Return a whole thread in order, as far as a filter lets it through."""
        ns = self._thread_ns(number)
        return (
            self._candidates("c.thread_id = %s", [number], ns, which, " ORDER BY c.place")
            if which.ns.matches(ns)
            else []
        )

    def around(
        self, number: int, place: str, before: int, after: int, which: Filter
    ) -> list[Candidate]:
        """Return the neighbours of a place in a thread, in order, without the place itself."""
        ns = self._thread_ns(number)
        if not which.ns.matches(ns):
            return []
        tail, order = "c.thread_id = %s AND c.place {} %s", " ORDER BY c.place {} LIMIT %s"
        earlier = self._candidates(
            tail.format("<"), [number, place, before], ns, which, order.format("DESC")
        )
        later = self._candidates(
            tail.format(">"), [number, place, after], ns, which, order.format("ASC")
        )
        return [*reversed(earlier), *later]
