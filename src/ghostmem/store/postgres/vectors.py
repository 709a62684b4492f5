"""Vectors as rows, compared by the database.

What reads a whole namespace brings it into memory once.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ghostmem.store.nearest import VectorView
from ghostmem.store.postgres.connect import as_vec, numbers_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.postgres.remote import RemoteView
from ghostmem.store.rows import Space
from ghostmem.store.vectors import VectorTable, Views

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PostgresVectors(VectorTable):
    """Vectors by model and namespace; different models are never mixed."""

    _db: Db

    def __init__(self, db: Db, views: Views, journal: PostgresJournal, hnsw: bool = False) -> None:
        super().__init__(db, views)
        self._places = db.places
        self._journal = journal
        self._hnsw = hnsw

    def namespace(self, space: int) -> str:
        """Return the name of a namespace."""
        return self._places.space(space)

    def view(self, model: int, space: Space) -> "VectorView":
        """Return a namespace's vectors: those in memory when they are of today, else the database's
        own.
        """
        known = self._views.get((model, space.number))
        if known is not None and known.sequence == space.sequence:
            return known
        return RemoteView(self._db, model, space, self._hnsw, self.load)

    def load(self, model: int, space: Space) -> VectorView:
        """Bring a namespace's vectors into memory, or those in memory up to date."""
        known = self._views.get((model, space.number))
        if known is None or (known.sequence != space.sequence and self._must_reload(known, space)):
            known = VectorView(space.sequence, *self.after(model, space.number, -1))
        elif known.sequence != space.sequence:
            last = int(known.ids[-1]) if len(known.ids) else -1
            known = known.extended(space.sequence, *self.after(model, space.number, last))
        self._views[model, space.number] = known
        return known

    def after(
        self, model: int, space: int, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        """Return the vectors of a namespace's chunks behind a number, in order."""
        sql = (
            "SELECT chunk_id, vector FROM vectors WHERE ns = %s AND model_id = %s AND "
            "chunk_id > %s ORDER BY chunk_id"
        )
        rows = self._db.execute(
            sql, (self._places.space(space), model, chunk), binary=True
        ).fetchall()
        made = numbers_of([vector for _, vector in rows], self.dimension(model))
        return np.fromiter((number for number, _ in rows), np.int64, len(rows)), made

    def owners(self, chunks: Sequence[int]) -> dict[int, str]:
        """Return which memories chunks belong to."""
        found: dict[int, str] = {}
        for ns, numbers in self._places.of_chunks(
            chunks, nearby=True
        ).items():  # one that is gone is nowhere else
            rows = self._db.rows(
                "SELECT id, memory_id FROM chunks WHERE ns = %s AND id = ANY(%s)", (ns, numbers)
            )
            self._places.saw(ns, (memory_id for _, memory_id in rows))
            found.update(rows)
        return {number: found[number] for number in chunks if number in found}

    def put(self, model: int, rows: Sequence[tuple[int, int, bytes]]) -> int:
        """Write vectors as (namespace, chunk, vector) for chunks that are still there."""
        sql = (
            "INSERT INTO vectors (ns, model_id, chunk_id, vector) SELECT ns, %s, id, "
            "%s::vector FROM chunks"
            " WHERE ns = %s AND id = %s ON CONFLICT DO NOTHING"
        )
        for space in sorted({space for space, _, _ in rows}):
            self._db.lock(self._places.space(space))
        for space, chunk, vector in rows:
            self._db.run(sql, (model, as_vec(vector), self._places.space(space), chunk))
        for space in sorted({space for space, _, _ in rows}):
            self._journal.append(self._places.space(space), "", "embed", "")
        return len(rows)

    def missing(
        self, model: int, after: int, limit: int, ns: str | None = None
    ) -> Iterator[tuple[int, int, str, str | None]]:
        """Yield chunks that have no vector of a model yet, as (namespace, chunk, text, who said
        it); with `ns`, only of that.
        """
        where, values = (
            ("c.id > %s", [after]) if ns is None else ("c.ns = %s AND c.id > %s", [ns, after])
        )
        yield from self._lacking(where, values, model, None if limit < 0 else limit)

    def lacking(
        self, model: int, ns: str, chunks: Sequence[int]
    ) -> Iterator[tuple[int, int, str, str | None]]:
        """Yield those of a namespace's chunks that have no vector of a model yet, as `missing`
        does.
        """
        yield from self._lacking("c.ns = %s AND c.id = ANY(%s)", [ns, list(chunks)], model, None)

    def _lacking(
        self, where: str, values: Sequence[Any], model: int, limit: int | None
    ) -> Iterator[tuple[int, int, str, str | None]]:
        sql = (
            "SELECT n.id, n.ns, c.id, substr(m.content, (c.start + 1)::int, (c.stop - "
            "c.start)::int), m.source_user FROM chunks c"
            " JOIN memories m ON m.ns = c.ns AND m.id = c.memory_id JOIN namespaces n ON "
            "n.ns = c.ns"
            f" WHERE {where} AND c.chunker <> '' AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.ns = c.ns AND v.chunk_id = c.id AND "
            "v.model_id = %s) ORDER BY c.id LIMIT %s"
        )
        for number, ns, chunk, text, source in self._db.rows(sql, (*values, model, limit)):
            self._places.saw_space(number, ns)
            yield number, chunk, text, source

    def plain(self, space: int) -> int:
        """Count the chunks of a namespace that are found by their words alone."""
        found: int = self._db.get(
            "SELECT count(*) FROM chunks WHERE ns = %s AND chunker = ''",
            (self._places.space(space),),
        )
        return found
