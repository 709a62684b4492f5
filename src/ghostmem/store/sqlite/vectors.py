"""Vectors as rows, and the view of them that stays in memory between searches."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import apsw
import numpy as np

from ghostmem.store.nearest import VectorView
from ghostmem.store.rows import Space
from ghostmem.store.sqlite.journal import SqliteJournal
from ghostmem.store.sqlite.pieces import PIECE, Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

Views = dict[tuple[int, int], VectorView]  # by model and namespace


class SqliteVectors:
    """Vectors by model and namespace; different models are never mixed."""

    def __init__(self, db: apsw.Connection, views: Views, journal: SqliteJournal) -> None:
        self._db = db
        self._journal = journal
        self._views = views

    def model(self, name: str, dimension: int, chunker: str) -> int:
        """Return the number of a model, giving it one on first sight."""
        found = self.find(name, dimension, chunker)
        if found is None:
            self._db.execute(
                "INSERT INTO models (name, dimension, chunker) VALUES (?, ?, ?)",
                (name, dimension, chunker),
            )
            found = self._db.last_insert_rowid()
        return found

    def find(self, name: str, dimension: int, chunker: str) -> int | None:
        """Return the number of a model if vectors of it may be here.

        Dimension 0 is one that its provider has not told yet.
        """
        if dimension == 0:
            sql = "SELECT max(id) FROM models WHERE name = ? AND chunker = ?"
            latest: int | None = self._db.execute(sql, (name, chunker)).get
            return latest
        sql = "SELECT id FROM models WHERE name = ? AND dimension = ? AND chunker = ?"
        found: int | None = self._db.execute(sql, (name, dimension, chunker)).get
        return found

    def dimension(self, model: int) -> int:
        """Return how long a model's vectors are."""
        return int(self._db.execute("SELECT dimension FROM models WHERE id = ?", (model,)).get)

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

    def _must_reload(self, known: VectorView, space: Space) -> bool:
        filled = self._db.execute(
            "SELECT 1 FROM changes WHERE ns_id = ? AND seq > ? AND op = 'embed' LIMIT 1",
            (space.number, known.sequence),
        ).get
        return filled is not None or known.is_stale(space.chunks)

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
            self._journal.append(space, "", "embed", "")
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

    def counts(self) -> dict[str, int]:
        """Return how many chunks have a vector, by model, and how many chunks there are."""
        found = dict(
            self._db.execute(
                "SELECT m.name || '/' || m.dimension, count(v.chunk_id) FROM models m"
                " LEFT JOIN vectors v ON v.model_id = m.id GROUP BY m.id"
            )
        )
        found[""] = self._db.execute("SELECT count(*) FROM chunks WHERE chunker <> ''").get
        return found

    def plain(self, space: int) -> int:
        """Count the chunks of a namespace that are found by their words alone."""
        found: int = self._db.execute(
            "SELECT count(*) FROM chunks WHERE ns_id = ? AND chunker = ''", (space,)
        ).get
        return found

    def drop_others(self, model: int) -> int:
        """Delete the vectors of every other model."""
        self._db.execute("DELETE FROM vectors WHERE model_id <> ?", (model,))
        gone = self._db.changes()
        self._db.execute("DELETE FROM models WHERE id <> ?", (model,))
        self._views.clear()
        return gone
