"""Folders of notes: the state of their index, their sections, and vectors kept for reuse."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Folder, Note, NsFilter, Place, Stat
from ghostmem.store.database import Database, Part, StoreTable
from ghostmem.store.filters import ns_part
from ghostmem.store.records import CODECS, RowType, time_of
from ghostmem.store.tables import BY_NAME

_FOLDER = RowType("note_folders", Folder)
_NOTE = BY_NAME["notes"].columns[1:]  # path id size mtime_ns inode hash names problem missing_at
_SECTION = BY_NAME["note_sections"].columns
_LINK = BY_NAME["note_links"].columns


def _names_of(text: str) -> tuple[str, ...]:
    return CODECS["list"].read(text) if text else ()


def _note_of(row: Sequence[Any]) -> Note:
    path, id_, size, mtime_ns, inode, digest, names, problem, missing_at = row
    stat = Stat(size, mtime_ns, int(inode))
    return Note(id_, path, stat, digest, _names_of(names), problem, time_of(missing_at))


def _note_row(note: Note) -> tuple[Any, ...]:
    names = CODECS["list"].write(note.names) if note.names else ""
    missing_at = None if note.missing_at is None else format_time(note.missing_at)
    return (note.path, note.id, *note.stat, note.hash, names, note.problem, missing_at)


class Notes(StoreTable):
    """The notes of all folders; they belong to the namespace of their folder."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        join = f"ON {self._sql.same_ns('s', 'n')}s.note_id = n.id"
        self._sections = f"FROM notes n JOIN note_sections s {join}"

    def _in_folder(self, folder_id: int, alias: str = "") -> Part:
        return self._scoped(
            f":ns {alias}folder_id = ?", folder_id, alias=alias, table="note_folders"
        )

    def _read(self, folder_id: int, tail: str, *values: str) -> list[Note]:
        condition, place = self._in_folder(folder_id)
        sql = f"SELECT {', '.join(_NOTE)} FROM notes WHERE {condition} {tail}"
        return [_note_of(row) for row in self._db.iterate(sql, [*place, *values])]

    def folders(self, ns: NsFilter) -> list[Folder]:
        """Return the folders whose namespace passes a filter."""
        condition, values = ns_part(ns, "ns")
        return _FOLDER.select(self._db, f"WHERE {condition} ORDER BY id", values)

    def add_folder(
        self, root: str, layout: str, ns: str, at: datetime, source_kind: str | None = None
    ) -> Folder:
        """Add a folder, or return the existing one, with another source kind if one is given."""
        self._db.run(
            self._sql.insert("note_folders", ("root", "layout", "ns", "added_at")),
            (root, layout, ns, format_time(at)),
        )
        if source_kind is not None:
            self._db.run(
                "UPDATE note_folders SET source_kind = ? WHERE root = ? AND layout = ?",
                (str(source_kind), root, layout),
            )
        return _FOLDER.select(self._db, "WHERE root = ? AND layout = ?", (root, layout))[0]

    def drop_folder(self, folder_id: int) -> None:
        """Delete a folder and its notes from the store."""
        condition, values = self._in_folder(folder_id)
        self._db.run(f"DELETE FROM notes WHERE {condition}", values)
        self._db.run("DELETE FROM note_folders WHERE id = ?", (folder_id,))

    def reconciled(self, folder_id: int, at: datetime | None, unavailable: str) -> None:
        """Record how a scan of a folder ended; without a time it was not completed."""
        self._db.run(
            "UPDATE note_folders SET reconciled_at = coalesce(?, reconciled_at), "
            "unavailable = ? WHERE id = ?",
            (None if at is None else format_time(at), unavailable, folder_id),
        )

    def known(self, folder_id: int) -> dict[str, Note]:
        """Return the notes of a folder by their paths."""
        return {note.path: note for note in self._read(folder_id, "ORDER BY path")}

    def stats(self, folder_id: int) -> tuple[dict[str, tuple[int, int, int]], dict[str, str], bool]:
        """Return stats and problems of a folder's notes by path, and whether any is missing."""
        condition, values = self._in_folder(folder_id)
        columns = "path, size, mtime_ns, inode, problem, missing_at"
        rows = self._db.rows(f"SELECT {columns} FROM notes WHERE {condition} ORDER BY path", values)
        problems = {row[0]: row[4] for row in rows if row[4]}
        stats = {row[0]: (row[1], row[2], int(row[3])) for row in rows}
        return stats, problems, any(row[5] for row in rows)

    def at(self, folder_id: int, path: str) -> Note | None:
        """Return the note with a path."""
        return next(iter(self._read(folder_id, f"AND {self._sql.note_path}", path)), None)

    def put(self, folder_id: int, note: Note) -> None:
        """Write a note, under another path if it moved."""
        condition, place = self._in_folder(folder_id)
        condition += f" AND {self._sql.note_path} AND id <> ?"
        self._db.run(f"DELETE FROM notes WHERE {condition}", [*place, note.path, note.id])
        names = (*self._sql.owner, "folder_id", *_NOTE)
        sets = ", ".join(f"{name} = excluded.{name}" for name in _NOTE if name != "id")
        self._db.run(
            f"INSERT INTO notes ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
            f" ON CONFLICT ({', '.join((*self._sql.owner, 'id'))}) DO UPDATE SET {sets}",
            (*place, *_note_row(note)),
        )

    def drop(self, note_id: str) -> None:
        """Delete a note; its sections must be removed first."""
        self._db.run(*self._scoped("DELETE FROM notes WHERE :ns id = ?", note_id, table="notes"))

    def sections(self, note_id: str) -> dict[str, tuple[str, int, str]]:
        """Return a note's sections as (name, line, hash) by the ids of their memories."""
        sql = (
            "SELECT memory_id, name, line, hash FROM note_sections WHERE :ns note_id = ?"
            " ORDER BY memory_id"
        )
        return {
            row[0]: (row[1], row[2], row[3])
            for row in self._db.rows(*self._scoped(sql, note_id, table="notes"))
        }

    def put_section(self, memory_id: str, note_id: str, name: str, line: int, digest: str) -> None:
        """Record that a memory is a section of a note."""
        row = (memory_id, note_id, name, line, digest)
        self._db.run(*self._inserted("note_sections", _SECTION, memory_id, row, replace=True))

    def drop_section(self, memory_id: str) -> None:
        """Record that a memory is no longer a section of a note."""
        for table in ("note_sections", "note_links"):
            self._db.run(*self._scoped(f"DELETE FROM {table} WHERE :ns memory_id = ?", memory_id))

    def _of_sections(self, columns: str, folder_id: int, order: str, join: str = "") -> list[Any]:
        condition, values = self._in_folder(folder_id, "n.")
        return self._db.rows(
            f"SELECT {columns} {self._sections} {join} WHERE {condition} ORDER BY {order}", values
        )

    def section_ids(self, folder_id: int) -> list[str]:
        """Return the ids of memories that are sections of a folder's notes."""
        return [
            memory_id
            for (memory_id,) in self._of_sections("s.memory_id", folder_id, "n.path, s.memory_id")
        ]

    def places(self, memory_ids: Iterable[str]) -> dict[str, Place]:
        """Return the places of those memories that are sections of notes."""
        sql = (
            f"SELECT s.memory_id, f.id, f.root, n.path, s.line {self._sections}"
            f" JOIN note_folders f ON f.id = n.folder_id WHERE :ns s.memory_id {self._sql.among}"
        )
        return {
            row[0]: Place(*row[1:])
            for row in self._db.iterate(*self._scoped(sql, sorted(memory_ids), alias="s."))
        }

    def move_file(self, memory_id: str, path: str, at: datetime) -> None:
        """Record that a section's file has another path."""
        self._db.run(*self._scoped("DELETE FROM memory_files WHERE :ns memory_id = ?", memory_id))
        names, row = BY_NAME["memory_files"].columns, (memory_id, path, "read", format_time(at))
        self._db.run(*self._inserted("memory_files", names, memory_id, row))

    def targets(self, folder_id: int) -> list[tuple[str, str, str, tuple[str, ...]]]:
        """Return the targets of links as (memory, section, path, names), by path and line."""
        rows = self._of_sections(
            "s.memory_id, s.name, n.path, n.names", folder_id, "n.path, s.line, s.memory_id"
        )
        return [(memory, name, path, _names_of(names)) for memory, name, path, names in rows]

    def links(self, folder_id: int) -> list[tuple[str, str, str, str | None]]:
        """Return the links of a folder's notes as (memory, word, target, target's memory)."""
        join = f"JOIN note_links l ON {self._sql.same_ns('l', 's')}l.memory_id = s.memory_id"
        return self._of_sections(
            "l.memory_id, l.word, l.target, l.to_id", folder_id, "1, 2, 3", join
        )

    def links_of(self, memory_id: str) -> list[tuple[str, str, str | None]]:
        """Return the links of a section as (word, target, target's memory)."""
        return self._db.rows(
            *self._scoped(
                "SELECT word, target, to_id FROM note_links WHERE :ns memory_id = ?"
                " ORDER BY word, target",
                memory_id,
            )
        )

    def put_link(self, memory_id: str, word: str, target: str, to_id: str | None) -> None:
        """Write a link, and the memory of its target if there is one."""
        row = (memory_id, word, target, to_id)
        self._db.run(*self._inserted("note_links", _LINK, memory_id, row, replace=True))

    def drop_link(self, memory_id: str, word: str, target: str) -> None:
        """Delete a link."""
        sql = "DELETE FROM note_links WHERE :ns memory_id = ? AND word = ? AND target = ?"
        self._db.run(*self._scoped(sql, memory_id, word, target))

    def _chunks(self, memory_id: str, hashes: Sequence[str]) -> Iterator[tuple[str, int]]:
        numbers = self._column(
            *self._scoped("SELECT id FROM chunks WHERE :ns memory_id = ? ORDER BY seq", memory_id)
        )
        return zip(hashes, numbers, strict=False)

    def spare(self, memory_id: str, hashes: Sequence[str], at: datetime) -> None:
        """Keep the vectors of a memory's chunks by the hashes of their texts, for reuse."""
        owner, (within, names) = self._sql.owner, self._within([memory_id])
        sql = (
            f"INSERT INTO spare_vectors ({', '.join((*owner, 'model_id, vector, hash, left_at'))})"
            f" SELECT {', '.join((*owner, 'model_id, vector, ?, ?'))} FROM vectors"
            f" WHERE {within}chunk_id = ? ON CONFLICT ({', '.join((*owner, 'hash, model_id'))})"
            " DO UPDATE SET vector = excluded.vector, left_at = excluded.left_at"
        )
        for digest, chunk in self._chunks(memory_id, hashes):
            self._db.run(sql, (digest, format_time(at), *names, chunk))

    def reuse(self, memory_id: str, hashes: Sequence[str], section: str) -> int:
        """Give a memory's chunks vectors that exist for their texts.

        They come from kept vectors, or from another section with the same text. Returns the number
        of chunks that have a vector now."""
        column, same_ns = self._sql.ns_column, self._sql.same_ns
        within, names = self._within([memory_id], "c.")
        into = (
            f"INSERT INTO vectors (model_id, {column}, chunk_id, vector)"
            f" SELECT v.model_id, c.{column}, c.id, v.vector FROM chunks c JOIN"
        )
        sql = (
            f"{into} spare_vectors v ON {same_ns('v', 'c')}v.hash = ? JOIN models m"
            " ON m.id = v.model_id AND m.chunker = c.chunker"
            f" WHERE {within}c.id = ? ON CONFLICT DO NOTHING"
        )
        for digest, chunk in self._chunks(memory_id, hashes):
            self._db.run(sql, (digest, *names, chunk))
        twin = self._db.get(  # the memory of another section with the same text
            *self._scoped(
                "SELECT memory_id FROM note_sections WHERE :ns memory_id <> ? AND hash = ?"
                " ORDER BY memory_id LIMIT 1",
                memory_id,
                section,
            )
        )
        if twin is not None:
            self._db.run(
                f"{into} chunks o ON {same_ns('o', 'c')}o.memory_id = ? AND o.seq = c.seq"
                " AND o.stop - o.start = c.stop - c.start AND o.chunker = c.chunker"
                f" JOIN vectors v ON {same_ns('v', 'o')}v.chunk_id = o.id"
                f" WHERE {within}c.memory_id = ? ON CONFLICT DO NOTHING",
                (twin, *names, memory_id),
            )
        sql = (
            "SELECT count(DISTINCT c.id) FROM chunks c"
            f" JOIN vectors v ON {same_ns('v', 'c')}v.chunk_id = c.id WHERE :ns c.memory_id = ?"
        )
        return int(self._db.get(*self._scoped(sql, memory_id, alias="c.")))

    def prune(self, before: datetime) -> int:
        """Delete kept vectors that were not reused since a time."""
        return self._db.change(
            "DELETE FROM spare_vectors WHERE left_at < ?", (format_time(before),)
        )
