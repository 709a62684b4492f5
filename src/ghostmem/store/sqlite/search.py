"""What a search asks of the database: postings, substrings, candidates and their neighbours."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ghostmem.store.filters import clause
from ghostmem.store.rows import Candidate, Filter, candidate_of
from ghostmem.store.search import CANDIDATE, SearchTable
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.sqlite.pieces import PIECE, Pieces
from ghostmem.text.scripts import fold

if TYPE_CHECKING:
    from ghostmem.text.spelling import WordParts

_CANDIDATE = CANDIDATE.format(PIECE)
# CROSS JOIN keeps the order: the planner would rather walk the whole namespace than look few chunks
# up
_CHUNKS = f"{_CANDIDATE} FROM chunks c CROSS JOIN memories m ON m.id = c.memory_id"
_AMONG = (
    f"{_CANDIDATE} FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value CROSS "
    "JOIN memories m ON m.id = c.memory_id"
)


class SqliteSearch(SearchTable):
    """Reads for ranking; each is bounded, and none computes a score."""

    _db: SqliteDb

    def __init__(self, db: SqliteDb) -> None:
        super().__init__(db)
        self._pieces = Pieces(db)

    def postings(self, space: int, codes: Sequence[str], limit: int) -> Iterator[list[int]]:
        """Yield, for each of several terms, the newest chunks of a namespace that contain it, at
        most so many.
        """
        sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        for code in codes:
            yield list(chain.from_iterable(self._db.execute(sql, (f'"{space}q{code}"', limit))))

    def words(self, space: int, parts: "WordParts") -> list[str]:
        """Return the words of a namespace that have one of some parts in its place."""
        start, middle, end, *lengths = parts
        sql = (
            "SELECT word FROM words WHERE ns_id = ? AND length(word) BETWEEN ? AND ? AND "
            "(word GLOB ? OR word GLOB ?"
        )
        values = [space, *lengths, f"{start}*", f"*{end}"]
        if middle:  # two edits can move it by two letters
            sql += " OR instr(substr(word, ?, ?), ?)"
            values += [len(start), len(middle) + 4, middle]
        return [word for (word,) in self._db.execute(f"{sql})", values)]

    def known_words(self, space: int, words: Iterable[str]) -> list[str]:
        """Return which of these words a namespace has."""
        sql = (
            "SELECT w.word FROM json_each(?) j CROSS JOIN words w ON w.ns_id = ? AND "
            "w.word = j.value"
        )
        return [word for (word,) in self._db.execute(sql, (json.dumps(list(words)), space))]

    def containing(self, space: int, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text of three
        characters or more.
        """
        if len(text) < 3:
            return []
        parts = " AND ".join(f'"{part}"' for part in _trigrams(text))
        sql = (
            f"SELECT c.id, m.key, {PIECE}, m.id, c.start, c.stop FROM chunks_tri t"
            " CROSS JOIN chunks c ON c.id = t.rowid CROSS JOIN memories m ON m.id = c.memory_id"
            " WHERE chunks_tri MATCH ? AND c.ns_id = ? ORDER BY t.rowid DESC"
        )
        found: list[int] = []
        for number, key, *piece in self._db.execute(sql, (parts, space)):
            if text in fold(f"{key}\n{self._pieces.text(*piece)}").lower():
                found.append(number)
                if len(found) == limit:
                    break
        return found

    def allowed(self, space: int, which: Filter, limit: int) -> list[int] | None:
        """Return all chunks of a namespace that a filter lets through, or None when they are more
        than so many.
        """
        where, values = clause(self._sql, which)
        sql = (
            "SELECT c.id FROM memories m CROSS JOIN chunks c ON c.memory_id = m.id "
            f"WHERE {where} AND c.ns_id = ? LIMIT ?"
        )
        found = [number for (number,) in self._db.execute(sql, [*values, space, limit + 1])]
        return found if len(found) <= limit else None

    def candidates(self, chunks: Sequence[int], which: Filter) -> list[Candidate]:
        """Return those of these chunks that a filter lets through, in the order given."""
        where, values = clause(self._sql, which)
        sql = f"{_AMONG} WHERE {where}"
        found = {
            row[0]: self._candidate(row)
            for row in self._db.execute(sql, [json.dumps(list(chunks)), *values])
        }
        return [found[number] for number in chunks if number in found]

    def _candidate(self, row: Sequence[Any]) -> Candidate:
        _, memory_id, _, start, stop, *_ = row
        return candidate_of(
            (*row[:10], self._pieces.text(row[10], memory_id, start, stop), *row[11:])
        )

    def threads(self, numbers: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Return how many chunks threads have, and how many terms."""
        sql = "SELECT id, chunks, length FROM threads WHERE id IN (SELECT value FROM json_each(?))"
        return {
            number: (chunks, length)
            for number, chunks, length in self._db.execute(sql, (json.dumps(list(numbers)),))
        }

    def thread_average(self, space: int) -> float:
        """Return the mean length of a namespace's threads."""
        return float(
            self._db.execute(
                "SELECT coalesce(avg(length), 1.0) FROM threads WHERE ns_id = ? AND chunks > 0",
                (space,),
            ).get
        )

    def thread(self, number: int, which: Filter) -> list[Candidate]:
        """Return a whole thread in order, as far as a filter lets it through."""
        where, values = clause(self._sql, which)
        sql = f"{_CHUNKS} WHERE c.thread_id = ? AND {where} ORDER BY c.place"
        return [self._candidate(row) for row in self._db.execute(sql, [number, *values])]

    def around(
        self, number: int, place: str, before: int, after: int, which: Filter
    ) -> list[Candidate]:
        """Return the neighbours of a place in a thread, in order, without the place itself."""
        where, values = clause(self._sql, which)
        sql = (
            f"{_CHUNKS} WHERE c.thread_id = ? AND c.place {{}} ? AND {where} ORDER BY "
            f"c.place {{}} LIMIT ?"
        )
        earlier = [
            self._candidate(row)
            for row in self._db.execute(sql.format("<", "DESC"), [number, place, *values, before])
        ]
        later = [
            self._candidate(row)
            for row in self._db.execute(sql.format(">", "ASC"), [number, place, *values, after])
        ]
        return [*reversed(earlier), *later]


def _trigrams(text: str) -> list[str]:
    """Return a text's trigrams for FTS5, with quotes doubled."""
    return [text[at : at + 3].replace('"', '""') for at in range(min(len(text) - 2, 60))]
