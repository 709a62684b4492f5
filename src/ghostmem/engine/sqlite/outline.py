"""What source files said, by the hash of their content: a cache that may be dropped at any time."""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import apsw

from ghostmem.note import Stat


class SqliteOutline:
    """The cache of the code outline."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]:
        """Return the files of a project as they were last seen: stats, when that was, and hash."""
        sql = "SELECT path, size, mtime_ns, inode, seen_ns, hash FROM outline_files WHERE root = ? AND language = ?"
        return {row[0]: (Stat(row[1], row[2], row[3]), row[4], row[5]) for row in self._db.execute(sql, (root, language))}

    def put_files(self, root: str, language: str, files: Mapping[str, tuple[Stat, int, str]], gone: Iterable[str]) -> None:
        """Write down how files were seen, and forget those that are gone."""
        sql = "INSERT OR REPLACE INTO outline_files VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        for path, (stat, seen, known) in files.items():
            self._db.execute(sql, (root, language, path, *stat, seen, known))
        for path in gone:
            self._db.execute("DELETE FROM outline_files WHERE root = ? AND language = ? AND path = ?", (root, language, path))

    def facts(self, hashes: Iterable[str], maker: str) -> dict[str, dict[str, Any]]:
        """Return the facts that are there for contents, made by one extractor; those that are damaged are left out."""
        sql = "SELECT hash, facts FROM outline_facts WHERE maker = ? AND hash IN (SELECT value FROM json_each(?))"
        found: dict[str, dict[str, Any]] = {}
        for known, packed in self._db.execute(sql, (maker, json.dumps(list(hashes)))):
            try:
                found[known] = json.loads(zlib.decompress(packed))
            except (zlib.error, ValueError):
                continue
        return found

    def put_facts(self, facts: Mapping[str, dict[str, Any]], maker: str) -> None:
        """Keep facts."""
        for known, data in facts.items():
            packed = zlib.compress(json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode(), 1)
            self._db.execute("INSERT OR REPLACE INTO outline_facts VALUES (?, ?, ?)", (known, maker, packed))

    def prune(self) -> int:
        """Drop facts of contents that no file has any more."""
        self._db.execute("DELETE FROM outline_facts WHERE hash NOT IN (SELECT hash FROM outline_files)")
        return self._db.changes()
