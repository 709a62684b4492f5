"""Cut a note at its headings; the front matter and the pieces together are the whole note."""

import re
from collections import Counter
from typing import NamedTuple

from ghostmem.text.blocks import code_end, line_end
from ghostmem.text.sections import slug, unique

# a blank line after the first line means a horizontal rule
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?![ \t]*\r?\n)(?:(?!##).*\n)*?---[ \t]*\r?(?:\n|\Z)")
_HEADING_OR_FENCE = re.compile(
    r"^(?: {0,3}(?P<marks>#{1,6})(?=[ \t\n]|\Z)|[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:```|~~~))",
    re.MULTILINE,
)
MAX_NAME = 80  # characters


class Piece(NamedTuple):
    """A part of a note: a name (empty for the first), the heading, the text with the heading."""

    name: str
    heading: str
    text: str
    line: int


def front_matter(text: str) -> str:
    """Return the front matter of a note, or an empty text."""
    block = _FRONT_MATTER.match(text)
    return block[0] if block else ""


def cut(text: str, levels: tuple[int, ...] = (1, 2)) -> list[Piece]:
    """Cut the text after the front matter at headings of these levels outside fenced code."""
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
        name = ""
        if number:
            name = unique(slug(heading)[:MAX_NAME] if heading else "untitled", seen)
        pieces.append(Piece(name, heading, text[at:stop], line))
    return pieces


def _headings(text: str, at: int, levels: tuple[int, ...]) -> "list[tuple[int, str]]":
    headings: list[tuple[int, str]] = []
    while (mark := _HEADING_OR_FENCE.search(text, at)) is not None:
        line = mark.start()
        end = code_end(text, line)
        at = line_end(text, line) if end is None or _is_indented_code(text, line, end) else end
        if mark["marks"] and len(mark["marks"]) in levels:
            headings.append((line, _title(text[mark.end() : line_end(text, line)])))
    return headings


def _is_indented_code(text: str, line: int, end: int) -> bool:
    """Say whether the marks of a fence are indented code: then no other marks close them."""
    return (
        text[line : line + 4] == "    "
        and end == len(text)
        and text.rfind("\n", 0, len(text.rstrip())) < line_end(text, line)
    )


def _title(text: str) -> str:
    """Return the words of a heading without closing hashes."""
    text = text.strip()
    plain = text.rstrip("#")
    return plain.strip() if not plain or plain[-1] in " \t" else text
