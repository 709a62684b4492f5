"""Vectors as rows, and the view of them that stays in memory between searches."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ghostmem.store.nearest import VectorView
from ghostmem.store.rows import Space
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.sqlite.journal import SqliteJournal
from ghostmem.store.sqlite.pieces import PIECE, Pieces
from ghostmem.store.vectors import VectorTable, Views

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SqliteVectors(VectorTable):
    """Vectors by model and namespace; different models are never mixed."""

    _db: SqliteDb

    def __init__(self, db: SqliteDb, views: Views, journal: SqliteJournal) -> None:
        super().__init__(db, views)
        self._journal = journal

    def view(self, model: int, space: Space) -> VectorView:
        """Return a namespace's vectors, brought up to date by what changed since the last look."""
        known = self._views.get((model, space.number))
        if known is not None and known.sequence == space.sequence:
            return known
        if known is None or self._must_reload(known, space):
            known = self._load(model, space, -1, None)
        else:
            known = self._load(model, space, int(known.ids[-1]) if len(known.ids) else -1, known)
        self._views[model, space.number] = known
        return known

    def _load(self, model: int, space: Space, after: int, before: VectorView | None) -> VectorView:
        ids, made = self.after(model, space.number, after)
        return (
            VectorView(space.sequence, ids, made)
            if before is None
            else before.extended(space.sequence, ids, made)
        )

    def after(
        self, model: int, space: int, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        """Return the vectors of a namespace's chunks behind a number, in order."""
        sql = (
            "SELECT chunk_id, vector FROM vectors WHERE model_id = ? AND ns_id = ? AND "
            "chunk_id > ? ORDER BY chunk_id"
        )
        rows = list(self._db.execute(sql, (model, space, chunk)))
        made = np.frombuffer(b"".join(vector for _, vector in rows), np.float16).reshape(
            len(rows), self.dimension(model)
        )
        return np.fromiter((number for number, _ in rows), np.int64, len(rows)), made

    def owners(self, chunks: Sequence[int]) -> dict[int, str]:
        """Return which memories chunks belong to."""
        sql = "SELECT c.id, c.memory_id FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value"
        return dict(self._db.execute(sql, (json.dumps(list(chunks)),)))

    def put(self, model: int, rows: Sequence[tuple[int, int, bytes]]) -> int:
        """Write vectors as (namespace, chunk, vector) for chunks that are still there."""
        sql = "INSERT OR IGNORE INTO vectors SELECT ?, ?, id, ? FROM chunks WHERE id = ?"
        for space, chunk, vector in rows:
            self._db.execute(sql, (model, space, vector, chunk))
        for space in sorted({space for space, _, _ in rows}):
            self._journal.append_to(space, "", "embed", "")
        return len(rows)

    def missing(
        self, model: int, after: int, limit: int, ns: str | None = None
    ) -> Iterator[tuple[int, int, str, str | None]]:
        """Yield chunks that have no vector of a model yet, as (namespace, chunk, text, who said
        it); with `ns`, only of that.
        """
        only = "" if ns is None else " AND c.ns_id = (SELECT id FROM namespaces WHERE name = ?)"
        sql = (
            f"SELECT c.ns_id, c.id, {PIECE}, m.source_user, m.id, c.start, c.stop FROM chunks c"
            f" JOIN memories m ON m.id = c.memory_id WHERE c.id > ?{only} AND c.chunker <> "
            "'' AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.model_id = ?) ORDER "
            "BY c.id LIMIT ?"
        )
        pieces = Pieces(self._db)
        for space, chunk, piece, source, *place in self._db.execute(
            sql, (after, *([] if ns is None else [ns]), model, limit)
        ):
            yield space, chunk, pieces.text(piece, *place), source

    def plain(self, space: int) -> int:
        """Count the chunks of a namespace that are found by their words alone."""
        sql = "SELECT count(*) FROM chunks WHERE ns_id = ? AND chunker = ''"
        return int(self._db.get(sql, (space,)))
