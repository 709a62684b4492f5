"""Notes in PostgreSQL, found by the namespaces of their folders."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Folder, Note
from ghostmem.store.database import Database, Location
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
    """The notes of all folders, with the namespaces of those that this transaction has read."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._folders: dict[int, str] = {}
        self._notes: dict[str, str] = {}

    def _of_folder(self, folder_id: int) -> Location:
        if folder_id not in self._folders:
            ns = self._db.get("SELECT ns FROM note_folders WHERE id = ?", (folder_id,))
            if ns is None:
                return ("",)
            self._folders[folder_id] = ns
        return (self._folders[folder_id],)

    def _of_note(self, note_id: str) -> Location:
        if note_id not in self._notes:
            sql = "SELECT ns FROM notes WHERE id = ? AND ns IN (SELECT ns FROM note_folders)"
            ns = self._db.get(sql, (note_id,))
            if ns is None:
                return ("",)
            self._notes[note_id] = ns
        return (self._notes[note_id],)

    def _folder(self, row: Sequence[Any]) -> Folder:
        folder = super()._folder(row)
        self._folders[folder.id] = folder.ns
        return folder

    def _read(self, folder_id: int, tail: str, *values: str) -> list[Note]:
        notes = super()._read(folder_id, tail, *values)
        (ns,) = self._of_folder(folder_id)
        self._notes.update((note.id, ns) for note in notes)
        return notes

    def drop_folder(self, folder_id: int) -> None:
        """Delete a folder and its notes from the store."""
        super().drop_folder(folder_id)
        self._folders.pop(folder_id, None)
        self._notes.clear()

    def put(self, folder_id: int, note: Note) -> None:
        """Write a note, under another path if it moved."""
        super().put(folder_id, note)
        (self._notes[note.id],) = self._of_folder(folder_id)

    def drop(self, note_id: str) -> None:
        """Delete a note; its sections must be removed first."""
        super().drop(note_id)
        self._notes.pop(note_id, None)

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks by the hashes of their texts, for reuse."""
        (ns,) = self._db.place(memory_id)
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
        (ns,) = self._db.place(memory_id)
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
