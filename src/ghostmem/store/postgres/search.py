"""The reads of a search in PostgreSQL."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ghostmem.store.database import Location
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import ChunkCandidate, Filter, Space
from ghostmem.store.search import Search

_ESCAPED = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
_POSTINGS = (
    "SELECT t.place, c.id FROM unnest(?::text[]) WITH ORDINALITY t(code, place)"
    " CROSS JOIN LATERAL (SELECT id FROM chunks WHERE ns = ? AND codes @@ t.code::tsquery"
    " ORDER BY id DESC LIMIT ?) c ORDER BY 1, 2 DESC"
)


class PostgresSearch(Search):
    """Reads for ranking; each is bounded, and none computes a score."""

    def __init__(self, db: Db) -> None:
        super().__init__(db)
        self._places = db.places
        self._threads: dict[int, str] = {}

    def _space(self, number: int) -> str:
        return self._places.space(number)

    def _of_thread(self, number: int) -> Location:
        if number not in self._threads:
            ns = self._db.get("SELECT ns FROM threads WHERE id = ?", (number,))
            self._threads[number] = ns or ""
        return (self._threads[number],)

    def _located_chunks(
        self, chunks: Sequence[int], selection: Filter
    ) -> Iterator[tuple[Location, Any]]:
        if selection.ns and not selection.ns.is_prefix:  # chunks of others would not pass
            yield (str(selection.ns),), list(chunks)
            return
        for ns, numbers in self._places.of_chunks(chunks).items():
            yield (ns,), numbers

    def _located_threads(self, numbers: Iterable[int]) -> Iterator[tuple[Location, Any]]:
        by_location: dict[Location, list[int]] = {}
        for number in numbers:
            by_location.setdefault(self._of_thread(number), []).append(number)
        yield from by_location.items()

    def _candidates(
        self,
        location: Location,
        tail: str,
        values: Sequence[Any],
        selection: Filter,
        order: str = "",
        *limit: int,
    ) -> list[ChunkCandidate]:
        candidates = super()._candidates(location, tail, values, selection, order, *limit)
        (ns,) = location
        self._places.saw(ns, (candidate.memory_id for candidate in candidates))
        threads = (candidate.thread for candidate in candidates)
        self._threads.update((thread, ns) for thread in threads if thread is not None)
        return candidates

    def spaces(self, names: Iterable[str]) -> list[Space]:
        """Return the numbers of namespaces that ranking needs."""
        spaces = super().spaces(names)
        for space in spaces:
            self._places.saw_space(space.number, space.name)
        return spaces

    def postings(self, space: Space, codes: Sequence[str], limit: int) -> "Iterator[array[int]]":
        """Yield for each term the newest chunks of a namespace that contain it, up to `limit`."""
        postings = [array("q") for _ in codes]
        if codes:
            lexemes = ["'" + code.replace("\\", "\\\\").replace("'", "''") + "'" for code in codes]
            for place, number in self._db.rows(_POSTINGS, (lexemes, space.name, limit)):
                postings[place - 1].append(number)
        for numbers in postings:
            self._places.saw_chunks(space.name, numbers)
        yield from postings

    def containing(self, space: Space, text: str, limit: int) -> list[int]:
        """Return the newest chunks of a namespace whose text or key contains a folded text.

        The text must have three characters or more."""
        if len(text) < 3:
            return []
        ns = space.name
        sql = "SELECT id FROM chunks WHERE ns = ? AND plain LIKE ? ORDER BY id DESC LIMIT ?"
        rows = self._db.rows(sql, (ns, f"%{text.translate(_ESCAPED)}%", limit))
        numbers = [number for (number,) in rows]
        self._places.saw_chunks(ns, numbers)
        return numbers
