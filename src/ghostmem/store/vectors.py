"""Vectors by model and namespace."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from ghostmem.lazy import NDArray, np
from ghostmem.store.database import Database, Pieces, StoreTable
from ghostmem.store.journal import Journal
from ghostmem.store.nearest import VectorView
from ghostmem.store.rows import Space

Views = dict[tuple[int, int], VectorView]  # by model and namespace


class Vectors(StoreTable, ABC):
    """Vectors by model and namespace; different models are never mixed."""

    def __init__(self, db: Database, views: Views, journal: Journal) -> None:
        super().__init__(db)
        self._views = views
        self._journal = journal
        self._first: dict[Sequence[str], str | None] = {}  # answers of `first`
        self._found: dict[tuple[str, int, str], int] = {}  # answers of `find`

    def model(self, name: str, dimension: int, chunker: str) -> int:
        """Return the number of a model, giving it one on first sight."""
        number = self.find(name, dimension, chunker)
        if number is None:
            self._db.run(
                self._sql.insert("models", ("name", "dimension", "chunker")),
                (name, dimension, chunker),
            )
            self._first.clear()
            number = self.find(name, dimension, chunker)
            assert number is not None
        return number

    def find(self, name: str, dimension: int, chunker: str) -> int | None:
        """Return the number of a model that may have vectors here.

        Dimension 0 means that the provider has not said it yet: the latest model counts."""
        described = (name, dimension, chunker)
        if described in self._found:
            return self._found[described]
        sql, values = "SELECT max(id) FROM models WHERE name = ? AND chunker = ?", (name, chunker)
        number: int | None = (
            self._db.get(f"{sql} AND dimension = ?", (*values, dimension))
            if dimension
            else self._db.get(sql, values)
        )
        if number is not None and dimension:
            self._found[described] = number
        return number

    _has_vectors = ""  # the condition that a model `m` has vectors, where an index can tell

    def first(self, names: Sequence[str], chunker: str, prefix: str) -> str | None:
        """Return which of some models was the first to make vectors that are still here.

        These are models with one of some names, or with a name that begins with a prefix."""
        if names not in self._first:
            self._first[names] = self._db.get(
                f"SELECT m.name FROM models m WHERE (m.name {self._sql.among} "
                f"OR substr(m.name, 1, {len(prefix)}) = ?) AND m.chunker = ?"
                f"{self._has_vectors} ORDER BY m.id LIMIT 1",
                (self._sql.array(names), prefix, chunker),
            )
        return self._first[names]

    def dimension(self, model: int) -> int:
        """Return the length of a model's vectors."""
        return self._db.get("SELECT dimension FROM models WHERE id = ?", (model,)) or 0

    def view(self, model: int, space: Space) -> VectorView:
        """Return a namespace's vectors as of its present sequence."""
        return self.load(model, space)

    def load(self, model: int, space: Space) -> VectorView:
        """Load a namespace's vectors into memory, or update the loaded ones."""
        key = (model, space.number)
        view = self._views.get(key)
        if view is None or view.sequence > space.sequence:  # one of a later transaction
            view = self._read(model, space)
        elif view.sequence < space.sequence:
            view = self._updated(view, model, space)
        if key not in self._views or self._views[key].sequence < view.sequence:
            self._views[key] = view
        return view

    def _read(self, model: int, space: Space) -> VectorView:
        return VectorView(space.sequence, *self.after(model, space.name, -1))

    def _updated(self, view: VectorView, model: int, space: Space) -> VectorView:
        sql = (
            f"SELECT 1 FROM changes c WHERE {self._sql.of_ns('c.')} AND c.seq > ?"
            " AND c.op = 'embed' LIMIT 1"
        )
        if (
            view.is_stale(space.chunks)
            or self._db.get(sql, (space.name, view.sequence)) is not None
        ):
            return self._read(model, space)
        last = int(view.ids[-1]) if len(view.ids) else -1
        return view.extended(space.sequence, *self.after(model, space.name, last))

    @abstractmethod
    def after(
        self, model: int, ns: str, chunk: int
    ) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        """Return the vectors of a namespace's chunks after a number, in order."""

    def owners(self, chunks: Sequence[int]) -> dict[int, str]:
        """Return the memories that chunks belong to."""
        within, names = ("", []) if self.ns is None else self._of(self.ns)
        sql = f"SELECT id, memory_id FROM chunks WHERE {within}id {self._sql.among}"
        owners = dict(self._db.rows(sql, (*names, self._sql.array(chunks))))
        return {number: owners[number] for number in chunks if number in owners}

    def put(self, model: int, rows: Sequence[tuple[str, int, bytes]]) -> int:
        """Write vectors as (namespace, chunk, vector) for chunks that still exist."""
        column, names = self._sql.ns_column, sorted({ns for ns, _, _ in rows})
        for ns in names:
            self._db.lock(ns)
        self._db.run_many(
            f"INSERT INTO vectors (model_id, {column}, chunk_id, vector) SELECT ?, {column}, id,"
            f" {self._sql.vector} FROM chunks WHERE {self._of('')[0]}id = ? ON CONFLICT DO NOTHING",
            [
                (model, self._sql.as_vector(vector), *self._of(ns)[1], chunk)
                for ns, chunk, vector in rows
            ],
        )
        for ns in names:
            self._journal.append(ns, "", "embed", "")
        return len(rows)

    def missing(
        self, model: int, after: int, limit: int, ns: str | None = None
    ) -> Iterator[tuple[str, int, str, str | None]]:
        """Yield chunks without a vector of a model as (namespace, chunk, text, source).

        With `ns`, only chunks of that namespace."""
        only, names = ("", []) if ns is None else (f"{self._sql.of_ns('c.')} AND ", [ns])
        return self._lacking(f"{only}c.id > ?", [*names, after], model, limit)

    def lacking(
        self, model: int, ns: str, chunks: Sequence[int]
    ) -> Iterator[tuple[str, int, str, str | None]]:
        """Yield those of a namespace's chunks that have no vector of a model, as `missing` does."""
        return self._lacking(
            f"{self._sql.of_ns('c.')} AND c.id {self._sql.among}",
            [ns, self._sql.array(chunks)],
            model,
            -1,
        )

    def _lacking(
        self, condition: str, values: Sequence[Any], model: int, limit: int
    ) -> Iterator[tuple[str, int, str, str | None]]:
        sql = (
            f"SELECT m.ns, c.id, m.source_user, {self._sql.chunk_text}, m.id, c.start, c.stop"
            f" FROM chunks c JOIN memories m ON {self._sql.same_ns('m', 'c')}m.id = c.memory_id"
            f" WHERE {condition} AND c.chunker <> '' AND NOT EXISTS (SELECT 1 FROM vectors v"
            f" WHERE {self._sql.same_ns('v', 'c')}v.chunk_id = c.id AND v.model_id = ?)"
            " ORDER BY c.id LIMIT ?"
        )
        pieces = Pieces(self._db)
        most = self._sql.no_limit if limit < 0 else limit
        for ns, chunk, source, *piece in self._db.iterate(sql, (*values, model, most)):
            yield ns, chunk, pieces.text(*piece), source

    def plain(self, space: Space) -> int:
        """Count the chunks of a namespace that are found by their words alone."""
        return int(
            self._db.get(
                f"SELECT count(*) FROM chunks WHERE {self._sql.of_ns()} AND chunker = ''",
                (space.name,),
            )
        )

    def counts(self) -> dict[str, int]:
        """Return the number of chunks with a vector by model, and of all chunks under ""."""
        vectors = dict(self._db.rows("SELECT model_id, count(*) FROM vectors GROUP BY 1"))
        models = self._db.rows("SELECT id, name || '/' || dimension FROM models ORDER BY id")
        counts = {name: vectors.get(model, 0) for model, name in models}
        counts[""] = self._db.get("SELECT count(*) FROM chunks WHERE chunker <> ''")
        return counts

    def drop_others(self, model: int) -> int:
        """Delete the vectors of every other model and return their number."""
        gone = self._db.change("DELETE FROM vectors WHERE model_id <> ?", (model,))
        self._db.run("DELETE FROM spare_vectors WHERE model_id <> ?", (model,))
        self._db.run("DELETE FROM models WHERE id <> ?", (model,))
        self._views.clear()
        self._first.clear()
        self._found.clear()
        return gone
