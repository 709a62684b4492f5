"""Tables for a terminal: aligned columns in any script, within a width."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ghostmem.cli.style import bold, dim
from ghostmem.text.excerpt import visible

GAP = "  "
MIN_COLUMN = 8
_AGES = (
    (31_536_000, "y"),
    (2_592_000, "mo"),
    (604_800, "w"),
    (86_400, "d"),
    (3_600, "h"),
    (60, "min"),
)


@dataclass(frozen=True)
class Column:
    """A column: its heading, alignment and style, and whether it shrinks when space is short."""

    name: str = ""
    right: bool = False
    style: Callable[[str], str] = str
    yields: bool = False
    most: int = 1000


def width_of(text: str) -> int:
    """Return the number of terminal cells that a text takes."""
    return sum(
        0
        if unicodedata.combining(letter) or letter in "\u200b\u200d\ufe0f"
        else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def fit(text: str, width: int) -> str:
    """Return a text as one line without control characters, cut to a number of cells."""
    line = visible(" ".join(text.split()))
    if width_of(line) <= width:
        return line
    found, room = "", width - 1
    for letter in line:
        room -= width_of(letter)
        if room < 0:
            break
        found += letter
    return found.rstrip() + "…" if width > 0 else ""


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int, indent: int = 2
) -> list[str]:
    """Return the lines of a table; columns that yield share the width that the others leave."""
    if not rows:
        return []
    cells = [
        [fit(cell, column.most) for cell, column in zip(row, columns, strict=True)] for row in rows
    ]
    sizes = _sizes(columns, cells, width - indent)
    lines = [_row(columns, sizes, row, lambda text, column: column.style(text)) for row in cells]
    if any(column.name for column in columns):
        names = [column.name for column in columns]
        lines.insert(0, _row(columns, sizes, names, lambda text, _: dim(text)))
    return [" " * indent + line for line in lines]


def _sizes(columns: Sequence[Column], cells: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of the columns."""
    sizes = [
        max(width_of(column.name), *(width_of(row[place]) for row in cells))
        for place, column in enumerate(columns)
    ]
    yielding = [place for place, column in enumerate(columns) if column.yields]
    fixed = sum(size for place, size in enumerate(sizes) if place not in yielding)
    room = width - len(GAP) * (len(columns) - 1) - fixed
    for remaining, place in zip(range(len(yielding), 0, -1), yielding, strict=True):
        sizes[place] = max(MIN_COLUMN, min(sizes[place], room // remaining))
        room -= sizes[place]
    return sizes


def _row(
    columns: Sequence[Column],
    sizes: Sequence[int],
    row: Sequence[str],
    style: Callable[[str, Column], str],
) -> str:
    parts = []
    for place, (column, size, cell) in enumerate(zip(columns, sizes, row, strict=True)):
        text = fit(cell, size)
        pad = " " * (size - width_of(text))
        shown = style(text, column) if text else ""
        parts.append(
            pad + shown if column.right else shown + (pad if place < len(columns) - 1 else "")
        )
    return GAP.join(parts).rstrip()


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Return lines under a title, after an empty line; without lines an empty list."""
    return ["", bold(title), *lines] if lines else []


def age(at: datetime | None, now: datetime) -> str:
    """Return the age of a time in a few letters."""
    if at is None:
        return ""
    seconds = (now - at).total_seconds()
    if seconds < 0:
        return "ahead"
    unit = next((step for step in _AGES if seconds >= step[0]), None)
    return f"{int(seconds // unit[0])} {unit[1]}" if unit else "now"


def bar(share: float, width: int) -> str:
    """Return a bar for a share of the whole."""
    return "█" * max(1, round(share * width)) if share > 0 else ""
