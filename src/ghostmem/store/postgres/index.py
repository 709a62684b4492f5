"""The index in PostgreSQL: chunks with tsvectors and trigrams, words and vectors."""

from collections.abc import Iterable, Sequence

from ghostmem.clock import format_time
from ghostmem.model import Memory
from ghostmem.store.index import Index
from ghostmem.store.postgres.connect import as_vec
from ghostmem.store.postgres.database import Db
from ghostmem.store.postgres.journal import PostgresJournal
from ghostmem.store.rows import IndexRow
from ghostmem.store.tables import indexed
from ghostmem.text.spelling import words_of
from ghostmem.text.terms import encode

_COLUMNS = (
    "ns, memory_id, seq, start, stop, start_line, end_line, terms, length, chunker, "
    "thread_id, place, plain, codes"
)
_CHUNK = (
    f"INSERT INTO chunks ({_COLUMNS}) VALUES ({', '.join(['?'] * 13)}, "
    "array_to_tsvector(?::text[]))"
)

# deletes those of some words, with their codes, that no chunk of the namespace has any more
_FORGET_WORDS = (
    "DELETE FROM words w WHERE w.ns = ? AND w.word IN (SELECT given.word FROM "
    "unnest(?::text[], ?::text[])"
    " AS given (word, code) WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.ns = ? AND "
    "c.codes @@ given.code::tsquery))"
)


class PostgresIndex(Index):
    """Chunks, full text, substrings and words, written in the transaction of their memory."""

    _db: Db

    def __init__(self, db: Db, journal: PostgresJournal) -> None:
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
        first, ns = 0, memory.ns
        self._journal.namespace(ns)
        thread = self._thread(ns, memory.conversation, rows)
        for position, row in enumerate(rows):
            place = f"{format_time(memory.created_at)}{memory.id}{row.seq:06d}" if thread else None
            span = (row.seq, row.start, row.stop, row.start_line, row.end_line)
            codes = sorted(set(row.tokens.split(" "))) if row.tokens else []
            values = (
                ns,
                memory.id,
                *span,
                row.terms,
                row.length,
                row.chunker,
                thread,
                place,
                row.plain,
                codes,
            )
            if model is None or position >= len(vectors):
                self._db.run(_CHUNK, values)
            else:
                chunk: int = self._db.get(f"{_CHUNK} RETURNING id", values)
                first = first or chunk
                self._db.run(
                    "INSERT INTO vectors (ns, model_id, chunk_id, vector) VALUES (?, "
                    "?, ?, ?::vector)",
                    (ns, model, chunk, as_vec(vectors[position])),
                )
        self._db.added += len(rows)
        self._replace_words(ns, (), [row.terms for row in rows])
        if rows:
            self._journal.grow(ns, len(rows), sum(row.length for row in rows))
        return first

    def _thread(self, ns: str, scope: str | None, rows: Sequence[IndexRow]) -> int | None:
        """Return the number of the thread of a conversation, extended by some rows."""
        if scope is None or not rows:
            return None
        number: int = self._db.get(
            "INSERT INTO threads (ns, scope, chunks, length) VALUES (?, ?, ?, ?) ON "
            "CONFLICT (ns, scope)"
            " DO UPDATE SET chunks = threads.chunks + excluded.chunks, length = "
            "threads.length + excluded.length RETURNING id",
            (ns, scope, len(rows), sum(row.length for row in rows)),
        )
        return number

    def remove(self, memory: Memory) -> int:
        """Take a memory out of every index and return the number of its chunks."""
        sql = "DELETE FROM chunks WHERE ns = ? AND memory_id = ? RETURNING length, thread_id, terms"
        rows = self._db.rows(sql, (memory.ns, memory.id))
        threads: dict[int, tuple[int, int]] = {}
        for length, thread, _ in rows:
            if thread is not None:
                count, total = threads.get(thread, (0, 0))
                threads[thread] = (count + 1, total + length)
        for thread, (count, total) in threads.items():
            self._db.run(
                "UPDATE threads SET chunks = chunks - ?, length = length - ? WHERE ns = "
                "? AND id = ?",
                (count, total, memory.ns, thread),
            )
        if rows:
            self._journal.grow(memory.ns, -len(rows), -sum(length for length, _, _ in rows))
            self._replace_words(memory.ns, [terms for _, _, terms in rows], ())
        return len(rows)

    def _replace_words(self, ns: str, old: Iterable[str], new: Iterable[str]) -> None:
        """Update the words of a namespace when terms of its chunks were replaced."""
        before, after = words_of(old), words_of(new)
        added, gone = sorted(after - before), sorted(before - after)
        if added:
            sql = "INSERT INTO words (ns, word) SELECT ?, unnest(?::text[]) ON CONFLICT DO NOTHING"
            self._db.run(sql, (ns, added))
        if gone:
            self._db.run(_FORGET_WORDS, (ns, gone, [encode(word) for word in gone], ns))

    def reword(self, ns: str, memory_id: str, terms: Sequence[str]) -> None:
        """Replace the terms of a memory's chunks in order; their numbers and vectors stay."""
        rows = self._db.rows(
            "SELECT id, length, thread_id, terms FROM chunks WHERE ns = ? AND memory_id "
            "= ? ORDER BY seq",
            (ns, memory_id),
        )
        for (chunk, length, thread, _), new in zip(rows, terms, strict=True):
            size, codes = len(new.split()), sorted(set(indexed(new).split()))
            self._db.run(
                "UPDATE chunks SET terms = ?, length = ?, codes = "
                "array_to_tsvector(?::text[]) WHERE ns = ? AND id = ?",
                (new, size, codes, ns, chunk),
            )
            if thread is not None:
                sql = "UPDATE threads SET length = length + ? WHERE ns = ? AND id = ?"
                self._db.run(sql, (size - length, ns, thread))
            self._journal.grow(ns, 0, size - length)
        if rows:
            self._replace_words(ns, [row[3] for row in rows], terms)
