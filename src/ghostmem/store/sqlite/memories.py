"""Rows of memories: reading them as values, writing them with their change logged."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw

from ghostmem.clock import format_time
from ghostmem.model import FileRef, FileRel, Memory, SymbolRef
from ghostmem.store.columns import NAMES, column_value, memory_of, with_refs
from ghostmem.store.sqlite.checksums import checksum
from ghostmem.store.sqlite.journal import SqliteJournal

_SELECT = f"SELECT {', '.join('m.' + name for name in NAMES)} FROM memories m"
_INSERT = (
    f"INSERT INTO memories ({', '.join(NAMES)}, checksum) VALUES ({', '.join('?' * len(NAMES))}, ?)"
)


class SqliteMemories:
    """Every version of every key."""

    def __init__(self, db: apsw.Connection, journal: SqliteJournal) -> None:
        self._db = db
        self._journal = journal

    def one(self, tail: str, values: Sequence[Any]) -> Memory | None:
        """Return the first memory that a condition finds."""
        row = self._db.execute(f"{_SELECT} WHERE {tail} LIMIT 1", values).fetchone()
        return None if row is None else memory_of(row)

    def many(self, tail: str, values: Sequence[Any]) -> list[Memory]:
        """Return all memories that a condition finds."""
        return [memory_of(row) for row in self._db.execute(f"{_SELECT} WHERE {tail}", values)]

    def last(self, ns: str, key: str) -> Memory | None:
        """Return the highest version of a key, live or not."""
        return self.one("m.ns = ? AND m.key = ? ORDER BY m.version DESC", (ns, key))

    def version(self, ns: str, key: str, version: int) -> Memory | None:
        """Return one version of a key, live or not."""
        return self.one("m.ns = ? AND m.key = ? AND m.version = ?", (ns, key, version))

    def history(self, ns: str, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first."""
        return self.with_refs(self.many("m.ns = ? AND m.key = ? ORDER BY m.version", (ns, key)))

    def by_id(self, memory_id: str) -> Memory | None:
        """Return the version with an id."""
        return self.one("m.id = ?", (memory_id,))

    def by_ids(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Return versions by their ids."""
        found = self.many(
            "m.id IN (SELECT value FROM json_each(?))", (json.dumps(list(memory_ids)),)
        )
        return {memory.id: memory for memory in found}

    def insert(self, memory: Memory) -> None:
        """Write one version with its files and symbols."""
        values = [column_value(name, getattr(memory, name)) for name in NAMES]
        self._db.execute(_INSERT, [*values, checksum(memory.content)])
        at = format_time(memory.created_at)
        for file in memory.files:
            row = (memory.id, file.path, str(file.rel), at)
            self._db.execute("INSERT OR REPLACE INTO memory_files VALUES (?, ?, ?, ?)", row)
        for one in memory.symbols:
            place = (
                memory.id,
                one.root,
                one.language,
                one.name,
                one.path,
                one.hash,
                str(one.rel),
                at,
            )
            self._db.execute(
                "INSERT OR REPLACE INTO memory_symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?)", place
            )
        self._journal.record(memory.ns, memory.id, "put", memory.recorded_at or memory.created_at)

    def change(self, memory: Memory, op: str, at: datetime, **columns: Any) -> None:
        """Change columns of one version and log it."""
        if "content" in columns:
            columns["checksum"] = checksum(columns["content"])
        sets = ", ".join(f"{name} = ?" for name in columns)
        values = [column_value(name, value) for name, value in columns.items()]
        self._db.execute(f"UPDATE memories SET {sets} WHERE id = ?", [*values, memory.id])
        self._journal.record(memory.ns, memory.id, op, at)

    def touch(
        self, memories: Sequence[Memory], at: datetime, used: bool, helped: bool = False
    ) -> None:
        """Count one retrieval of each, or that it helped; bookkeeping, so no change is logged."""
        counter, ids = (
            "utility_count" if helped else "access_count",
            json.dumps([memory.id for memory in memories]),
        )
        self._db.execute(
            f"UPDATE memories SET {counter} = {counter} + 1, last_accessed_at = ? WHERE id "
            "IN (SELECT value FROM json_each(?))",
            (format_time(at), ids),
        )
        self._journal.log_access(ids, at, used)

    def delete(self, memories: Sequence[Memory], at: datetime) -> int:
        """Remove rows for good with all that hangs on them.

        The caller has taken them out of the index.
        """
        for memory in memories:
            self._db.execute(
                "UPDATE memories SET supersedes = NULL WHERE ns = ? AND key = ? AND supersedes = ?",
                (memory.ns, memory.key, memory.id),
            )
            self._db.execute("DELETE FROM memories WHERE id = ?", (memory.id,))
            self._journal.record(memory.ns, memory.id, "delete", at)
        return len(memories)

    def files(self, memory_ids: Iterable[str]) -> dict[str, tuple[FileRef, ...]]:
        """Return the files of several memories."""
        found: dict[str, tuple[FileRef, ...]] = {}
        sql = (
            "SELECT memory_id, path, rel FROM memory_files WHERE memory_id IN (SELECT "
            "value FROM json_each(?)) ORDER BY 1, 2"
        )
        for memory_id, path, rel in self._db.execute(sql, (json.dumps(list(memory_ids)),)):
            found[memory_id] = (*found.get(memory_id, ()), FileRef(path, FileRel(rel)))
        return found

    def symbols(self, memory_ids: Iterable[str]) -> dict[str, tuple[SymbolRef, ...]]:
        """Return the symbols of several memories."""
        found: dict[str, tuple[SymbolRef, ...]] = {}
        sql = (
            "SELECT memory_id, name, language, path, root, hash, rel FROM memory_symbols"
            " WHERE memory_id IN (SELECT value FROM json_each(?)) ORDER BY 1, 5, 3, 2, 4"
        )
        for memory_id, name, language, path, root, known, rel in self._db.execute(
            sql, (json.dumps(list(memory_ids)),)
        ):
            ref = SymbolRef(name, language, path, root, known, FileRel(rel))
            found[memory_id] = (*found.get(memory_id, ()), ref)
        return found

    def with_refs(self, memories: list[Memory]) -> list[Memory]:
        """Return the same memories with their files and symbols filled in."""
        ids = [memory.id for memory in memories]
        return with_refs(memories, self.files(ids), self.symbols(ids)) if ids else memories
