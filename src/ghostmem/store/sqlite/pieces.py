"""The texts of chunks, cut from the contents that they are pieces of."""

from ghostmem.store.sqlite.database import SqliteDb

# SQLite reads all of a content to cut a piece from it: once for each chunk, which makes a long
# memory slow.
PIECE = (
    "CASE WHEN octet_length(m.content) <= 100000 THEN substr(m.content, c.start + 1, "
    "c.stop - c.start) END"
)
"""The text of a chunk as a column; NULL for a long content, which `Pieces` reads once."""

_MAX_KEPT = 8


class Pieces:
    """The long contents of a transaction, a few at a time, each read once."""

    def __init__(self, db: SqliteDb) -> None:
        self._db = db
        self._contents: dict[str, str] = {}

    def text(self, piece: str | None, memory_id: str, start: int, stop: int) -> str:
        """Return the text of a chunk, given what the column `PIECE` says."""
        if piece is not None:
            return piece
        if memory_id not in self._contents:
            if len(self._contents) >= _MAX_KEPT:
                self._contents.clear()
            self._contents[memory_id] = self._db.execute(
                "SELECT content FROM memories WHERE id = ?", (memory_id,)
            ).get
        return self._contents[memory_id][start:stop]
