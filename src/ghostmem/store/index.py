"""The chunks of live last versions, and everything that is searched of them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from ghostmem.model import Chunk, Memory
from ghostmem.store.database import Database, StoreTable
from ghostmem.store.journal import Journal
from ghostmem.store.rows import IndexedMemory, IndexRow
from ghostmem.text.labels import tag_terms, with_tags

UNINDEXED = "memories that are not found by all their tags"


class Index(StoreTable, ABC):
    """Chunks, full text, substrings and words, written in the transaction of their memory."""

    def __init__(self, db: Database, journal: Journal) -> None:
        super().__init__(db)
        self._journal = journal

    def add(
        self,
        memory: Memory,
        rows: Sequence[IndexRow],
        model: int | None = None,
        vectors: Sequence[bytes] = (),
    ) -> int:
        """Index a memory's chunks, and return the number of the first one that has a vector.

        Without vectors the number is not asked for, and may be 0."""
        return self.add_all((IndexedMemory(memory, rows, vectors),), model)

    @abstractmethod
    def add_all(self, entries: Iterable[IndexedMemory], model: int | None = None) -> int:
        """Index the chunks of several memories, with the vectors that a model made of them.

        Returns the first chunk's number."""

    def _thread(self, memory: Memory, space: int | str, rows: Sequence[IndexRow]) -> int | None:
        """Return the number of the thread of a conversation, extended by some rows.

        `space` is the value of `Dialect.ns_column`."""
        if memory.conversation is None or not rows:
            return None
        column = self._sql.ns_column
        number: int = self._db.get(
            f"INSERT INTO threads ({column}, scope, chunks, length) VALUES (?, ?, ?, ?)"
            f" ON CONFLICT ({column}, scope) DO UPDATE SET chunks = threads.chunks"
            " + excluded.chunks, length = threads.length + excluded.length RETURNING id",
            (space, memory.conversation, len(rows), sum(row.length for row in rows)),
        )
        return number

    def remove(self, memory: Memory) -> int:
        """Take a memory out of every index and return the number of its chunks."""
        within, names = self._of(memory.ns)
        rows = self._db.rows(
            f"DELETE FROM chunks WHERE {within}memory_id = ?"
            " RETURNING id, length, thread_id, terms",
            (*names, memory.id),
        )
        self._forget([number for number, *_ in rows])
        if rows:
            self._grow(memory.ns, rows[0][2], -len(rows), -sum(row[1] for row in rows))
            self._replace_words(memory.ns, [row[3] for row in rows], ())
        return len(rows)

    def _forget(self, chunks: Sequence[int]) -> None:
        """Remove deleted chunks from indexes that do not follow their table."""

    def _grow(self, ns: str, thread: int | None, chunks: int, length: int) -> None:
        """Update the counts of a namespace and of a thread: a memory's chunks are of one thread."""
        if thread is not None:
            within, names = self._of(ns)
            self._db.run(
                f"UPDATE threads SET chunks = chunks + ?, length = length + ? WHERE {within}id = ?",
                (chunks, length, *names, thread),
            )
        self._journal.grow(ns, chunks, length)

    @abstractmethod
    def _replace_words(self, ns: str, old: Iterable[str], new: Iterable[str]) -> None:
        """Update the words of a namespace when terms of its chunks were replaced."""

    def reword(self, ns: str, memory_id: str, terms: Sequence[str]) -> None:
        """Replace the terms of a memory's chunks in order; their numbers and vectors stay."""
        within, names = self._of(ns)
        rows = self._db.rows(
            "SELECT id, length, thread_id, terms FROM chunks"
            f" WHERE {within}memory_id = ? ORDER BY seq",
            (*names, memory_id),
        )
        growth = 0
        for (chunk, length, *_), new in zip(rows, terms, strict=True):
            size = len(new.split())
            self._set_terms(ns, chunk, new, size)
            growth += size - length
        if rows:
            self._grow(ns, rows[0][2], 0, growth)
            self._replace_words(ns, [row[3] for row in rows], terms)

    @abstractmethod
    def _set_terms(self, ns: str, chunk: int, terms: str, length: int) -> None:
        """Replace the terms of a chunk."""

    def carry(self, old_id: str, new_id: str) -> int:
        """Move the index to a next version with the same text, key and source.

        Returns the number of chunks."""
        return self._db.change(
            *self._scoped(
                "UPDATE chunks SET memory_id = ? WHERE :ns memory_id = ?", old_id, before=[new_id]
            )
        )

    def terms(self, ns: str, memory_id: str) -> list[str]:
        """Return the terms of a memory's chunks in order."""
        within, names = self._of(ns)
        return self._column(
            f"SELECT terms FROM chunks WHERE {within}memory_id = ? ORDER BY seq",
            (*names, memory_id),
        )

    def count(self, memory_id: str) -> int:
        """Return the number of a memory's chunks."""
        return int(
            self._db.get(
                *self._scoped("SELECT count(*) FROM chunks WHERE :ns memory_id = ?", memory_id)
            )
        )

    def newest(self) -> int:
        """Return the highest number of a chunk."""
        return self._db.get("SELECT max(id) FROM chunks") or 0

    def wait(self, memory_id: str) -> None:
        """Record that a memory is to be linked to similar ones once it has vectors."""
        self._db.run(*self._inserted("unlinked", ("memory_id",), memory_id, [memory_id]))

    def numbers(self, memory_id: str) -> list[int]:
        """Return the numbers of a memory's chunks in order."""
        return self._column(
            *self._scoped("SELECT id FROM chunks WHERE :ns memory_id = ? ORDER BY seq", memory_id)
        )

    def first_chunks(self, ns: str) -> dict[str, int]:
        """Return the number of each live memory's first chunk in a namespace."""
        return dict(
            self._db.rows(
                f"SELECT memory_id, id FROM chunks WHERE {self._sql.of_ns()} AND seq = 0", (ns,)
            )
        )

    def chunks(self, memory: Memory) -> list[Chunk]:
        """Return a memory's chunks in order."""
        within, names = self._of(memory.ns)
        return [
            Chunk(memory.id, seq, memory.content[start:stop], first, last)
            for seq, start, stop, first, last in self._db.iterate(
                "SELECT seq, start, stop, start_line, end_line FROM chunks"
                f" WHERE {within}memory_id = ? ORDER BY seq",
                (*names, memory.id),
            )
        ]

    def _tagged(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield (namespace, memory, terms of its tags) of live memories with tags.

        A text that is no list of tags has none, and `ghost check` reports it."""
        for ns, memory_id, text in self._db.rows(
            "SELECT ns, id, tags FROM memories WHERE deleted_at IS NULL AND tags IS NOT NULL"
        ):
            try:
                tags = json.loads(text)
            except ValueError:
                continue
            texts = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
            if extra := tag_terms(texts):
                yield ns, memory_id, extra

    def index_tags(self) -> None:
        """Add the tags of all memories to the terms that their chunks are found by."""
        for ns, memory_id, extra in self._tagged():
            self.reword(
                ns, memory_id, [with_tags(text, extra) for text in self.terms(ns, memory_id)]
            )

    def count_unindexed(self) -> int:
        """Count the memories that have a chunk which is not found by all their tags."""
        return sum(
            not all(set(extra) <= set(terms.split()) for terms in self.terms(ns, memory_id))
            for ns, memory_id, extra in self._tagged()
        )
