"""The cache of code outlines in SQLite, by the hash of file contents."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping

from ghostmem.model import Stat
from ghostmem.store.sqlite.database import SqliteDb

_GRAPH = "graph {language} {root}"  # in the place of a hash


class SqliteOutline:
    """The cache of the code outline."""

    def __init__(self, db: SqliteDb) -> None:
        self._db = db

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]:
        """Return the files of a project as last seen: status, time, and hash."""
        sql = (
            "SELECT path, size, mtime_ns, inode, seen_ns, hash FROM outline_files WHERE "
            "root = ? AND language = ?"
        )
        return {
            row[0]: (Stat(row[1], row[2], row[3]), row[4], row[5])
            for row in self._db.execute(sql, (root, language))
        }

    def put_files(
        self,
        root: str,
        language: str,
        files: Mapping[str, tuple[Stat, int, str]],
        gone: Iterable[str],
    ) -> None:
        """Store the state of files, and delete those that are gone."""
        sql = "INSERT OR REPLACE INTO outline_files VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        rows = (
            (root, language, path, *stat, seen, known)
            for path, (stat, seen, known) in files.items()
        )
        self._db.executemany(sql, rows)
        for path in gone:
            self._db.execute(
                "DELETE FROM outline_files WHERE root = ? AND language = ? AND path = ?",
                (root, language, path),
            )

    def facts(self, hashes: Iterable[str], maker: str) -> Iterator[tuple[str, bytes]]:
        """Yield the cached facts of contents that one extractor produced."""
        yield from self._db.execute(
            "SELECT hash, facts FROM outline_facts WHERE maker = ? AND hash IN (SELECT "
            "value FROM json_each(?))",
            (maker, json.dumps(list(hashes))),
        )

    def put_facts(self, facts: Iterable[tuple[str, bytes]], maker: str) -> None:
        """Store facts, replacing those of older extractors of the language.

        The name of an extractor (`maker`) begins with its language."""
        language = f"{maker.partition(' ')[0]} "
        for known, packed in facts:
            self._db.execute(
                "DELETE FROM outline_facts WHERE hash = ? AND maker <> ? AND "
                "substr(maker, 1, ?) = ?",
                (known, maker, len(language), language),
            )
            self._db.execute(
                "INSERT OR REPLACE INTO outline_facts VALUES (?, ?, ?)", (known, maker, packed)
            )

    def graph(self, root: str, language: str, maker: str) -> bytes | None:
        """Return the cached graph of a project that the same extractor produced."""
        sql = "SELECT facts FROM outline_facts WHERE hash = ? AND maker = ?"
        packed = self._db.execute(sql, (_GRAPH.format(language=language, root=root), maker)).get
        return None if packed is None else bytes(packed)

    def put_graph(self, root: str, language: str, maker: str, packed: bytes) -> None:
        """Store the graph of a project, replacing an older one.

        It is a row of the table of facts."""
        key = _GRAPH.format(language=language, root=root)
        self._db.execute("DELETE FROM outline_facts WHERE hash = ?", (key,))
        self._db.execute("INSERT INTO outline_facts VALUES (?, ?, ?)", (key, maker, packed))

    def prune(self) -> int:
        """Delete projects whose folder is gone, facts no file has, and graphs without files."""
        for (root,) in self._db.execute("SELECT DISTINCT root FROM outline_files").fetchall():
            if not os.path.isdir(str(root)):
                self._db.execute("DELETE FROM outline_files WHERE root = ?", (root,))
        self._db.execute(
            "DELETE FROM outline_facts WHERE hash NOT IN (SELECT hash FROM outline_files)"
            " AND hash NOT IN (SELECT 'graph ' || language || ' ' || root FROM outline_files)"
        )
        return self._db.connection.changes()
