"""Wrap text to the width of a terminal, with the indent of its line kept."""

import re
from collections.abc import Iterator

from ghostmem.cli.tables import width_of

HANGING = 4  # indent of the rest of a line that has no indent
MIN_WIDTH = 30  # on a narrower terminal the text is left as it is
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def wrapped(text: str, width: int) -> str:
    """Return a text with its long lines broken at spaces, or between wide characters.

    Words without either are never broken, so that a long key, path or address can be copied.
    Escape sequences of styles take no space.
    """
    if width < MIN_WIDTH:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> Iterator[str]:
    """Yield the lines that one line is broken into."""
    if _cells(line) <= width:
        yield line
        return
    indent = len(line) - len(line.lstrip(" "))
    rest = " " * (indent if 0 < indent <= width // 2 else HANGING)
    part, is_empty = line[:indent], True
    for piece in _pieces(line[indent:]):
        if not is_empty and _cells(part + piece.rstrip(" ")) > width:
            yield part.rstrip(" ")
            part, piece = rest, piece.lstrip(" ")
        part += piece
        is_empty = False
    yield part.rstrip(" ")


def _pieces(text: str) -> Iterator[str]:
    """Yield the pieces between which a line may be broken: words, and single wide characters."""
    for word in re.findall(r" *[^ ]+| +$", text):
        start = 0
        for number, letter in enumerate(word):
            if number > start and width_of(letter) == 2:
                yield word[start:number]
                start = number
        yield word[start:]


def _cells(text: str) -> int:
    """Return the number of terminal cells of a text, without its styles."""
    plain = _STYLE.sub("", text) if "\x1b" in text else text
    return len(plain) if plain.isascii() else width_of(plain)
