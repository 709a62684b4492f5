"""The vectors of notes in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.notes import Notes

# the chunks of a memory with the hashes of their texts, bound with its namespace, id and hashes
_NUMBERED = (
    "(SELECT ns, id, chunker, row_number() OVER (ORDER BY seq) AS place FROM chunks"
    " WHERE ns = ? AND memory_id = ?) c"
    " JOIN unnest(?::text[]) WITH ORDINALITY AS h (hash, place) ON h.place = c.place"
)
_INTO = (
    "INSERT INTO vectors (ns, model_id, chunk_id, vector)"
    " SELECT c.ns, v.model_id, c.id, v.vector FROM"
)


class PostgresNotes(Notes):
    """The notes of all folders."""

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks by the hashes of their texts, for reuse."""
        (ns,) = self._owner(memory_id)
        self._db.run(
            "INSERT INTO spare_vectors (ns, hash, model_id, vector, left_at)"
            " SELECT DISTINCT ON (h.hash, v.model_id) v.ns, h.hash, v.model_id, v.vector, ?"
            f" FROM {_NUMBERED} JOIN vectors v ON v.ns = c.ns AND v.chunk_id = c.id WHERE v.ns = ?"
            " ORDER BY h.hash, v.model_id, h.place DESC ON CONFLICT (ns, hash, model_id)"
            " DO UPDATE SET vector = excluded.vector, left_at = excluded.left_at",
            (format_time(at), ns, memory_id, list(hashes), ns),
        )

    def reuse(self, memory_id: str, hashes: Sequence[str], section: str) -> int:
        """Give a memory's chunks vectors that exist for their texts, and count those chunks."""
        (ns,) = self._owner(memory_id)
        self._db.run(
            f"{_INTO} {_NUMBERED} JOIN spare_vectors v ON v.ns = c.ns AND v.hash = h.hash"
            " JOIN models m ON m.id = v.model_id AND m.chunker = c.chunker WHERE v.ns = ?"
            " ON CONFLICT DO NOTHING",
            (ns, memory_id, list(hashes), ns),
        )
        if (twin := self._twin(memory_id, section)) is not None:
            self._db.run(
                f"{_INTO} chunks c JOIN chunks o ON o.ns = c.ns AND o.seq = c.seq"
                " AND o.stop - o.start = c.stop - c.start AND o.chunker = c.chunker"
                " JOIN vectors v ON v.ns = o.ns AND v.chunk_id = o.id"
                " WHERE c.ns = ? AND o.memory_id = ? AND c.memory_id = ? ON CONFLICT DO NOTHING",
                (ns, twin, memory_id),
            )
        return self._count_vectors(memory_id)
