"""The vectors of notes in SQLite."""

from collections.abc import Sequence
from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.notes import Notes

_INTO = "INSERT OR IGNORE INTO vectors SELECT v.model_id, c.ns_id, c.id, v.vector FROM"


class SqliteNotes(Notes):
    """The notes of all folders."""

    def _chunks(self, memory_id: str) -> list[tuple[int]]:
        return self._db.rows("SELECT id FROM chunks WHERE memory_id = ? ORDER BY seq", (memory_id,))

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks by the hashes of their texts, for reuse."""
        sql = (
            "INSERT OR REPLACE INTO spare_vectors SELECT model_id, ?, vector, ? FROM "
            "vectors WHERE chunk_id = ?"
        )
        for (chunk,), digest in zip(self._chunks(memory_id), hashes, strict=False):
            self._db.run(sql, (digest, format_time(at), chunk))

    def reuse(self, memory_id: str, hashes: Sequence[str], section: str) -> int:
        """Give a memory's chunks vectors that exist for their texts, and count those chunks."""
        sql = (
            f"{_INTO} spare_vectors v, chunks c WHERE v.hash = ? AND c.id = ?"
            " AND v.model_id IN (SELECT id FROM models WHERE chunker = c.chunker)"
        )
        for (chunk,), digest in zip(self._chunks(memory_id), hashes, strict=False):
            self._db.run(sql, (digest, chunk))
        if (twin := self._twin(memory_id, section)) is not None:
            self._db.run(
                f"{_INTO} chunks c JOIN chunks o ON o.memory_id = ? AND o.seq = c.seq"
                " AND o.stop - o.start = c.stop - c.start AND o.chunker = c.chunker"
                " JOIN vectors v ON v.chunk_id = o.id WHERE c.memory_id = ?",
                (twin, memory_id),
            )
        return self._count_vectors(memory_id)
