"""Cut a text into chunks for the indexes: small enough to be about one thing, never torn where it
hurts.
"""

from collections.abc import Iterator
from typing import NamedTuple

CHUNKER = "1"
"""The version of the cuts, recorded beside vectors: raise it whenever any text would be cut
differently.
"""


class Span(NamedTuple):
    """A chunk's place: content[start:stop], from and to these lines (counted from 1, both
    included).
    """

    start: int
    stop: int
    start_line: int
    end_line: int


def chunk(text: str, target: int = 400, limit: int = 600) -> list[Span]:
    """Cut a text into spans of about `target` and, but for code and tables, at most `limit`
    characters.
    """
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


def _numbered(text: str, pieces: Iterator[tuple[int, int]]) -> Iterator[Span]:
    """Give each piece its line numbers."""
    line, at = 1, 0
    for start, stop in pieces:
        line += text.count("\n", at, start)
        last = line + text.count("\n", start, stop)
        yield Span(start, stop, line, last)
        line, at = last, stop
