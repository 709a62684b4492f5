"""Vectors by model and namespace."""

from ghostmem.store.database import Database, StoreTable
from ghostmem.store.nearest import VectorView
from ghostmem.store.rows import Space

Views = dict[tuple[int, int], VectorView]  # by model and namespace


class VectorTable(StoreTable):
    """The part of the vectors that is the same in every engine; see `protocol.Vectors`."""

    def __init__(self, db: Database, views: Views) -> None:
        super().__init__(db)
        self._views = views

    def model(self, name: str, dimension: int, chunker: str) -> int:
        """Return the number of a model, giving it one on first sight."""
        number = self.find(name, dimension, chunker)
        if number is None:
            sql = self._sql.insert("models", ("name", "dimension", "chunker"))
            self._db.run(sql, (name, dimension, chunker))
            number = self.find(name, dimension, chunker)
            assert number is not None
        return number

    def find(self, name: str, dimension: int, chunker: str) -> int | None:
        """Return the number of a model that may have vectors here.

        Dimension 0 means that the provider has not said it yet: the latest model counts."""
        sql, values = "SELECT max(id) FROM models WHERE name = ? AND chunker = ?", (name, chunker)
        if dimension == 0:
            number: int | None = self._db.get(sql, values)
        else:
            number = self._db.get(f"{sql} AND dimension = ?", (*values, dimension))
        return number

    def dimension(self, model: int) -> int:
        """Return the length of a model's vectors."""
        return self._db.get("SELECT dimension FROM models WHERE id = ?", (model,)) or 0

    def _must_reload(self, view: VectorView, space: Space) -> bool:
        where = f"{self._sql.of_ns} AND c.seq > ? AND c.op = 'embed' LIMIT 1"
        values = (space.name, view.sequence)
        filled = self._db.get(f"SELECT 1 FROM changes c WHERE {where}", values)
        return filled is not None or view.is_stale(space.chunks)

    def counts(self) -> dict[str, int]:
        """Return the number of chunks with a vector by model, and of all chunks under ""."""
        vectors = dict(self._db.rows("SELECT model_id, count(*) FROM vectors GROUP BY 1"))
        models = self._db.rows("SELECT id, name || '/' || dimension FROM models ORDER BY id")
        counts = {name: vectors.get(model, 0) for model, name in models}
        counts[""] = self._db.get("SELECT count(*) FROM chunks WHERE chunker <> ''")
        return counts

    def drop_others(self, model: int) -> int:
        """Delete the vectors of every other model and return their number."""
        gone = self._db.run("DELETE FROM vectors WHERE model_id <> ?", (model,))
        self._db.run("DELETE FROM spare_vectors WHERE model_id <> ?", (model,))
        self._db.run("DELETE FROM models WHERE id <> ?", (model,))
        self._views.clear()
        return gone
