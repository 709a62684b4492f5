"""Vectors in PostgreSQL, which compares them, or in memory for namespaces that are asked again."""

import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ghostmem.lazy import NDArray
from ghostmem.store.nearest import MAX_EXACT, VectorView
from ghostmem.store.postgres.connect import numbers_of, vec_of
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.rows import Space
from ghostmem.store.vectors import Vectors, Views

# vectors beyond `count` that are compared again, because the database rounds sums differently
MARGIN = 32
MAX_VECTORS = 50_000  # of all namespaces that are kept in memory
IDLE_REQUESTS = 1_000  # after which a namespace that was not asked for makes room for others
MAX_NAMESPACES = 10_000  # whose last request is remembered
HNSW = (
    "SET LOCAL hnsw.iterative_scan = relaxed_order",
    "SET LOCAL hnsw.ef_search = 200",
    "SET LOCAL hnsw.max_scan_tuples = 100000",
)


class RecentViews(dict[tuple[int, int], VectorView]):
    """The vectors of namespaces that were asked for more than once, as far as they fit.

    One question costs less when the server compares: to load the vectors takes longer."""

    def __init__(self) -> None:
        super().__init__()
        self._requests = 0
        self._last: dict[tuple[int, int], int] = {}  # the last request for a namespace
        self._lock = threading.Lock()

    def wants(self, model: int, space: Space) -> bool:
        """Record a request for a namespace, and say whether its vectors should be in memory."""
        key = (model, space.number)
        with self._lock:
            self._requests += 1
            if len(self._last) >= MAX_NAMESPACES:
                self._last.clear()
            is_known, self._last[key] = key in self._last, self._requests
            # more than MAX_EXACT are not compared in memory
            return space.chunks <= MAX_EXACT and (
                key in self or (is_known and self._make_room(space.chunks))
            )

    def _make_room(self, count: int) -> bool:
        """Forget namespaces that were not asked for lately, until so many vectors fit."""
        views = dict(self)  # others may add some meanwhile
        room = MAX_VECTORS - count - sum(view.count for view in views.values())
        for key in sorted(views, key=lambda key: self._last.get(key, 0)):
            if room >= 0 or self._requests - self._last.get(key, 0) <= IDLE_REQUESTS:
                break
            self.pop(key, None)
            room += views[key].count
        return room >= 0


class RemoteView(VectorView):
    """A view that asks for the few vectors of a search, and loads all only to compare all."""

    def __init__(self, table: "PostgresVectors", model: int, space: Space, hnsw: bool) -> None:
        self.sequence = space.sequence
        self._db, self._model, self._space, self._hnsw = table._db, model, space, hnsw
        self._table = table
        self._here: VectorView | None = None
        self._fetched: dict[int, bytes | None] = {}  # None for a chunk without a vector

    def _all(self) -> VectorView:
        if self._here is None:
            self._here = self._table.load(self._model, self._space)
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
        return self._counted[0]

    @property
    def last(self) -> int:
        return self._counted[1]

    @cached_property
    def _counted(self) -> tuple[int, int]:
        count: tuple[int, int] = self._db.row(
            "SELECT count(*), coalesce(max(chunk_id), 0) FROM vectors"
            " WHERE ns = ? AND model_id = ?",
            (self._space.name, self._model),
        )
        return count

    def nearest(
        self, query: "NDArray[np.float32]", count: int, among: "set[int] | None" = None
    ) -> list[int]:
        if self._here is not None:
            return self._all().nearest(query, count, among)
        only = "" if among is None else " AND chunk_id = ANY(?)"
        values = [] if among is None else [list(among)]
        column, kind, ties = "vector", "", ", chunk_id DESC"  # hundreds may be equally near
        if self._hnsw and among is None:
            for setting in HNSW:
                self._db.run(setting)
            column, ties = f"vector::vector({len(query)})", ""
            kind = f" AND model_id = {self._model}"
        rows = self._db.rows(
            f"SELECT chunk_id, vector FROM vectors WHERE ns = ? AND model_id = ?{kind}{only}"
            f" ORDER BY {column} <#> ?::vector{ties} LIMIT ?",
            [self._space.name, self._model, *values, vec_of(query), count + MARGIN],
            binary=True,
        )
        if not rows:
            return []
        self._fetched |= dict(rows)
        numbers = np.fromiter((number for number, _ in rows), np.int64, len(rows))
        scores = np.vecdot(
            numbers_of([row[1] for row in rows], len(query)).astype(np.float32), query
        )
        best: list[int] = numbers[np.lexsort((-numbers, -scores))[:count]].tolist()
        return best

    def vectors(
        self, chunks: "NDArray[np.int64]"
    ) -> "tuple[NDArray[np.float32], NDArray[np.bool_]]":
        if self._here is not None:
            return self._all().vectors(chunks)
        self.expect(chunks.tolist())
        fetched = [self._fetched[number] for number in chunks.tolist()]
        exists = np.array([raw is not None for raw in fetched], bool)
        raw = [each for each in fetched if each is not None]
        width = (len(raw[0]) - 4) // 4 if raw else self._table.dimension(self._model)
        result = np.zeros((len(chunks), width), np.float32)
        if raw:
            result[exists] = numbers_of(raw, width)
        return result, exists

    def expect(self, chunks: Sequence[int]) -> None:
        """Fetch vectors of chunks that are not known yet."""
        if missing := [number for number in chunks if number not in self._fetched]:
            rows = self._db.rows(
                "SELECT chunk_id, vector FROM vectors WHERE ns = ? AND model_id = ? AND "
                "chunk_id = ANY(?)",
                (self._space.name, self._model, missing),
                binary=True,
            )
            self._fetched |= {**dict.fromkeys(missing), **dict(rows)}

    def expect_nearest(self, query: "NDArray[np.float32]", count: int) -> None:
        """Fetch what `count` and `nearest` are going to need."""
        self._db.ahead([lambda: self._counted, lambda: self.nearest(query, count)])


class PostgresVectors(Vectors):
    """Vectors by model and namespace; different models are never mixed."""

    _db: Db

    def __init__(self, db: Db, views: Views, journal: PostgresJournal, hnsw: bool = False) -> None:
        super().__init__(db, views, journal)
        self._hnsw = hnsw

    def view(self, model: int, space: Space) -> "VectorView":
        """Return the view in memory when it is up to date or wanted, else one of the database."""
        views = self._views
        is_wanted = isinstance(views, RecentViews) and not self._hnsw and views.wants(model, space)
        view = views.get((model, space.number))
        is_loaded = is_wanted or (view is not None and view.sequence == space.sequence)
        return self.load(model, space) if is_loaded else RemoteView(self, model, space, self._hnsw)

    def _updated(self, view: VectorView, model: int, space: Space) -> VectorView:
        """Return a view with the vectors that were added since, and without the removed ones."""
        name, last = space.name, view.last
        condition, older = "ns = ? AND model_id = ? AND chunk_id <= ?", (name, model, last)
        # the numbers of all older chunks are read only if some were removed
        sql = (
            "SELECT EXISTS (SELECT 1 FROM changes WHERE ns = ? AND seq > ? AND op = 'embed'),"
            f" CASE WHEN count(*) <> ? THEN ARRAY(SELECT chunk_id FROM vectors WHERE {condition}"
            f" ORDER BY chunk_id) END FROM vectors WHERE {condition}"
        )
        values = (name, view.sequence, view.count, *older, *older)
        self._db.ahead(
            [lambda: self._db.row(sql, values), lambda: self.after(model, space.name, last)]
        )
        is_filled, left = self._db.row(sql, values)
        current: VectorView | None = None if is_filled or view.is_stale(space.chunks) else view
        if current is not None and left is not None:
            current = view.only(np.array(left, np.int64))
        return (
            self._read(model, space)
            if current is None
            else current.extended(space.sequence, *self.after(model, space.name, last))
        )

    def after(
        self, model: int, ns: str, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        rows = self._db.rows(
            "SELECT chunk_id, vector FROM vectors WHERE ns = ? AND model_id = ? AND "
            "chunk_id > ? ORDER BY chunk_id",
            (ns, model, chunk),
            binary=True,
        )
        width = (len(rows[0][1]) - 4) // 4 if rows else self.dimension(model)
        vectors = numbers_of([vector for _, vector in rows], width)
        return np.fromiter((number for number, _ in rows), np.int64, len(rows)), vectors
