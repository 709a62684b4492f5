"""Rows of memories: reading them as values, writing them with their change logged."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import FileRef, FileRel, Memory, SymbolRef
from ghostmem.store.columns import NAMES, column_value, memory_of, with_refs
from ghostmem.store.postgres.connect import Db
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.postgres.places import Places

_SELECT = f"SELECT {', '.join('m.' + name for name in NAMES)} FROM memories m"
_INSERT = f"INSERT INTO memories ({', '.join(NAMES)}) VALUES ({', '.join(['%s'] * len(NAMES))})"


class PostgresMemories:
    """Every version of every key."""

    def __init__(self, db: Db, places: Places, journal: PostgresJournal) -> None:
        self._db = db
        self._places = places
        self._journal = journal

    def one(self, tail: str, values: Sequence[Any]) -> Memory | None:
        """Return the first memory that a condition finds."""
        return next(iter(self.many(f"{tail} LIMIT 1", values)), None)

    def many(self, tail: str, values: Sequence[Any]) -> list[Memory]:
        """Return all memories that a condition finds."""
        found = [memory_of(row) for row in self._db.rows(f"{_SELECT} WHERE {tail}", values)]
        for memory in found:
            self._places.saw(memory.ns, (memory.id,))
        return found

    def last(self, ns: str, key: str) -> Memory | None:
        """Return the highest version of a key, live or not."""
        return self.one("m.ns = %s AND m.key = %s ORDER BY m.version DESC", (ns, key))

    def version(self, ns: str, key: str, version: int) -> Memory | None:
        """Return one version of a key, live or not."""
        return self.one("m.ns = %s AND m.key = %s AND m.version = %s", (ns, key, version))

    def history(self, ns: str, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first."""
        return self.with_refs(self.many("m.ns = %s AND m.key = %s ORDER BY m.version", (ns, key)))

    def by_id(self, memory_id: str) -> Memory | None:
        """Return the version with an id."""
        ns = self._places.one(memory_id)
        return None if ns is None else self.one("m.ns = %s AND m.id = %s", (ns, memory_id))

    def by_ids(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Return versions by their ids."""
        found: dict[str, Memory] = {}
        for ns, ids in self._places.of(memory_ids).items():
            found.update(
                (memory.id, memory)
                for memory in self.many("m.ns = %s AND m.id = ANY(%s)", (ns, ids))
            )
        return {one: found[one] for one in sorted(found)}

    def insert(self, memory: Memory) -> None:
        """Write one version with its files and symbols."""
        self._db.run(_INSERT, [column_value(name, getattr(memory, name)) for name in NAMES])
        self._places.saw(memory.ns, (memory.id,))
        at = format_time(memory.created_at)
        for file in memory.files:
            self._db.run(
                "INSERT INTO memory_files (ns, memory_id, path, rel, created_at) VALUES "
                "(%s, %s, %s, %s, %s)"
                " ON CONFLICT (ns, memory_id, digest) DO UPDATE SET rel = excluded.rel, "
                "created_at = excluded.created_at",
                (memory.ns, memory.id, file.path, str(file.rel), at),
            )
        for one in memory.symbols:
            self._db.run(
                "INSERT INTO memory_symbols (ns, memory_id, root, language, name, path, "
                "hash, rel, created_at)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (ns, memory_id, digest)"
                " DO UPDATE SET hash = excluded.hash, rel = excluded.rel, created_at = "
                "excluded.created_at",
                (
                    memory.ns,
                    memory.id,
                    one.root,
                    one.language,
                    one.name,
                    one.path,
                    one.hash,
                    str(one.rel),
                    at,
                ),
            )
        self._journal.record(memory.ns, memory.id, "put", memory.recorded_at or memory.created_at)

    def change(self, memory: Memory, op: str, at: datetime, **columns: Any) -> None:
        """Change columns of one version and log it."""
        sets = ", ".join(f"{name} = %s" for name in columns)
        values = [column_value(name, value) for name, value in columns.items()]
        self._db.run(
            f"UPDATE memories SET {sets} WHERE ns = %s AND id = %s", [*values, memory.ns, memory.id]
        )
        self._journal.record(memory.ns, memory.id, op, at)

    def touch(
        self, memories: Sequence[Memory], at: datetime, used: bool, helped: bool = False
    ) -> None:
        """Count one retrieval of each, or that it helped; bookkeeping, so no change is logged."""
        counter = "utility_count" if helped else "access_count"
        by_ns: dict[str, list[str]] = {}
        for memory in memories:
            by_ns.setdefault(memory.ns, []).append(memory.id)
        for ns in sorted(by_ns):
            self._db.lock(ns)
            self._places.saw(ns, by_ns[ns])
            self._db.run(
                f"UPDATE memories SET {counter} = {counter} + 1, last_accessed_at = %s "
                "WHERE ns = %s AND id = ANY(%s)",
                (format_time(at), ns, by_ns[ns]),
            )
            self._journal.log_access(ns, by_ns[ns], at, used)

    def delete(self, memories: Sequence[Memory], at: datetime) -> int:
        """Remove rows for good with all that hangs on them.

        The caller has taken them out of the index.
        """
        for memory in memories:
            self._db.run(
                "UPDATE memories SET supersedes = NULL WHERE ns = %s AND key = %s AND "
                "supersedes = %s",
                (memory.ns, memory.key, memory.id),
            )
            self._db.run(
                "UPDATE note_links SET to_id = NULL WHERE ns = %s AND to_id = %s",
                (memory.ns, memory.id),
            )
            self._db.run("DELETE FROM memories WHERE ns = %s AND id = %s", (memory.ns, memory.id))
            self._journal.record(memory.ns, memory.id, "delete", at)
        return len(memories)

    def files(self, memory_ids: Iterable[str]) -> dict[str, tuple[FileRef, ...]]:
        """Return the files of several memories."""
        found: dict[str, tuple[FileRef, ...]] = {}
        sql = (
            "SELECT memory_id, path, rel FROM memory_files WHERE ns = %s AND memory_id = "
            "ANY(%s) ORDER BY 1, 2"
        )
        for ns, ids in self._places.of(memory_ids).items():
            for memory_id, path, rel in self._db.rows(sql, (ns, ids)):
                found[memory_id] = (*found.get(memory_id, ()), FileRef(path, FileRel(rel)))
        return found

    def symbols(self, memory_ids: Iterable[str]) -> dict[str, tuple[SymbolRef, ...]]:
        """Return the symbols of several memories."""
        found: dict[str, tuple[SymbolRef, ...]] = {}
        sql = (
            "SELECT memory_id, name, language, path, root, hash, rel FROM memory_symbols"
            " WHERE ns = %s AND memory_id = ANY(%s) ORDER BY 1, 5, 3, 2, 4"
        )
        for ns, ids in self._places.of(memory_ids).items():
            for memory_id, name, language, path, root, known, rel in self._db.rows(sql, (ns, ids)):
                ref = SymbolRef(name, language, path, root, known, FileRel(rel))
                found[memory_id] = (*found.get(memory_id, ()), ref)
        return found

    def with_refs(self, memories: list[Memory]) -> list[Memory]:
        """Return the same memories with their files and symbols filled in."""
        ids = [memory.id for memory in memories]
        return with_refs(memories, self.files(ids), self.symbols(ids)) if ids else memories
