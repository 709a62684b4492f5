"""Rows of memories: reading them as values, writing them with their change logged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, TypeVar

from ghostmem.clock import format_time
from ghostmem.grouping import grouped
from ghostmem.model import FileRef, Memory, SymbolRef
from ghostmem.store.database import Database, StoreTable
from ghostmem.store.journal import Journal, LoggedChange
from ghostmem.store.records import MEMORY, RowType, memory_of
from ghostmem.store.validate import normal_key

_SELECT = f"SELECT {', '.join('m.' + name for name in MEMORY.names)} FROM memories m"
_IDS = "SELECT id FROM memories WHERE ns = ? AND key = ?"
_FILE = RowType("memory_files", FileRef)
_SYMBOL = RowType("memory_symbols", SymbolRef)
Ref = TypeVar("Ref")


@cache
def _insert(computed: tuple[str, ...]) -> str:
    names = (*MEMORY.names, *computed)
    marks = ", ".join("?" * len(names))
    return f"INSERT INTO memories ({', '.join(names)}) VALUES ({marks})"


class MemorySize(NamedTuple):
    """The key of a memory and the tokens that its content takes."""

    key: str
    est_tokens: int


class Memories(StoreTable):
    """Every version of every key."""

    def __init__(self, db: Database, journal: Journal) -> None:
        super().__init__(db)
        self._journal = journal
        self._expected: dict[str, Memory] = {}

    def one(self, tail: str, values: Sequence[Any]) -> Memory | None:
        """Return the first memory that passes a condition."""
        return next(iter(self.many(f"{tail} LIMIT 1", values)), None)

    def many(self, tail: str, values: Sequence[Any]) -> list[Memory]:
        """Return all memories that pass a condition."""
        return [memory_of(row) for row in self._db.iterate(f"{_SELECT} WHERE {tail}", values)]

    def last(self, ns: str, key: str) -> Memory | None:
        """Return the highest version of a key, live or not."""
        return self.one("m.ns = ? AND m.key = ? ORDER BY m.version DESC", self._place(ns, key))

    def _place(self, ns: str, key: str) -> tuple[str, str]:
        """Return a namespace and a key in NFC, or as an older Ghost has stored it."""
        normal = (ns, normal_key(key))
        is_stored = normal[1] == key or self._db.row(f"{_IDS} LIMIT 1", normal) is not None
        return normal if is_stored else (ns, key)

    def superseded(self, memory_ids: Sequence[str]) -> set[str]:
        """Return those of some versions that have a later one."""
        sql = (
            f"SELECT m.id FROM memories m WHERE :ns m.id {self._sql.among}"
            " AND EXISTS (SELECT 1 FROM memories n"
            " WHERE n.ns = m.ns AND n.key = m.key AND n.version > m.version)"
        )
        return set(self._column(*self._scoped(sql, memory_ids, alias="m.")))

    def current(self, ns: str, key: str, now: datetime) -> Memory | None:
        """Return the last version of a key if it is neither removed nor expired."""
        last = self.last(ns, key)
        return last if last is not None and last.is_current(now) else None

    def version(self, ns: str, key: str, version: int) -> Memory | None:
        """Return one version of a key, live or not."""
        return self.one(
            "m.ns = ? AND m.key = ? AND m.version = ?", (*self._place(ns, key), version)
        )

    def history(self, ns: str, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first."""
        return self.with_refs(
            self.many("m.ns = ? AND m.key = ? ORDER BY m.version", self._place(ns, key))
        )

    def histories(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Memory]]:
        """Return all versions of several (namespace, key), oldest first, without their files."""
        condition = f"m.ns = ? AND m.key {self._sql.among} ORDER BY m.version"
        return grouped(
            ((ns, memory.key), memory)
            for ns, names in grouped(keys).items()
            for memory in self.many(condition, (ns, self._sql.array(names)))
        )

    def by_id(self, memory_id: str) -> Memory | None:
        """Return the version with an id."""
        return self.by_ids([memory_id]).get(memory_id)

    def by_ids(self, memory_ids: Sequence[str]) -> dict[str, Memory]:
        """Return versions by their ids."""
        expected = self._expected
        memories = {id_: expected[id_] for id_ in memory_ids if id_ in expected}
        if missing := [id_ for id_ in memory_ids if id_ not in expected]:
            # an id finds its row in any namespace, but a cluster would ask all nodes
            within, names = ("", []) if self.ns is None else self._of(self.ns, "m.")
            condition = f"{within}m.id {self._sql.among}"
            memories.update(
                (memory.id, memory)
                for memory in self.many(condition, (*names, self._sql.array(missing)))
            )
        return memories

    def sizes(self, memory_ids: Sequence[str]) -> dict[str, MemorySize]:
        """Return the keys and sizes of versions by their ids."""
        sql = f"SELECT id, key, est_tokens FROM memories WHERE :ns id {self._sql.among}"
        return {
            id_: MemorySize(key, tokens)
            for id_, key, tokens in self._db.iterate(*self._scoped(sql, memory_ids))
        }

    def expect(self, ns: str, chunks: Sequence[int]) -> None:
        """Read memories of chunks that a reading transaction is going to ask for by their ids."""
        of_ns = self._sql.of_ns("c.")
        sql = f"SELECT c.memory_id FROM chunks c WHERE {of_ns} AND c.id {self._sql.among}"
        condition = f"m.ns = ? AND m.id {self._sql.among_rows.format(sql)}"
        memories = self.many(condition, (ns, ns, self._sql.array(chunks)))
        self._expected.update((memory.id, memory) for memory in memories)

    def insert(self, memory: Memory) -> None:
        """Write one version with its files and symbols."""
        self.insert_all((memory,))

    def insert_all(self, memories: Sequence[Memory]) -> None:
        """Write versions with their files and symbols."""
        compute = self._sql.compute
        rows = [(*MEMORY.write(memory), *compute(memory.content)) for memory in memories]
        self._db.run_many(_insert(self._sql.computed), rows)
        for memory in memories:
            if memory.files:
                self._insert_refs(memory, _FILE, memory.files)
            if memory.symbols:
                self._insert_refs(memory, _SYMBOL, memory.symbols)
        self._journal.record_all(
            LoggedChange(memory.ns, memory.id, "put", memory.written_at) for memory in memories
        )

    def _insert_refs(self, memory: Memory, kind: RowType[Any], refs: Sequence[Any]) -> None:
        sql = self._sql.insert(
            kind.table.name, ("memory_id", *kind.names, "created_at"), replace=True
        )
        owner = (memory.ns,) if self._sql.owner else ()
        for ref in refs:
            row = (memory.id, *kind.write(ref), format_time(memory.created_at))
            self._db.run(sql, (*owner, *row))

    def change(self, memory: Memory, op: str, at: datetime, **columns: Any) -> None:
        """Change columns of one version and log it."""
        self.change_all([(memory, columns)], op, at)

    def change_all(
        self, changes: Sequence[tuple[Memory, Mapping[str, Any]]], op: str, at: datetime
    ) -> None:
        """Change columns of several versions, the same of each, and log it."""
        names: list[str] = []
        rows = []
        for memory, columns in changes:
            if "content" in columns:
                computed = self._sql.compute(columns["content"])
                columns = {**columns, **dict(zip(self._sql.computed, computed, strict=True))}
            names = list(columns)
            values = [MEMORY.encode(name, value) for name, value in columns.items()]
            rows.append([*values, memory.ns, memory.id])
        sets = ", ".join(f"{name} = ?" for name in names)
        self._db.run_many(f"UPDATE memories SET {sets} WHERE ns = ? AND id = ?", rows)
        self._journal.record_all(
            LoggedChange(memory.ns, memory.id, op, at) for memory, _ in changes
        )

    def touch(
        self, memories: Sequence[Memory], at: datetime, used: bool, helped: bool = False
    ) -> None:
        """Count one retrieval of each, or that it helped; no change is logged."""
        counter = "utility_count" if helped else "access_count"
        sql = f"UPDATE memories SET {counter} = {counter} + 1, last_accessed_at = ? WHERE"
        for ns in sorted({memory.ns for memory in memories}):
            within, names = self._of(ns)
            ids = self._sql.array(memory.id for memory in memories if memory.ns == ns)
            self._db.lock(ns)
            self._db.run(f"{sql} {within}id {self._sql.among}", (format_time(at), *names, ids))
            self._journal.log_access(ns, ids, at, used)

    def delete(self, memories: Sequence[Memory], at: datetime) -> None:
        """Delete rows for good with everything that belongs to them.

        The caller has taken them out of the index."""
        for memory in memories:
            names = (memory.ns, memory.id)
            self._db.run(
                "UPDATE memories SET supersedes = NULL WHERE ns = ? AND key = ? AND supersedes = ?",
                (memory.ns, memory.key, memory.id),
            )
            if self._sql.owner:  # PostgreSQL cannot set one column of a foreign key to NULL
                self._db.run("UPDATE note_links SET to_id = NULL WHERE ns = ? AND to_id = ?", names)
            self._db.run("DELETE FROM memories WHERE ns = ? AND id = ?", names)
            self._journal.record(memory.ns, memory.id, "delete", at)

    def files(self, memory_ids: Iterable[str]) -> dict[str, tuple[FileRef, ...]]:
        """Return the files of several memories."""
        return self._refs(_FILE, memory_ids, "memory_id, path")

    def symbols(self, memory_ids: Iterable[str]) -> dict[str, tuple[SymbolRef, ...]]:
        """Return the symbols of several memories."""
        return self._refs(_SYMBOL, memory_ids, "memory_id, root, language, name, path")

    def _refs(
        self, kind: RowType[Ref], memory_ids: Iterable[str], order: str
    ) -> dict[str, tuple[Ref, ...]]:
        sql = (
            f"SELECT memory_id, {kind.columns} FROM {kind.table.name}"
            f" WHERE :ns memory_id {self._sql.among} ORDER BY {order}"
        )
        rows = self._db.iterate(*self._scoped(sql, sorted(memory_ids)))
        refs = grouped((memory_id, kind.read(row)) for memory_id, *row in rows)
        return {memory_id: tuple(values) for memory_id, values in refs.items()}

    def with_refs(self, memories: list[Memory]) -> list[Memory]:
        """Return the same memories with their files and symbols filled in."""
        ids = [memory.id for memory in memories]
        if not ids:
            return memories
        self._db.ahead([lambda: self.files(ids), lambda: self.symbols(ids)])
        files, symbols = self.files(ids), self.symbols(ids)
        return [
            replace(memory, files=files.get(memory.id, ()), symbols=symbols.get(memory.id, ()))
            if memory.id in files or memory.id in symbols
            else memory
            for memory in memories
        ]
