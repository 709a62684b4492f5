"""The vectors of a namespace in the database, which compares them; Python fixes the order."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ghostmem.store.nearest import VectorView
from ghostmem.store.postgres.connect import numbers_of, vec_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

# vectors beyond `count` that are compared again, because the database rounds sums differently
MARGIN = 32
HNSW = (
    "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = 200; SET "
    "LOCAL hnsw.max_scan_tuples = 100000"
)


class RemoteView(VectorView):
    """A view that asks for the few vectors of a search, and loads all only to compare all."""

    def __init__(
        self,
        db: Db,
        model: int,
        space: Space,
        hnsw: bool,
        load: Callable[[int, Space], VectorView],
    ) -> None:
        self.sequence = space.sequence
        self._db, self._model, self._space, self._hnsw = db, model, space, hnsw
        self._load = load
        self._here: VectorView | None = None
        self._count: tuple[int, int] | None = None

    def _all(self) -> VectorView:
        if self._here is None:
            self._here = self._load(self._model, self._space)
        return self._here

    @property
    def ids(self) -> "NDArray[np.int64]":  # type: ignore[override]
        """Return the numbers of all chunks."""
        return self._all().ids

    @property
    def rows(self) -> "NDArray[np.float16]":  # type: ignore[override]
        """Return all vectors."""
        return self._all().rows

    @property
    def count(self) -> int:
        """Return the number of vectors."""
        return self._counted()[0]

    @property
    def last(self) -> int:
        """Return the highest number of a chunk that has a vector."""
        return self._counted()[1]

    def _counted(self) -> tuple[int, int]:
        if self._count is None:
            sql = (
                "SELECT count(*), coalesce(max(chunk_id), 0) FROM vectors WHERE ns = ? "
                "AND model_id = ?"
            )
            self._count = self._db.row(sql, (self._space.name, self._model))
        return self._count

    def _dimension(self) -> int:
        return self._db.get("SELECT dimension FROM models WHERE id = ?", (self._model,)) or 0

    def nearest(
        self, query: "NDArray[np.float32]", count: int, among: "set[int] | None" = None
    ) -> list[int]:
        """Return the chunks nearest to a unit vector, nearest first, ties by newest.

        With `among`, only those chunks are compared."""
        if self._here is not None:
            return self._here.nearest(query, count, among)
        only, values = "", list[Any]()
        if among is not None:
            only, values = " AND chunk_id = ANY(?)", [list(among)]
        column, kind, ties = "vector", "", ", chunk_id DESC"  # hundreds may be equally near
        if self._hnsw and among is None:
            self._db.execute(HNSW)
            column, ties = f"vector::vector({len(query)})", ""
            kind = f" AND model_id = {self._model}"
        sql = (
            f"SELECT chunk_id, vector FROM vectors WHERE ns = ? AND model_id = ?{kind}{only}"
            f" ORDER BY {column} <#> ?::vector{ties} LIMIT ?"
        )
        rows = self._db.execute(
            sql,
            [self._space.name, self._model, *values, vec_of(query), count + MARGIN],
            binary=True,
        ).fetchall()
        if not rows:
            return []
        numbers = np.fromiter((number for number, _ in rows), np.int64, len(rows))
        scores = np.vecdot(
            numbers_of([row[1] for row in rows], len(query)).astype(np.float32), query
        )
        order = np.lexsort((-numbers, -scores))[:count]
        best: list[int] = numbers[order].tolist()
        return best

    def vectors(
        self, chunks: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.float32], NDArray[np.bool_]]":
        """Return the vectors of chunks, and a mask of those that exist."""
        if self._here is not None:
            return self._here.vectors(chunks)
        sql = (
            "SELECT chunk_id, vector FROM vectors WHERE ns = ? AND model_id = ? AND "
            "chunk_id = ANY(?)"
        )
        rows = self._db.execute(
            sql, (self._space.name, self._model, chunks.tolist()), binary=True
        ).fetchall()
        width = (len(rows[0][1]) - 4) // 4 if rows else self._dimension()
        vectors = (
            numbers_of([row[1] for row in rows], width).astype(np.float32)
            if rows
            else np.zeros((0, width), np.float32)
        )
        positions = {number: place for place, (number, _) in enumerate(rows)}
        result, exists = np.zeros((len(chunks), width), np.float32), np.zeros(len(chunks), bool)
        for place, number in enumerate(chunks.tolist()):
            if number in positions:
                result[place], exists[place] = vectors[positions[number]], True
        return result, exists

    def alike(
        self,
        queries: "NDArray[np.float32]",
        least: float,
        count: int,
        before: int | None = None,
        late: "tuple[NDArray[np.bool_], NDArray[np.int64]] | None" = None,
    ) -> "list[tuple[NDArray[np.int64], NDArray[np.float32]]]":
        """Compare many vectors with all, in memory."""
        return self._all().alike(queries, least, count, before, late)

    def pairs(
        self, chunks: Sequence[int], least: float, most: int
    ) -> Iterator[tuple[int, int, float]]:
        """Compare chunks with each other, in memory."""
        return self._all().pairs(chunks, least, most)
