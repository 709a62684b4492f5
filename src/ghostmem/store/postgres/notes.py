"""Folders of notes: what of them was indexed, where their sections lie, and the vectors of what
left them.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Folder, Note, NsFilter, Place
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.places import Places
from ghostmem.store.postgres.where import ns_condition
from ghostmem.store.records import FOLDER, NOTE, folder_of, names_of, note_of, note_row, stamp

_FOLDER = f"SELECT {FOLDER} FROM note_folders"
_NOTE = f"SELECT {NOTE} FROM notes WHERE ns = %s AND folder_id = %s"
_SECTIONS = "FROM notes n JOIN note_sections s ON s.ns = n.ns AND s.note_id = n.id"
_IN_FOLDER = "WHERE n.ns = %s AND n.folder_id = %s"
# the chunks of a memory with the hashes of their texts, bound with its namespace, id and hashes
_NUMBERED = (
    "(SELECT ns, id, chunker, row_number() OVER (ORDER BY seq) AS place FROM chunks WHERE "
    "ns = %s AND memory_id = %s) c"
    " JOIN unnest(%s::text[]) WITH ORDINALITY AS h (hash, place) ON h.place = c.place"
)


class PostgresNotes:
    """The notes of all folders; they live in the namespace of their folder."""

    def __init__(self, db: Db, places: Places) -> None:
        self._db = db
        self._places = places
        self._folders: dict[int, str] = {}
        self._notes: dict[str, str] = {}

    def _of_folder(self, folder_id: int) -> str | None:
        """Return the namespace of a folder."""
        if folder_id not in self._folders:
            ns = self._db.get("SELECT ns FROM note_folders WHERE id = %s", (folder_id,))
            if ns is None:
                return None
            self._folders[folder_id] = ns
        return self._folders[folder_id]

    def _of_note(self, note_id: str) -> str | None:
        """Return the namespace of a note.

        One that was never seen is looked for in those that have folders.
        """
        if note_id not in self._notes:
            ns = self._db.get(
                "SELECT ns FROM notes WHERE id = %s AND ns IN (SELECT ns FROM note_folders)",
                (note_id,),
            )
            if ns is None:
                return None
            self._notes[note_id] = ns
        return self._notes[note_id]

    def _folder(self, row: Sequence[Any]) -> Folder:
        found = folder_of(row)
        self._folders[found.id] = found.ns
        return found

    def _read(self, folder_id: int, tail: str, *values: str) -> list[Note]:
        ns = self._of_folder(folder_id)
        found = (
            []
            if ns is None
            else [
                note_of(row) for row in self._db.rows(f"{_NOTE} {tail}", (ns, folder_id, *values))
            ]
        )
        self._notes.update((note.id, ns) for note in found if ns is not None)
        return found

    def folders(self, ns: NsFilter) -> list[Folder]:
        """Return the folders whose namespace passes a filter."""
        where, values = ns_condition(ns, "ns")
        return [
            self._folder(row)
            for row in self._db.rows(f"{_FOLDER} WHERE {where} ORDER BY id", values)
        ]

    def add_folder(
        self, root: str, layout: str, ns: str, at: datetime, source_kind: str | None = None
    ) -> Folder:
        """Write down a folder, or return the one that is there, with another source kind if one is
        given.
        """
        sql = (
            "INSERT INTO note_folders (root, layout, ns, added_at) VALUES (%s, %s, %s, "
            "%s) ON CONFLICT (root, layout) DO NOTHING"
        )
        self._db.run(sql, (root, layout, ns, format_time(at)))
        if source_kind is not None:
            changed = "UPDATE note_folders SET source_kind = %s WHERE root = %s AND layout = %s"
            self._db.run(changed, (str(source_kind), root, layout))
        return self._folder(
            self._db.row(f"{_FOLDER} WHERE root = %s AND layout = %s", (root, layout))
        )

    def drop_folder(self, folder_id: int) -> None:
        """Forget a folder and all that is known of its notes."""
        self._db.run(
            "DELETE FROM notes WHERE ns = %s AND folder_id = %s",
            (self._of_folder(folder_id), folder_id),
        )
        self._db.run("DELETE FROM note_folders WHERE id = %s", (folder_id,))
        self._folders.pop(folder_id, None)
        self._notes.clear()

    def reconciled(self, folder_id: int, at: datetime | None, unavailable: str) -> None:
        """Write down how a look at a folder ended; without a time it did not come to its end."""
        sql = (
            "UPDATE note_folders SET reconciled_at = coalesce(%s, reconciled_at), "
            "unavailable = %s WHERE id = %s"
        )
        self._db.run(sql, (stamp(at), unavailable, folder_id))

    def known(self, folder_id: int) -> dict[str, Note]:
        """Return the notes of a folder by their paths."""
        return {note.path: note for note in self._read(folder_id, "ORDER BY path")}

    def stats(self, folder_id: int) -> tuple[dict[str, tuple[int, int, int]], dict[str, str], bool]:
        """Return the stats of a folder's notes by their paths, what is wrong with some, and whether
        any was missing.
        """
        sql = (
            "SELECT path, size, mtime_ns, inode, problem, missing_at FROM notes WHERE ns "
            "= %s AND folder_id = %s ORDER BY path"
        )
        rows = self._db.rows(sql, (self._of_folder(folder_id), folder_id))
        wrong = {row[0]: row[4] for row in rows if row[4]}
        return (
            {row[0]: (row[1], row[2], int(row[3])) for row in rows},
            wrong,
            any(row[5] for row in rows),
        )

    def at(self, folder_id: int, path: str) -> Note | None:
        """Return the note that is known under a path."""
        return next(iter(self._read(folder_id, "AND digest = md5(%s)", path)), None)

    def put(self, folder_id: int, note: Note) -> None:
        """Write down a note, under another path if it moved."""
        ns = self._of_folder(folder_id)
        sql = "DELETE FROM notes WHERE ns = %s AND folder_id = %s AND digest = md5(%s) AND id <> %s"
        self._db.run(sql, (ns, folder_id, note.path, note.id))
        sets = ", ".join(f"{name} = excluded.{name}" for name in NOTE.split(", ")[1:])
        sql = (
            f"INSERT INTO notes (ns, folder_id, {NOTE}) VALUES (%s, %s, %s, %s, %s, %s, "
            "%s, %s, %s, %s, %s)"
            f" ON CONFLICT (ns, id) DO UPDATE SET {sets}"
        )
        self._db.run(sql, (ns, folder_id, *note_row(note)))
        if ns is not None:
            self._notes[note.id] = ns

    def drop(self, note_id: str) -> None:
        """Forget a note; its sections are to be removed first."""
        self._db.run(
            "DELETE FROM notes WHERE ns = %s AND id = %s", (self._of_note(note_id), note_id)
        )
        self._notes.pop(note_id, None)

    def sections(self, note_id: str) -> dict[str, tuple[str, int, str]]:
        """Return a note's sections by the ids of their memories, as (name, line, hash)."""
        ns = self._of_note(note_id)
        sql = (
            "SELECT memory_id, name, line, hash FROM note_sections WHERE ns = %s AND "
            "note_id = %s ORDER BY memory_id"
        )
        found = {row[0]: (row[1], row[2], row[3]) for row in self._db.rows(sql, (ns, note_id))}
        self._places.saw(ns or "", found)
        return found

    def put_section(self, memory_id: str, note_id: str, name: str, line: int, digest: str) -> None:
        """Say which section of which note a memory is."""
        sql = (
            "INSERT INTO note_sections (ns, memory_id, note_id, name, line, hash) VALUES "
            "(%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (ns, memory_id) DO UPDATE SET note_id = excluded.note_id, name = "
            "excluded.name,"
            " line = excluded.line, hash = excluded.hash"
        )
        self._db.run(sql, (self._places.one(memory_id), memory_id, note_id, name, line, digest))

    def drop_section(self, memory_id: str) -> None:
        """Say that a memory is no section of a note any more."""
        ns = self._places.one(memory_id)
        for table in ("note_sections", "note_links"):
            self._db.run(f"DELETE FROM {table} WHERE ns = %s AND memory_id = %s", (ns, memory_id))

    def section_ids(self, folder_id: int) -> list[str]:
        """Return the memories that are sections of a folder's notes."""
        ns = self._of_folder(folder_id)
        rows = self._db.rows(
            f"SELECT s.memory_id {_SECTIONS} {_IN_FOLDER} ORDER BY n.path, s.memory_id",
            (ns, folder_id),
        )
        found = [memory_id for (memory_id,) in rows]
        self._places.saw(ns or "", found)
        return found

    def places(self, memory_ids: Iterable[str]) -> dict[str, Place]:
        """Return where those of some memories lie that are sections of notes."""
        sql = (
            f"SELECT s.memory_id, f.id, f.root, n.path, s.line {_SECTIONS} JOIN "
            "note_folders f ON f.id = n.folder_id"
            " WHERE n.ns = %s AND s.ns = %s AND s.memory_id = ANY(%s)"
        )
        found: dict[str, Place] = {}
        for ns, ids in self._places.of(memory_ids).items():
            found.update((row[0], Place(*row[1:])) for row in self._db.rows(sql, (ns, ns, ids)))
        return found

    def move_file(self, memory_id: str, path: str, at: datetime) -> None:
        """Say that a section's file has another path."""
        ns = self._places.one(memory_id)
        self._db.run("DELETE FROM memory_files WHERE ns = %s AND memory_id = %s", (ns, memory_id))
        sql = (
            "INSERT INTO memory_files (ns, memory_id, path, rel, created_at) VALUES (%s, "
            "%s, %s, 'read', %s)"
        )
        self._db.run(sql, (ns, memory_id, path, format_time(at)))

    def targets(self, folder_id: int) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """Return what links may lead to, as (memory, section, path, names), in order of paths and
        lines.
        """
        sql = (
            f"SELECT s.memory_id, s.name, n.path, n.names {_SECTIONS} {_IN_FOLDER} ORDER "
            "BY n.path, s.line, s.memory_id"
        )
        ns = self._of_folder(folder_id)
        rows = self._db.rows(sql, (ns, folder_id))
        self._places.saw(ns or "", (row[0] for row in rows))
        return [(memory, name, path, names_of(names)) for memory, name, path, names in rows]

    def links(self, folder_id: int) -> list[tuple[str, str, str, str | None]]:
        """Return the links of a folder's notes, as (memory, word, target, memory it leads to)."""
        sql = (
            f"SELECT l.memory_id, l.word, l.target, l.to_id {_SECTIONS}"
            f" JOIN note_links l ON l.ns = s.ns AND l.memory_id = s.memory_id {_IN_FOLDER} "
            "ORDER BY 1, 2, 3"
        )
        ns = self._of_folder(folder_id)
        rows = self._db.rows(sql, (ns, folder_id))
        self._places.saw(ns or "", (row[0] for row in rows))
        return rows

    def links_of(self, memory_id: str) -> list[tuple[str, str, str | None]]:
        """Return the links of a section, as (word, target, memory it leads to)."""
        sql = (
            "SELECT word, target, to_id FROM note_links WHERE ns = %s AND memory_id = %s "
            "ORDER BY word, target"
        )
        return self._db.rows(sql, (self._places.one(memory_id), memory_id))

    def put_link(self, memory_id: str, word: str, target: str, to_id: str | None) -> None:
        """Write down a link, and what it leads to if that is there."""
        sql = (
            "INSERT INTO note_links (ns, memory_id, word, target, to_id) VALUES (%s, %s, "
            "%s, %s, %s)"
            " ON CONFLICT (ns, memory_id, digest) DO UPDATE SET to_id = excluded.to_id"
        )
        self._db.run(sql, (self._places.one(memory_id), memory_id, word, target, to_id))

    def drop_link(self, memory_id: str, word: str, target: str) -> None:
        """Forget a link."""
        sql = (
            "DELETE FROM note_links WHERE ns = %s AND memory_id = %s AND digest = md5(%s "
            "|| chr(31) || %s)"
        )
        self._db.run(sql, (self._places.one(memory_id), memory_id, word, target))

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks, in order known by these hashes, for when the same
        text comes back.
        """
        ns = self._places.one(memory_id)
        sql = (
            "INSERT INTO spare_vectors (ns, hash, model_id, vector, left_at)"
            " SELECT DISTINCT ON (h.hash, v.model_id) v.ns, h.hash, v.model_id, v.vector, %s"
            f" FROM {_NUMBERED} JOIN vectors v ON v.ns = c.ns AND v.chunk_id = c.id WHERE v.ns = %s"
            " ORDER BY h.hash, v.model_id, h.place DESC ON CONFLICT (ns, hash, model_id)"
            " DO UPDATE SET vector = excluded.vector, left_at = excluded.left_at"
        )
        self._db.run(sql, (format_time(at), ns, memory_id, list(hashes), ns))

    def reuse(self, memory_id: str, hashes: Sequence[str], section: str) -> int:
        """Give a memory's chunks vectors that are there for their texts: kept ones, or those of
        another section that is the same.

        Returns how many chunks have one now.
        """
        ns = self._places.one(memory_id)
        into = (
            "INSERT INTO vectors (ns, model_id, chunk_id, vector) SELECT c.ns, "
            "v.model_id, c.id, v.vector FROM"
        )
        self._db.run(
            f"{into} {_NUMBERED} JOIN spare_vectors v ON v.ns = c.ns AND v.hash = h.hash"
            " JOIN models m ON m.id = v.model_id AND m.chunker = c.chunker WHERE v.ns = %s "
            "ON CONFLICT DO NOTHING",
            (ns, memory_id, list(hashes), ns),
        )
        twin = (
            "SELECT memory_id FROM note_sections WHERE ns = %s AND hash = %s AND "
            "memory_id <> %s ORDER BY memory_id LIMIT 1"
        )
        other = self._db.get(twin, (ns, section, memory_id))
        if other is not None:
            self._db.run(
                f"{into} chunks c JOIN chunks o ON o.ns = c.ns AND o.seq = c.seq AND "
                "o.stop - o.start = c.stop - c.start"
                " AND o.chunker = c.chunker JOIN vectors v ON v.ns = o.ns AND v.chunk_id = o.id"
                " WHERE c.ns = %s AND o.memory_id = %s AND c.memory_id = %s ON CONFLICT DO NOTHING",
                (ns, other, memory_id),
            )
        sql = (
            "SELECT count(DISTINCT c.id) FROM chunks c JOIN vectors v ON v.ns = c.ns AND "
            "v.chunk_id = c.id"
            " WHERE c.ns = %s AND c.memory_id = %s"
        )
        found: int = self._db.get(sql, (ns, memory_id))
        return found

    def prune(self, before: datetime) -> int:
        """Drop vectors that were kept for nothing since a time."""
        return self._db.run("DELETE FROM spare_vectors WHERE left_at < %s", (format_time(before),))
