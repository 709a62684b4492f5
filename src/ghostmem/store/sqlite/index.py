"""The index in SQLite: chunks with FTS5 tables, words and vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Memory
from ghostmem.store.index import Index
from ghostmem.store.rows import IndexedMemory, IndexRow
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.sqlite.journal import SqliteJournal
from ghostmem.store.tables import indexed
from ghostmem.text.spelling import words_of
from ghostmem.text.terms import encode

_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def namespaced(number: int, tokens: str) -> str:
    """Prefix every token with its namespace's number, so that postings are per namespace."""
    return f"{number}q" + tokens.replace(" ", f" {number}q") if tokens else ""


class _ChunkRows:
    """The rows to be written for some memories, by table."""

    def __init__(self) -> None:
        self.chunks: list[tuple[Any, ...]] = []
        self.tokens: list[tuple[int, str]] = []
        self.plain: list[tuple[int, str]] = []
        self.vectors: list[tuple[int, int, int, bytes]] = []
        self.terms: dict[int, list[str]] = {}  # of the chunks, by number of the namespace
        self.sizes: dict[str, tuple[int, int]] = {}  # chunks and their length, by namespace

    def grow(self, ns: str, number: int, rows: Sequence[IndexRow]) -> None:
        """Count the chunks of a memory and their terms for its namespace."""
        chunks, length = self.sizes.get(ns, (0, 0))
        self.sizes[ns] = (chunks + len(rows), length + sum([row.length for row in rows]))
        self.terms.setdefault(number, []).extend([row.terms for row in rows])


class SqliteIndex(Index):
    """Chunks, full text, substrings and words, written in the transaction of their memory."""

    _db: SqliteDb

    def __init__(self, db: SqliteDb, journal: SqliteJournal) -> None:
        super().__init__(db)
        self._journal = journal

    def add(
        self,
        memory: Memory,
        rows: Sequence[IndexRow],
        model: int | None = None,
        vectors: Sequence[bytes] = (),
    ) -> int:
        """Index a memory's chunks, with vectors if given, and return the first chunk's number."""
        return self.add_all((IndexedMemory(memory, rows, vectors),), model)

    def add_all(self, entries: Iterable[IndexedMemory], model: int | None = None) -> int:
        """Index the chunks of several memories, with the vectors that a model made of them.

        Returns the first chunk's number."""
        chunk = first = self._next_chunk()
        made = _ChunkRows()
        for memory, rows, vectors in entries:
            number = self._journal.namespace(memory.ns)
            thread = self._thread(number, memory.conversation, rows)
            start = f"{format_time(memory.created_at)}{memory.id}"
            for position, row in enumerate(rows):
                place = f"{start}{row.seq:06d}" if thread else None
                own = (row.terms, row.length, row.chunker, number, thread, place)
                made.chunks.append((chunk, memory.id, *row[:5], *own))
                made.tokens.append((chunk, namespaced(number, row.tokens)))
                made.plain.append((chunk, row.plain))
                if model is not None and position < len(vectors):
                    made.vectors.append((model, number, chunk, vectors[position]))
                chunk += 1
            made.grow(memory.ns, number, rows)
        self._write(made)
        return first if made.chunks else 0

    def _next_chunk(self) -> int:
        """Return the number that SQLite gives to the next chunk."""
        sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'chunks'"
        return 1 + int(self._db.get(sql) or 0)

    def _write(self, made: _ChunkRows) -> None:
        self._db.run_many(_CHUNK, made.chunks)
        self._db.run_many("INSERT INTO chunks_fts (rowid, text) VALUES (?, ?)", made.tokens)
        self._db.run_many("INSERT INTO chunks_tri (rowid, text) VALUES (?, ?)", made.plain)
        self._db.run_many("INSERT INTO vectors VALUES (?, ?, ?, ?)", made.vectors)
        for number, terms in made.terms.items():
            self._replace_words(number, (), terms)
        for ns, (chunks, length) in made.sizes.items():
            self._journal.grow(ns, chunks, length)

    def _thread(self, number: int, scope: str | None, rows: Sequence[IndexRow]) -> int | None:
        """Return the number of the thread of a conversation, extended by some rows."""
        if scope is None or not rows:
            return None
        self._db.execute(
            "INSERT INTO threads (ns_id, scope, chunks, length) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT DO UPDATE SET chunks = chunks + ?3, length = length + ?4",
            (number, scope, len(rows), sum(row.length for row in rows)),
        )
        sql = "SELECT id FROM threads WHERE ns_id = ? AND scope = ?"
        return int(self._db.get(sql, (number, scope)))

    def remove(self, memory: Memory) -> int:
        """Take a memory out of every index and return the number of its chunks."""
        sql = "SELECT id, length, thread_id, ns_id, terms FROM chunks WHERE memory_id = ?"
        rows = list(self._db.execute(sql, (memory.id,)))
        for chunk, length, thread, _, _ in rows:
            self._db.execute("DELETE FROM chunks_fts WHERE rowid = ?", (chunk,))
            self._db.execute("DELETE FROM chunks_tri WHERE rowid = ?", (chunk,))
            self._db.execute(
                "UPDATE threads SET chunks = chunks - 1, length = length - ? WHERE id = ?",
                (length, thread),
            )
        if rows:
            self._journal.grow(memory.ns, -len(rows), -sum(row[1] for row in rows))
            self._db.execute("DELETE FROM chunks WHERE memory_id = ?", (memory.id,))
            self._replace_words(rows[0][3], [row[4] for row in rows], ())
        return len(rows)

    def _replace_words(self, number: int, old: Iterable[str], new: Iterable[str]) -> None:
        """Update the words of a namespace when terms of its chunks were replaced."""
        before, after = words_of(old), words_of(new)
        added = [(number, word) for word in sorted(after - before)]
        self._db.executemany("INSERT OR IGNORE INTO words VALUES (?, ?)", added)
        if not before:
            return
        is_used = "SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT 1"
        for word in sorted(before - after):
            if self._db.execute(is_used, (f'"{namespaced(number, encode(word))}"',)).get is None:
                self._db.execute("DELETE FROM words WHERE ns_id = ? AND word = ?", (number, word))

    def reword(self, ns: str, memory_id: str, terms: Sequence[str]) -> None:
        """Replace the terms of a memory's chunks in order; their numbers and vectors stay."""
        sql = (
            "SELECT id, length, thread_id, ns_id, terms FROM chunks WHERE memory_id = ? "
            "ORDER BY seq"
        )
        rows = list(self._db.execute(sql, (memory_id,)))
        for (chunk, length, thread, number, _), new in zip(rows, terms, strict=True):
            size = len(new.split())
            self._db.execute(
                "UPDATE chunks SET terms = ?, length = ? WHERE id = ?", (new, size, chunk)
            )
            self._db.execute("DELETE FROM chunks_fts WHERE rowid = ?", (chunk,))
            tokens = namespaced(number, indexed(new))
            self._db.execute("INSERT INTO chunks_fts (rowid, text) VALUES (?, ?)", (chunk, tokens))
            self._db.execute(
                "UPDATE threads SET length = length + ? WHERE id = ?", (size - length, thread)
            )
            self._journal.grow(ns, 0, size - length)
        if rows:
            self._replace_words(rows[0][3], [row[4] for row in rows], terms)
