"""The index in SQLite: chunks with FTS5 tables, words and vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

from ghostmem.clock import format_time
from ghostmem.store.index import Index
from ghostmem.store.rows import IndexedMemory, IndexRow
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.tables import indexed
from ghostmem.text.spelling import words_of
from ghostmem.text.terms import encode

_CHUNK = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOKENS = "INSERT INTO chunks_fts (rowid, text) VALUES (?, ?)"


def namespaced(number: int, tokens: str) -> str:
    """Prefix every token with its namespace's number, so that postings are per namespace."""
    return f"{number}q" + tokens.replace(" ", f" {number}q") if tokens else ""


class SqliteIndex(Index):
    """Chunks, full text, substrings and words, written in the transaction of their memory."""

    _db: SqliteDb

    def add_all(self, entries: Iterable[IndexedMemory], model: int | None = None) -> int:
        chunk = first = 1 + int(
            self._db.get("SELECT max(seq) FROM sqlite_sequence WHERE name = 'chunks'") or 0
        )  # as SQLite numbers them
        chunk_rows, tokens, plain, vector_rows = (list[tuple[Any, ...]]() for _ in range(4))
        rows_by_ns: dict[str, list[IndexRow]] = {}
        for memory, rows, vectors in entries:
            number = self._journal.namespace(memory.ns)
            thread = self._thread(memory, number, rows)
            start = f"{format_time(memory.created_at)}{memory.id}"
            for position, row in enumerate(rows):
                place = f"{start}{row.seq:06d}" if thread else None
                own = (row.terms, row.length, row.chunker, number, thread, place)
                chunk_rows.append((chunk, memory.id, *row[:5], *own))
                tokens.append((chunk, namespaced(number, row.tokens)))
                plain.append((chunk, row.plain))
                if model is not None and position < len(vectors):
                    vector_rows.append((model, number, chunk, vectors[position]))
                chunk += 1
            rows_by_ns.setdefault(memory.ns, []).extend(rows)
        self._db.run_many(_CHUNK, chunk_rows)
        self._db.run_many(_TOKENS, tokens)
        self._db.run_many("INSERT INTO chunks_tri (rowid, text) VALUES (?, ?)", plain)
        self._db.run_many("INSERT INTO vectors VALUES (?, ?, ?, ?)", vector_rows)
        for ns, rows in rows_by_ns.items():
            self._replace_words(ns, (), [row.terms for row in rows])
            self._journal.grow(ns, len(rows), sum([row.length for row in rows]))
        return first if chunk_rows else 0

    def _forget(self, chunks: Sequence[int]) -> None:
        for table in ("chunks_fts", "chunks_tri"):
            self._db.run_many(
                f"DELETE FROM {table} WHERE rowid = ?", [(chunk,) for chunk in chunks]
            )

    def _replace_words(self, ns: str, old: Iterable[str], new: Iterable[str]) -> None:
        number, before, after = self._journal.namespace(ns), words_of(old), words_of(new)
        added = [(number, word) for word in sorted(after - before)]
        self._db.run_many("INSERT OR IGNORE INTO words VALUES (?, ?)", added)
        is_used = "SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT 1"
        for word in sorted(before - after):
            if self._db.get(is_used, (f'"{namespaced(number, encode(word))}"',)) is None:
                self._db.run("DELETE FROM words WHERE ns_id = ? AND word = ?", (number, word))

    def _set_terms(self, ns: str, chunk: int, terms: str, length: int) -> None:
        self._db.run("UPDATE chunks SET terms = ?, length = ? WHERE id = ?", (terms, length, chunk))
        self._db.run("DELETE FROM chunks_fts WHERE rowid = ?", (chunk,))
        self._db.run(_TOKENS, (chunk, namespaced(self._journal.namespace(ns), indexed(terms))))
