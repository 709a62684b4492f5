"""How sections stand in a role's file: below headings, with guards before what would be taken for
something else.

A heading inside a code fence is text, and a fence that is never closed hides nothing. Lines of a
text that would be taken for a heading, or for the beginning of such a fence, are written with a
backslash before them, which reading takes off again."""

import re
from collections.abc import Iterator
from enum import Enum

from ghostmem.text.blocks import fence_end, line_end

_SIGN = re.compile(r"^(?:[ \t]+(?=\\*[`~]))?(\\*)(## |`{3,}|~{3,})", re.MULTILINE)


class _Sign(Enum):
    HEADING = 1
    OPEN = 2  # a code fence that is never closed
    GUARDED = 3


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each section's title and text, guards taken off, from a text that ends in a
    line feed.
    """
    title, parts, start = "", list[str](), 0
    for sign, found in _signs(text):
        parts.append(text[start : found.start(1)])
        start = found.start(1)
        if sign is _Sign.GUARDED:
            start += 1
        elif sign is _Sign.HEADING:
            if title:
                yield title, "".join(parts)
            parts.clear()
            end = line_end(text, start)
            title, start = text[found.end() : end].strip(), end + 1
    if title:
        yield title, "".join([*parts, text[start:]])


def is_left_open(text: str) -> bool:
    """Say whether a file has a code fence that is never closed."""
    return any(sign is _Sign.OPEN for sign, _ in _signs(text + "\n"))


def guarded(text: str, hanging: bool) -> str:
    """Put a backslash before what would be misread.

    Behind a fence that the file leaves open, before every fence.
    """
    whole = text + "\n"
    parts, start = list[str](), 0
    for found in _SIGN.finditer(whole) if hanging else (found for _, found in _signs(whole)):
        parts.append(whole[start : found.start(1)])
        start = found.start(1)
    return "\\".join([*parts, whole[start:-1]])


def _signs(text: str) -> Iterator[tuple[_Sign, re.Match[str]]]:
    """Yield the lines outside code fences that are no plain text, from a text that ends in a line
    feed.
    """
    at, unclosed = 0, dict[str, int]()
    while (found := _SIGN.search(text, at)) is not None:
        at = line_end(text, found.start())
        guard, mark = found.groups()
        if guard:
            yield _Sign.GUARDED, found
        elif mark == "## ":
            yield _Sign.HEADING, found
        elif mark[0] == "~" or "`" not in text[found.end() : at]:
            # where a short fence finds no end, no longer one does: looking again would take forever
            # on a hostile file
            end = (
                fence_end(text, found.start())
                if len(mark) < unclosed.get(mark[0], len(text))
                else None
            )
            if end is not None and end < len(text):
                at = end
            else:
                unclosed[mark[0]] = min(len(mark), unclosed.get(mark[0], len(mark)))
                yield _Sign.OPEN, found
