"""Vectors in SQLite, and the view of them that stays in memory between searches."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ghostmem.store.sqlite.database import PIECE, Pieces, SqliteDb
from ghostmem.store.sqlite.journal import SqliteJournal
from ghostmem.store.vectors import Vectors, Views

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SqliteVectors(Vectors):
    """Vectors by model and namespace; different models are never mixed."""

    _db: SqliteDb
    _has_vectors = " AND EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = m.id)"

    def __init__(self, db: SqliteDb, views: Views, journal: SqliteJournal) -> None:
        super().__init__(db, views)
        self._journal = journal

    def after(
        self, model: int, ns: str, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        """Return the vectors of a namespace's chunks after a number, in order."""
        sql = (
            f"SELECT chunk_id, vector FROM vectors WHERE model_id = ? AND {self._sql.of_ns()}"
            " AND chunk_id > ? ORDER BY chunk_id"
        )
        rows = list(self._db.execute(sql, (model, ns, chunk)))
        width = len(rows[0][1]) // 2 if rows else self.dimension(model)
        vectors = np.frombuffer(b"".join([vector for _, vector in rows]), np.float16)
        vectors = vectors.reshape(len(rows), width)
        return np.fromiter((number for number, _ in rows), np.int64, len(rows)), vectors

    def put(self, model: int, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Write vectors as (namespace, chunk, vector) for chunks that still exist."""
        sql = "INSERT OR IGNORE INTO vectors SELECT ?, ns_id, id, ? FROM chunks WHERE id = ?"
        self._db.run_many(sql, [(model, vector, chunk) for _, chunk, vector in rows])
        for ns in dict.fromkeys(ns for ns, _, _ in rows):
            self._journal.append(ns, "", "embed", "")
        return len(rows)

    def missing(
        self, model: int, after: int, limit: int, ns: str | None = None
    ) -> Iterator[tuple[str, int, str, str | None]]:
        """Yield chunks without a vector of a model as (namespace, chunk, text, source).

        With `ns`, only chunks of that namespace."""
        only = "" if ns is None else f" AND {self._sql.of_ns('c.')}"
        sql = (
            f"SELECT m.ns, c.id, {PIECE}, m.source_user, m.id, c.start, c.stop FROM chunks c"
            f" JOIN memories m ON m.id = c.memory_id WHERE c.id > ?{only} AND c.chunker <> "
            "'' AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.model_id = ?) ORDER "
            "BY c.id LIMIT ?"
        )
        pieces = Pieces(self._db)
        for owner, chunk, piece, source, *place in self._db.execute(
            sql, (after, *([] if ns is None else [ns]), model, limit)
        ):
            yield owner, chunk, pieces.text(piece, *place), source
