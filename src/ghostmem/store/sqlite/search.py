"""The reads of a search in SQLite."""

from array import array
from collections.abc import Mapping, Sequence

from ghostmem.store.namespace_cache import Postings
from ghostmem.store.rows import Space
from ghostmem.store.search import Search
from ghostmem.store.sqlite.database import PIECE
from ghostmem.text.scripts import fold


class SqliteSearch(Search):
    """Reads for ranking; each is bounded, and none computes a score."""

    def _read_postings(
        self, space: Space, codes: Sequence[str], limit: int
    ) -> Mapping[str, Postings]:
        sql = "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        postings = {}
        for code in codes:
            rows = self._db.iterate(sql, (f'"{space.number}q{code}"', limit))
            postings[code] = Postings(limit, array("q", [number for (number,) in rows]))
        return postings

    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        if len(text) < 3:
            return []
        name = f"containing {limit} {text}"
        return self.fact(space, name, lambda: self._read_containing(space.number, text, limit))

    def _read_containing(self, space: int, text: str, limit: int) -> list[int]:
        trigrams = [
            text[start : start + 3].replace('"', '""') for start in range(min(len(text) - 2, 60))
        ]
        parts = " AND ".join(f'"{trigram}"' for trigram in trigrams)
        sql = (
            f"SELECT c.id, m.key, {PIECE}, m.id, c.start, c.stop FROM chunks_tri t"
            " CROSS JOIN chunks c ON c.id = t.rowid CROSS JOIN memories m ON m.id = c.memory_id"
            " WHERE chunks_tri MATCH ? AND c.ns_id = ? ORDER BY t.rowid DESC"
        )
        numbers: list[int] = []
        for number, key, *piece in self._db.iterate(sql, (parts, space)):
            if text in fold(f"{key}\n{self._pieces.text(*piece)}").lower():
                numbers.append(number)
                if len(numbers) == limit:
                    break
        return numbers
