"""A whole graph as bytes: its texts once, all else as numbers, so that a large one is read far
faster than it is made.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any
from zlib import compress, decompress, error

from ghostmem.outline.facts import folded, unfolded
from ghostmem.outline.graph import Linked, Loose, OutlineLink, OutlineNode

# the fields that are numbers; all others are texts
_NUMBERS: dict[type[OutlineNode] | type[OutlineLink] | type[Loose], set[str]] = {
    OutlineNode: {"line", "end_line"},
    OutlineLink: {"line"},
    Loose: {"line", "candidates"},
}

_PROGRAM = {".py", ".scm", ".txt"}  # code, queries and data


@cache
def program() -> str:
    """Return a hash of the program that makes graphs, and of what runs it: one of another program
    is worth nothing.
    """
    made = sha256(f"{sys.version} {sys.byteorder}".encode())
    files = (path for path in Path(__file__).parent.rglob("*.*") if path.suffix in _PROGRAM)
    for path in sorted(files):
        made.update(path.name.encode() + path.read_bytes())
    return made.hexdigest()


def pack(linked: Linked, more: Any) -> bytes:
    """Return a graph as bytes, together with some plain data."""
    texts: dict[str, int] = {}
    numbers = array("I")
    counts = []
    for kind, rows in (
        (OutlineNode, linked.nodes.values()),
        (OutlineLink, linked.links),
        (Loose, linked.loose),
    ):
        counts.append(len(rows))
        for place, name in enumerate(kind._fields):
            column = map(itemgetter(place), rows)
            numbers.extend(column if name in _NUMBERS[kind] else _numbered(column, texts))
    head = folded([list(texts), counts, linked.notes, more])
    return len(head).to_bytes(4, "big") + head + compress(numbers.tobytes(), 1)


def _numbered(column: Iterable[str], texts: dict[str, int]) -> Iterator[int]:
    for text in column:
        yield texts.setdefault(text, len(texts))


def unpack(packed: bytes) -> tuple[Linked, Any] | None:
    """Read what `pack` returned; nothing when it is damaged."""
    end = 4 + int.from_bytes(packed[:4], "big")
    try:
        texts, counts, notes, more = unfolded(packed[4:end])
        numbers = array("I")
        numbers.frombytes(decompress(packed[end:]))
        at = 0
        made: list[Iterator[Any]] = []
        for kind, count in zip(_NUMBERS, counts, strict=True):
            columns: list[Iterable[Any]] = []
            for name in kind._fields:
                column = numbers[at : at + count]
                columns.append(column if name in _NUMBERS[kind] else map(texts.__getitem__, column))
                at += count
            made.append(map(kind, *columns))
        nodes, links, loose = made
        return Linked({node.id: node for node in nodes}, list(links), list(loose), notes), more
    except (error, ValueError, TypeError, IndexError):
        return None
