"""Chunks, full text and substrings of the live last versions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from ghostmem.engine.sqlite.journal import SqliteJournal
from ghostmem.model import Memory

if TYPE_CHECKING:
    from ghostmem.chunk import Chunk
    from ghostmem.engine.rows import IndexRow


class SqliteIndex:
    """Everything that is searched, written in the transaction of the memory it belongs to."""

    def __init__(self, db: apsw.Connection, journal: SqliteJournal) -> None:
        self._db = db
        self._journal = journal

    def add(self, memory: Memory, rows: "Sequence[IndexRow]") -> None:
        """Index a memory's chunks."""
        _, token = self._journal.namespace(memory.ns)
        for row in rows:
            self._db.execute(
                "INSERT INTO chunks (memory_id, seq, start, stop, start_line, end_line, terms, length, chunker)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    memory.id,
                    row.seq,
                    row.start,
                    row.stop,
                    row.start_line,
                    row.end_line,
                    row.terms,
                    row.length,
                    row.chunker,
                ),
            )
            number = self._db.last_insert_rowid()
            self._db.execute("INSERT INTO chunks_fts (rowid, nstok, text) VALUES (?, ?, ?)", (number, token, row.tokens))
            self._db.execute("INSERT INTO chunks_tri (rowid, text) VALUES (?, ?)", (number, row.plain))

    def remove(self, memory: Memory) -> int:
        """Take a memory out of every index and return how many chunks it had."""
        numbers = [n for (n,) in self._db.execute("SELECT id FROM chunks WHERE memory_id = ?", (memory.id,))]
        for number in numbers:
            self._db.execute("DELETE FROM chunks_fts WHERE rowid = ?", (number,))
            self._db.execute("DELETE FROM chunks_tri WHERE rowid = ?", (number,))
        if numbers:
            self._db.execute("DELETE FROM chunks WHERE memory_id = ?", (memory.id,))
        return len(numbers)

    def count(self, memory_id: str) -> int:
        """Return how many chunks a memory has."""
        found: int = self._db.execute("SELECT count(*) FROM chunks WHERE memory_id = ?", (memory_id,)).get
        return found

    def chunks(self, memory: Memory) -> "list[Chunk]":
        """Return a memory's chunks in order."""
        from ghostmem.chunk import Chunk

        sql = "SELECT seq, start, stop, start_line, end_line FROM chunks WHERE memory_id = ? ORDER BY seq"
        return [
            Chunk(memory.id, seq, memory.content[start:stop], first, last)
            for seq, start, stop, first, last in self._db.execute(sql, (memory.id,))
        ]
