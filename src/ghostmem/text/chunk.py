"""Split a text into chunks for the indexes, each about one topic."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ghostmem.text.blocks import BlockKind, MarkdownBlock, blocks
from ghostmem.text.borders import split, trimmed
from ghostmem.text.patterns import compiled

CHUNKER = "1"
"""The version of the chunker, stored with vectors: raise it whenever a text is cut differently."""

_WHOLE_LIMITS = 4  # a block of code or a table may have this many times the limit


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
    start, size = len(text) - len(text.lstrip()), len(text.strip())
    single = [(start, start + size)] if size else []
    return list(_numbered(text, single if size <= limit else _gathered(text, target, limit)))


def _numbered(text: str, pieces: Iterable[tuple[int, int]]) -> Iterator[ChunkSpan]:
    line, at = 1, 0
    for start, stop in pieces:
        line += text.count("\n", at, start)
        last = line + text.count("\n", start, stop)
        yield ChunkSpan(start, stop, line, last)
        line, at = last, stop


def _gathered(text: str, target: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of pieces, joined while they fit the target.

    A heading starts a piece and stays with the text below it.
    """
    current: tuple[int, int] | None = None
    headed = False  # the current chunk is headings only so far
    for block in blocks(text):
        if (
            block.kind is BlockKind.HEADING
            and current
            and not (headed and block.stop - current[0] <= limit // 2)
        ):
            yield current
            current, headed = None, False
        if block.kind is BlockKind.HEADING and block.stop - block.start <= limit // 2:
            current, headed = (current[0] if current else block.start, block.stop), True
            continue
        room = limit - (block.start - current[0]) if current and headed else limit
        if current and room < max(limit // 4, 1):  # a heading far above its text
            yield current
            current, headed, room = None, False, limit
        for start, stop in _pieces(text, block, target, limit, room):
            if current and not headed and stop - current[0] > target:
                yield current
                current = None
            current, headed = (current[0] if current else start, stop), False
    if current:
        yield current


def _pieces(
    text: str, block: MarkdownBlock, target: int, limit: int, room: int
) -> Iterator[tuple[int, int]]:
    """Yield a block as a whole if it fits, else its lines or items, split at the best borders."""
    longest = _WHOLE_LIMITS * limit if block.kind is BlockKind.WHOLE else limit
    first_room = longest if block.kind is BlockKind.WHOLE else room
    if block.stop - block.start <= first_room:
        yield block.start, block.stop
        return
    later: Iterable[int] = block.items[1:]
    if block.kind is BlockKind.WHOLE:
        later = map(re.Match.end, compiled("\n").finditer(text, block.start, block.stop))
    starts = [block.start, *later]
    for start, following in zip(starts, [*starts[1:], block.stop], strict=True):
        stop = trimmed(text, start, following)
        start += len(text[start:stop]) - len(text[start:stop].lstrip())
        if start == stop:
            continue
        if stop - start <= first_room:
            yield start, stop
        else:
            yield from split(
                text, start, stop, target=target, limit=limit, room=min(room, first_room)
            )
        first_room, room = longest, limit
