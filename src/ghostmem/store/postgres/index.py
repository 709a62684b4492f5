"""The index in PostgreSQL: chunks with tsvectors and trigrams, words and vectors."""

from collections.abc import Iterable, Sequence

from ghostmem.clock import format_time
from ghostmem.model import Memory
from ghostmem.store.index import Index
from ghostmem.store.postgres.connect import as_vec
from ghostmem.store.postgres.database import Db
from ghostmem.store.rows import IndexedMemory, IndexRow
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

    def add_all(self, entries: Iterable[IndexedMemory], model: int | None = None) -> int:
        first = [self._add(memory, rows, model, vectors) for memory, rows, vectors in entries]
        return next(filter(None, first), 0)

    def _add(
        self, memory: Memory, rows: Sequence[IndexRow], model: int | None, vectors: Sequence[bytes]
    ) -> int:
        first, ns = 0, memory.ns
        self._journal.namespace(ns)
        thread = self._thread(memory, ns, rows)
        for position, row in enumerate(rows):
            place = f"{format_time(memory.created_at)}{memory.id}{row.seq:06d}" if thread else None
            span = (row.seq, row.start, row.stop, row.start_line, row.end_line)
            codes = sorted(set(row.tokens.split(" "))) if row.tokens else []
            own = (row.terms, row.length, row.chunker, thread, place, row.plain, codes)
            values = (ns, memory.id, *span, *own)
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

    def _replace_words(self, ns: str, old: Iterable[str], new: Iterable[str]) -> None:
        before, after = words_of(old), words_of(new)
        added, gone = sorted(after - before), sorted(before - after)
        if added:
            self._db.run(
                "INSERT INTO words (ns, word) SELECT ?, unnest(?::text[]) ON CONFLICT DO NOTHING",
                (ns, added),
            )
        if gone:
            self._db.run(_FORGET_WORDS, (ns, gone, [encode(word) for word in gone], ns))

    def _set_terms(self, ns: str, chunk: int, terms: str, length: int) -> None:
        self._db.run(
            "UPDATE chunks SET terms = ?, length = ?, codes = array_to_tsvector(?::text[])"
            " WHERE ns = ? AND id = ?",
            (terms, length, sorted(set(indexed(terms).split())), ns, chunk),
        )
