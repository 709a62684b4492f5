"""The terminal: tables in any script, text wrapped to its width, and a screen redrawn in place."""

import re
import shutil
import signal
import sys
import threading
import time
import unicodedata
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from ghostmem.text.excerpt import visible

GAP = "  "
MIN_COLUMN = 8
HANGING = 4  # indent of the rest of a line that has no indent
MIN_WIDTH = 30  # on a narrower terminal the text is left as it is
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
# seconds after which it is noticed that the terminal has another size, or that it is time to go
STEP = 0.1
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_HOME, _TO_END_OF_LINE, _TO_END = "\x1b[H", "\x1b[K", "\x1b[J"


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
        lines.insert(
            0,
            _row(
                columns,
                sizes,
                [column.name for column in columns],
                lambda text, _: click.style(text, dim=True),
            ),
        )
    return [" " * indent + line for line in lines]


def _sizes(columns: Sequence[Column], cells: Sequence[Sequence[str]], width: int) -> list[int]:
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


def wrapped(text: str, width: int) -> str:
    """Return a text with its long lines broken at spaces, or between wide characters.

    Words without either are never broken, so that a long key, path or address can be copied.
    Escape sequences of styles take no space.
    """
    if width < MIN_WIDTH:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> Iterator[str]:
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


@contextmanager
def leaving() -> Iterator[threading.Event]:
    """Set an event at the signals that end a program, and restore their handlers afterwards."""
    stop = threading.Event()
    names = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    # In another thread: a handler interrupts the main one, which may hold the event's own lock.
    before = {
        number: signal.signal(number, lambda *_: start_new_thread(stop.set, ())) for number in names
    }
    try:
        yield stop
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def screen() -> Iterator[Callable[[list[str]], None]]:
    """Switch to the terminal's alternate screen, and yield a function that draws lines on it."""
    sys.stdout.write(_ENTER)
    sys.stdout.flush()
    try:
        yield _draw
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()


def wait_for_size(stop: threading.Event, seconds: float) -> None:
    """Wait until asked to stop, or until the terminal has another size."""
    end, before = time.monotonic() + seconds, terminal_size()
    while terminal_size() == before and (left := end - time.monotonic()) > 0:
        if stop.wait(min(STEP, left)):
            return


def terminal_size() -> tuple[int, int]:
    """Return the number of columns and lines of the terminal."""
    found = shutil.get_terminal_size((100, 40))
    return found.columns, found.lines


def _draw(lines: list[str]) -> None:
    rows = terminal_size()[1]
    shown = lines[:rows]
    sys.stdout.write(
        _HOME
        + "\n".join(line + _TO_END_OF_LINE for line in shown)
        + (_TO_END if len(shown) < rows else "")
    )
    sys.stdout.flush()
