"""Cut a note at its headings without losing a character: the front matter and all pieces joined are
the note.
"""

import re
from collections import Counter
from typing import NamedTuple

from ghostmem.text.blocks import code_end, line_end
from ghostmem.text.sections import slug, unique

_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?![ \t]*\r?\n)(?:(?!##).*\n)*?---[ \t]*\r?(?:\n|\Z)"
)  # else it is a line across
_HEADING_OR_FENCE = re.compile(
    r"^(?: {0,3}(?P<marks>#{1,6})(?=[ \t\n]|\Z)|[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:```|~~~))",
    re.MULTILINE,
)
LONGEST_NAME = 80


class Piece(NamedTuple):
    """A part of a note: its name in it (empty for the first), its heading, its text from the
    heading on, and its first line.
    """

    name: str
    heading: str
    text: str
    line: int


def front_matter(text: str) -> str:
    """Return the block of fields that a note opens with, or nothing."""
    found = _FRONT_MATTER.match(text)
    return found[0] if found else ""


def cut(text: str, levels: tuple[int, ...] = (1, 2)) -> list[Piece]:
    """Cut what follows the front matter at headings of these levels outside fenced code."""
    start = len(front_matter(text))
    marks = list(_headings(text, start, levels))
    if not marks or marks[0][0] > start:
        marks.insert(0, (start, ""))
    pieces: list[Piece] = []
    seen: Counter[str] = Counter()
    line, counted = 1, 0
    for number, (at, heading) in enumerate(marks):
        stop = marks[number + 1][0] if number + 1 < len(marks) else len(text)
        line, counted = line + text.count("\n", counted, at), at
        name = (
            unique(slug(heading)[:LONGEST_NAME], seen)
            if heading and number
            else ""
            if not number
            else unique("untitled", seen)
        )
        pieces.append(Piece(name, heading, text[at:stop], line))
    return pieces


def _headings(text: str, at: int, levels: tuple[int, ...]) -> "list[tuple[int, str]]":
    found: list[tuple[int, str]] = []
    while (mark := _HEADING_OR_FENCE.search(text, at)) is not None:
        line = mark.start()
        end = code_end(text, line)
        at = line_end(text, line) if end is None or _is_shown(text, line, end) else end
        if mark["marks"] and len(mark["marks"]) in levels:
            found.append((line, _title(text[mark.end() : line_end(text, line)])))
    return found


def _is_shown(text: str, line: int, end: int) -> bool:
    """Say whether marks of a fence are themselves indented code, which they can only be if nothing
    closes them.
    """
    return (
        text[line : line + 4] == "    "
        and end == len(text)
        and text.rfind("\n", 0, len(text.rstrip())) < line_end(text, line)
    )


def _title(text: str) -> str:
    """Return a heading's words without the hashes that may close it."""
    text = text.strip()
    plain = text.rstrip("#")
    return plain.strip() if not plain or plain[-1] in " \t" else text
