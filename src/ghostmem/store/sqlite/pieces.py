"""The texts of chunks, cut from the contents of their memories."""

from ghostmem.store.sqlite.database import SqliteDb

_MAX_KEPT = 8


class Pieces:
    """The long contents of a transaction, a few at a time, each read once."""

    def __init__(self, db: SqliteDb) -> None:
        self._db = db
        self._contents: dict[str, str] = {}

    def text(self, piece: str | None, memory_id: str, start: int, stop: int) -> str:
        """Return the text of a chunk, from the column `PIECE` or from its content."""
        if piece is not None:
            return piece
        if memory_id not in self._contents:
            if len(self._contents) >= _MAX_KEPT:
                self._contents.clear()
            self._contents[memory_id] = self._db.execute(
                "SELECT content FROM memories WHERE id = ?", (memory_id,)
            ).get
        return self._contents[memory_id][start:stop]
