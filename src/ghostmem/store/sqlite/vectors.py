"""Vectors in SQLite, and the view of them that stays in memory between searches."""

import numpy as np

from ghostmem.lazy import NDArray
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.vectors import Vectors


class SqliteVectors(Vectors):
    """Vectors by model and namespace; different models are never mixed."""

    _db: SqliteDb
    _has_vectors = " AND EXISTS (SELECT 1 FROM vectors v WHERE v.model_id = m.id)"

    def after(
        self, model: int, ns: str, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        rows = list(
            self._db.execute(
                f"SELECT chunk_id, vector FROM vectors WHERE model_id = ? AND {self._sql.of_ns()}"
                " AND chunk_id > ? ORDER BY chunk_id",
                (model, ns, chunk),
            )
        )
        width = len(rows[0][1]) // 2 if rows else self.dimension(model)
        vectors = np.frombuffer(b"".join([vector for _, vector in rows]), np.float16)
        vectors = vectors.reshape(len(rows), width)
        return np.fromiter((number for number, _ in rows), np.int64, len(rows)), vectors
