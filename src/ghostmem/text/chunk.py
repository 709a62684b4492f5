"""Split a text into chunks for the indexes, each about one topic."""

from collections.abc import Iterator
from typing import NamedTuple

CHUNKER = "1"
"""The version of the chunker, stored with vectors: raise it whenever a text is cut differently."""


class ChunkSpan(NamedTuple):
    """The span of a chunk, content[start:stop], and its lines (from 1, both included)."""

    start: int
    stop: int
    start_line: int
    end_line: int


def chunk(text: str, target: int = 400, limit: int = 600) -> list[ChunkSpan]:
    """Return spans of about `target` and at most `limit` characters; code may be longer."""
    limit = max(limit, 1)
    target = min(max(target, 1), limit)
    size = len(text.strip())
    if size == 0:
        return []
    if size <= limit:
        start = len(text) - len(text.lstrip())
        return list(_numbered(text, iter([(start, start + size)])))
    from ghostmem.text.gather import gathered

    return list(_numbered(text, gathered(text, target, limit)))


def _numbered(text: str, pieces: Iterator[tuple[int, int]]) -> Iterator[ChunkSpan]:
    """Yield the pieces with their line numbers."""
    line, at = 1, 0
    for start, stop in pieces:
        line += text.count("\n", at, start)
        last = line + text.count("\n", start, stop)
        yield ChunkSpan(start, stop, line, last)
        line, at = last, stop
