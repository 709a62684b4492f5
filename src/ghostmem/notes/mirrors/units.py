"""The units of a mirrored folder, edits to them, and the interface of a layout."""

import hashlib
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

_BLANK = " \t\r\n"
_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?:(?!##[ \t]|---[ \t]*\r?\n)[^\n]*\n)*---[ \t]*\r?(?:\n|\Z)"
)
LF, CRLF = "\n", "\r\n"


class Unit(NamedTuple):
    """One memory in a folder; `number` counts the units of its file from 0."""

    key: str
    path: str
    number: int
    text: str
    tags: tuple[str, ...] = ()
    when: datetime | None = None  # the time the file gives for it
    lasting: bool = True


class UnitEdit(NamedTuple):
    """A new text for a unit; None removes the unit."""

    key: str
    text: str | None
    tags: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class MirrorLayout:
    """One way to arrange units in files.

    `home` returns the folder to lock for a given root. `paths` yields the files below it, each with
    whether it is a regular file. `read` splits a file into units. `edit` returns the text of a file
    after edits, empty if nothing is left; `strict` escapes more than usual. `rename` gives the unit
    with a number another key. `place` returns the path for a new unit from its key, its time,
    whether it is lasting, and the file names in use."""

    name: str
    about: str
    has_tags: bool
    is_single: bool  # each file is one unit
    home: Callable[[Path], Path]
    fits: Callable[[Path], bool]
    paths: Callable[[Path], Iterator[tuple[str, bool]]]
    read: Callable[[str, str], list[Unit]]
    edit: Callable[[str, str, Sequence[UnitEdit], bool], str]
    rename: Callable[[str, int, str], str]
    place: Callable[[str, datetime, bool, Container[str]], str]


def fingerprint(text: str) -> str:
    """Return a hash of a text; blank lines around it do not count."""
    return hashlib.sha256(strip_blank_lines(text).encode()).hexdigest()


def strip_blank_lines(text: str) -> str:
    """Return a text without the blank lines around it."""
    start, stop = text_span(text, LF)
    return text[start:stop]


def text_span(text: str, eol: str) -> tuple[int, int]:
    """Return the start and the end of the text inside blank lines; `eol` is its line ending."""
    stop = len(text.rstrip(_BLANK))
    if not stop:
        return len(text), len(text)
    feed = text.find("\n", stop)
    ends_with_cr = eol == CRLF and feed > stop and text[feed - 1] == "\r"
    stop = len(text) if feed < 0 else feed - ends_with_cr
    first = len(text) - len(text.lstrip(_BLANK))
    return text.rfind("\n", 0, first) + 1, stop


def read_region(region: str, eol: str) -> str:
    """Return the text of a region, with line feeds if all its lines end like the heading."""
    start, stop = text_span(region, eol)
    text = region[start:stop]
    return text.replace(CRLF, LF) if eol == CRLF and is_crlf(text) else text


def write_region(head: str, region: str, text: str, *, more: bool = False) -> str:
    """Return a unit with a new text in its region; the blank lines around it stay.

    A text that has CRLF itself could not be distinguished from one converted here, so the head then
    ends with a line feed only."""
    eol = eol_of(head)
    start, stop = text_span(region, eol)
    before, after = region[:start], region[stop:]
    if start == stop:
        before, after = eol, eol * 2 if more else eol
    if eol == CRLF and is_crlf(text):
        head = head.removesuffix(CRLF) + LF
        before, after = before.replace(CRLF, LF), after.replace(CRLF, LF)
    elif eol == CRLF and "\r" not in text:
        text = text.replace(LF, CRLF)
    return f"{head}{before}{text}{after}"


def is_crlf(text: str) -> bool:
    """Say whether a text has several lines, each but the last ending with CRLF."""
    return "\n" in text and text.count("\n") == text.count("\r\n") == text.count("\r")


def eol_of(head: str) -> str:
    """Return the line ending of the last line of a text."""
    return CRLF if head.endswith(CRLF) else LF


def first_eol(text: str) -> str:
    """Return the line ending of the first line of a text."""
    return eol_of(text[: text.find("\n") + 1])


def front_matter_end(text: str) -> int:
    """Return the offset behind the front matter of a file, 0 without one."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0
