"""Split a markdown text into blocks: headings, prose, lists, and fenced code or tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ghostmem.text.patterns import compiled

_INK = re.compile(r"\S")
_OPENER = (
    r"[ \t]*(?:(?P<fence>`{3,}+(?![^\n]*`)|~{3,})"
    r"|(?P<heading>(?<! {4})(?<!\t)#{1,6}(?=[ \t\r\n]|\Z))"
    r"|(?P<item>(?:[-*+]|\d{1,9}[.)])(?=[ \t\r\n]|\Z)))"
)
_LISTED = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+(?=```|~~~)"
_CLOSER = r"(?m)^[ \t]*(`{3,}|~{3,})[ \t\r]*$"
_UNDERLINE = r" {0,3}(?:={2,}|-{2,})[ \t\r]*(?:\n|\Z)"
_PLAIN_LINES = r"(?:\n[ \t]*[^\W\d_][^\n|]*+(?=\n|\Z))*"
_MAX_UNDERLINED = 100  # characters of a heading with a line of = or - below it


class BlockKind(Enum):
    """The kind of a block; a WHOLE block is fenced code or a table."""

    HEADING = 1
    PROSE = 2
    LIST = 3
    WHOLE = 4


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of complete lines, text[start:stop] without outer spaces, and its item offsets."""

    kind: BlockKind
    start: int
    stop: int
    items: tuple[int, ...] = ()


def blocks(text: str) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a text in order; between them is only white space."""
    at = 0
    while (ink := _INK.search(text, at)) is not None:
        line = max(text.rfind("\n", at, ink.start()) + 1, at)
        kind, end, items = _read(text, line)
        stop = line + len(text[line:end].rstrip())
        yield MarkdownBlock(kind, ink.start(), stop, items)
        at = stop


def opened_fence(text: str, line: int) -> "re.Match[str] | None":
    """Return the match of a code fence that opens on this line or in its list item."""
    listed = compiled(_LISTED).match(text, line)
    opener = compiled(_OPENER).match(text, listed.end() if listed else line)
    return opener if opener and opener["fence"] else None


def closing_end(text: str, opener: "re.Match[str]") -> int | None:
    """Return the end of the line that closes a fence, or None if it is never closed."""
    closers = compiled(_CLOSER).finditer(text, opener.end())
    return next((mark.end() for mark in closers if mark[1].startswith(opener["fence"])), None)


def code_end(text: str, line: int) -> int | None:
    """Return the end of the fenced code that opens on this line or in its list item, or None."""
    opener = opened_fence(text, line)
    return None if opener is None else closing_end(text, opener) or len(text)


def line_end(text: str, line: int) -> int:
    """Return the offset of the line feed that ends the line, or of the end of the text."""
    end = text.find("\n", line)
    return len(text) if end < 0 else end


def _read(text: str, line: int) -> tuple[BlockKind, int, tuple[int, ...]]:
    """Read the block that begins on this line: its kind, its end and its items."""
    opener = compiled(_OPENER).match(text, line)
    match opener.lastgroup if opener else None:
        case "fence":
            return BlockKind.WHOLE, code_end(text, line) or len(text), ()
        case "heading":
            return BlockKind.HEADING, line_end(text, line), ()
        case "item":
            return _read_list(text, line)
    return (
        (BlockKind.WHOLE, _table_end(text, line), ())
        if _opens_table(text, line)
        else _read_prose(text, line)
    )


def _read_prose(text: str, line: int) -> tuple[BlockKind, int, tuple[int, ...]]:
    """Read a paragraph, or a heading that is underlined by its second line."""
    first_end = end = line_end(text, line)
    while end < len(text):
        following = end + 1
        following_end = line_end(text, following)
        if not text[following:following_end].strip():
            break
        if (
            end == first_end
            and end - line <= _MAX_UNDERLINED
            and compiled(_UNDERLINE).match(text, following)
        ):
            return BlockKind.HEADING, following_end, ()
        if compiled(_OPENER).match(text, following) or _opens_table(text, following):
            break
        plain = compiled(_PLAIN_LINES).match(
            text, following_end
        )  # for speed: lines that are surely prose
        end = plain.end() if plain else following_end
    return BlockKind.PROSE, end, ()


def _read_list(text: str, line: int) -> tuple[BlockKind, int, tuple[int, ...]]:
    """Read a list with its nested items and indented continuations, also over blank lines."""
    items, end = [line], line_end(text, line)
    while (ink := _INK.search(text, end)) is not None:
        after_blank = text.count("\n", end, ink.start()) > 1
        following = text.rfind("\n", end, ink.start()) + 1
        opener = compiled(_OPENER).match(text, following)
        opened = opener.lastgroup if opener else None
        if opened in {"fence", "heading"} or _opens_table(text, following):
            break
        if opened == "item":
            items.append(following)
        elif after_blank and following == ink.start():
            break
        end = line_end(text, following)
    return BlockKind.LIST, end, tuple(items)


def _opens_table(text: str, line: int) -> bool:
    """Say whether this line has cells and the next one is the rule under a table's head."""
    end = line_end(text, line)
    if end == len(text) or text.find("|", line, end) < 0:
        return False
    rule = text[end + 1 : line_end(text, end + 1)]
    return "|" in rule and "-" in rule and not rule.strip("|:- \t\r")


def _table_end(text: str, line: int) -> int:
    end = line_end(text, line)
    while (
        end < len(text) and text.find("|", end + 1, following_end := line_end(text, end + 1)) >= 0
    ):
        end = following_end
    return end
