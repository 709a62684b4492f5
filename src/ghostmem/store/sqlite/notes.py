"""Folders of notes: what of them was indexed, where their sections lie, and the vectors of what
left them.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw

from ghostmem.clock import format_time
from ghostmem.model import Folder, Note, NsFilter, Place
from ghostmem.store.records import FOLDER, NOTE, folder_of, names_of, note_of, note_row, stamp
from ghostmem.store.sqlite.where import ns_condition

_FOLDER = f"SELECT {FOLDER} FROM note_folders"
_NOTE = f"SELECT {NOTE} FROM notes"


class SqliteNotes:
    """The notes of all folders."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def folders(self, ns: NsFilter) -> list[Folder]:
        """Return the folders whose namespace passes a filter."""
        where, values = ns_condition(ns, "ns")
        return [
            folder_of(row)
            for row in self._db.execute(f"{_FOLDER} WHERE {where} ORDER BY id", values)
        ]

    def add_folder(
        self, root: str, layout: str, ns: str, at: datetime, source_kind: str | None = None
    ) -> Folder:
        """Write down a folder, or return the one that is there, with another source kind if one is
        given.
        """
        self._db.execute(
            "INSERT OR IGNORE INTO note_folders (root, layout, ns, added_at) VALUES (?, ?, ?, ?)",
            (root, layout, ns, format_time(at)),
        )
        if source_kind is not None:
            self._db.execute(
                "UPDATE note_folders SET source_kind = ? WHERE root = ? AND layout = ?",
                (str(source_kind), root, layout),
            )
        return next(
            folder_of(row)
            for row in self._db.execute(f"{_FOLDER} WHERE root = ? AND layout = ?", (root, layout))
        )

    def drop_folder(self, folder_id: int) -> None:
        """Forget a folder and all that is known of its notes."""
        self._db.execute("DELETE FROM note_folders WHERE id = ?", (folder_id,))

    def reconciled(self, folder_id: int, at: datetime | None, unavailable: str) -> None:
        """Write down how a look at a folder ended; without a time it did not come to its end."""
        self._db.execute(
            "UPDATE note_folders SET reconciled_at = coalesce(?, reconciled_at), "
            "unavailable = ? WHERE id = ?",
            (stamp(at), unavailable, folder_id),
        )

    def known(self, folder_id: int) -> dict[str, Note]:
        """Return the notes of a folder by their paths."""
        return {
            row[1]: note_of(row)
            for row in self._db.execute(f"{_NOTE} WHERE folder_id = ?", (folder_id,))
        }

    def stats(self, folder_id: int) -> tuple[dict[str, tuple[int, int, int]], dict[str, str], bool]:
        """Return the stats of a folder's notes by their paths, what is wrong with some, and whether
        any was missing.
        """
        sql = (
            "SELECT path, size, mtime_ns, inode, problem, missing_at FROM notes WHERE folder_id = ?"
        )
        rows: list[Any] = self._db.execute(sql, (folder_id,)).fetchall()
        wrong = {row[0]: row[4] for row in rows if row[4]}
        return {row[0]: row[1:4] for row in rows}, wrong, any(row[5] for row in rows)

    def at(self, folder_id: int, path: str) -> Note | None:
        """Return the note that is known under a path."""
        row = self._db.execute(
            f"{_NOTE} WHERE folder_id = ? AND path = ?", (folder_id, path)
        ).fetchone()
        return None if row is None else note_of(row)

    def put(self, folder_id: int, note: Note) -> None:
        """Write down a note, under another path if it moved."""
        self._db.execute(
            "DELETE FROM notes WHERE folder_id = ? AND path = ? AND id <> ?",
            (folder_id, note.path, note.id),
        )
        self._db.execute(
            f"INSERT INTO notes (folder_id, {NOTE})"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO UPDATE "
            "SET path = ?3, size = ?4,"
            " mtime_ns = ?5, inode = ?6, hash = ?7, names = ?8, problem = ?9, missing_at = ?10",
            (folder_id, *note_row(note)),
        )

    def drop(self, note_id: str) -> None:
        """Forget a note; its sections are to be removed first."""
        self._db.execute("DELETE FROM notes WHERE id = ?", (note_id,))

    def sections(self, note_id: str) -> dict[str, tuple[str, int, str]]:
        """Return a note's sections by the ids of their memories, as (name, line, hash)."""
        sql = "SELECT memory_id, name, line, hash FROM note_sections WHERE note_id = ?"
        return {row[0]: (row[1], row[2], row[3]) for row in self._db.execute(sql, (note_id,))}

    def put_section(self, memory_id: str, note_id: str, name: str, line: int, digest: str) -> None:
        """Say which section of which note a memory is."""
        self._db.execute(
            "INSERT OR REPLACE INTO note_sections VALUES (?, ?, ?, ?, ?)",
            (memory_id, note_id, name, line, digest),
        )

    def drop_section(self, memory_id: str) -> None:
        """Say that a memory is no section of a note any more."""
        self._db.execute("DELETE FROM note_sections WHERE memory_id = ?", (memory_id,))
        self._db.execute("DELETE FROM note_links WHERE memory_id = ?", (memory_id,))

    def section_ids(self, folder_id: int) -> list[str]:
        """Return the memories that are sections of a folder's notes."""
        sql = (
            "SELECT s.memory_id FROM notes n JOIN note_sections s ON s.note_id = n.id "
            "WHERE n.folder_id = ?"
        )
        return [memory_id for (memory_id,) in self._db.execute(sql, (folder_id,))]

    def places(self, memory_ids: Iterable[str]) -> dict[str, Place]:
        """Return where those of some memories lie that are sections of notes."""
        sql = (
            "SELECT s.memory_id, f.id, f.root, n.path, s.line FROM json_each(?) j JOIN "
            "note_sections s ON s.memory_id = j.value"
            " JOIN notes n ON n.id = s.note_id JOIN note_folders f ON f.id = n.folder_id"
        )
        return {
            row[0]: Place(*row[1:])
            for row in self._db.execute(sql, (json.dumps(list(memory_ids)),))
        }

    def move_file(self, memory_id: str, path: str, at: datetime) -> None:
        """Say that a section's file has another path."""
        self._db.execute("DELETE FROM memory_files WHERE memory_id = ?", (memory_id,))
        self._db.execute(
            "INSERT INTO memory_files VALUES (?, ?, 'read', ?)", (memory_id, path, format_time(at))
        )

    def targets(self, folder_id: int) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """Return what links may lead to, as (memory, section, path, names), in order of paths and
        lines.
        """
        sql = (
            "SELECT s.memory_id, s.name, n.path, n.names FROM notes n JOIN note_sections s "
            "ON s.note_id = n.id"
            " WHERE n.folder_id = ? ORDER BY n.path, s.line"
        )
        return [
            (memory, name, path, names_of(names))
            for memory, name, path, names in self._db.execute(sql, (folder_id,))
        ]

    def links(self, folder_id: int) -> list[tuple[str, str, str, str | None]]:
        """Return the links of a folder's notes, as (memory, word, target, memory it leads to)."""
        sql = (
            "SELECT l.memory_id, l.word, l.target, l.to_id FROM notes n JOIN note_sections "
            "s ON s.note_id = n.id"
            " JOIN note_links l ON l.memory_id = s.memory_id WHERE n.folder_id = ? ORDER BY 1, 2, 3"
        )
        return list(self._db.execute(sql, (folder_id,)))

    def links_of(self, memory_id: str) -> list[tuple[str, str, str | None]]:
        """Return the links of a section, as (word, target, memory it leads to)."""
        return list(
            self._db.execute(
                "SELECT word, target, to_id FROM note_links WHERE memory_id = ?", (memory_id,)
            )
        )

    def put_link(self, memory_id: str, word: str, target: str, to_id: str | None) -> None:
        """Write down a link, and what it leads to if that is there."""
        self._db.execute(
            "INSERT OR REPLACE INTO note_links VALUES (?, ?, ?, ?)",
            (memory_id, word, target, to_id),
        )

    def drop_link(self, memory_id: str, word: str, target: str) -> None:
        """Forget a link."""
        self._db.execute(
            "DELETE FROM note_links WHERE memory_id = ? AND word = ? AND target = ?",
            (memory_id, word, target),
        )

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks, in order known by these hashes, for when the same
        text comes back.
        """
        sql = (
            "INSERT OR REPLACE INTO spare_vectors SELECT model_id, ?, vector, ? FROM "
            "vectors WHERE chunk_id = ?"
        )
        numbers = self._db.execute(
            "SELECT id FROM chunks WHERE memory_id = ? ORDER BY seq", (memory_id,)
        ).fetchall()
        for (chunk,), known in zip(numbers, hashes, strict=False):
            self._db.execute(sql, (known, format_time(at), chunk))

    def reuse(self, memory_id: str, hashes: Sequence[str], section: str) -> int:
        """Give a memory's chunks vectors that are there for their texts: kept ones, or those of
        another section that is the same.

        Returns how many chunks have one now.
        """
        kept = (
            "INSERT OR IGNORE INTO vectors SELECT v.model_id, c.ns_id, c.id, v.vector FROM "
            "spare_vectors v, chunks c"
            " WHERE v.hash = ? AND c.id = ? AND v.model_id IN (SELECT id FROM models WHERE "
            "chunker = c.chunker)"
        )
        numbers = self._db.execute(
            "SELECT id FROM chunks WHERE memory_id = ? ORDER BY seq", (memory_id,)
        ).fetchall()
        for (chunk,), known in zip(numbers, hashes, strict=False):
            self._db.execute(kept, (known, chunk))
        twin = "SELECT memory_id FROM note_sections WHERE hash = ? AND memory_id <> ? LIMIT 1"
        other = self._db.execute(twin, (section, memory_id)).get
        if other is not None:
            self._db.execute(
                "INSERT OR IGNORE INTO vectors SELECT v.model_id, c.ns_id, c.id, v.vector "
                "FROM chunks c"
                " JOIN chunks o ON o.memory_id = ? AND o.seq = c.seq AND o.stop - o.start "
                "= c.stop - c.start"
                " AND o.chunker = c.chunker JOIN vectors v ON v.chunk_id = o.id WHERE "
                "c.memory_id = ?",
                (other, memory_id),
            )
        sql = (
            "SELECT count(DISTINCT c.id) FROM chunks c JOIN vectors v ON v.chunk_id = "
            "c.id WHERE c.memory_id = ?"
        )
        found: int = self._db.execute(sql, (memory_id,)).get
        return found

    def prune(self, before: datetime) -> int:
        """Drop vectors that were kept for nothing since a time."""
        self._db.execute("DELETE FROM spare_vectors WHERE left_at < ?", (format_time(before),))
        return self._db.changes()
