"""What a mirrored folder is made of: units, changes to them, and the shape that says where they
stand.
"""

import hashlib
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

_BLANK = " \t\r\n"
_FRONT = re.compile(r"---[ \t]*\r?\n(?:(?!##[ \t]|---[ \t]*\r?\n)[^\n]*\n)*---[ \t]*\r?(?:\n|\Z)")
LF, CRLF = "\n", "\r\n"


class Unit(NamedTuple):
    """One memory as it stands in a folder: its key, its file, which of the file's units it is, and
    what it says.
    """

    key: str
    path: str
    number: int
    text: str
    tags: tuple[str, ...] = ()
    when: datetime | None = None  # what time it is of, if that is told
    lasting: bool = True


class Change(NamedTuple):
    """What a unit should say from now on; without a text it should not be there."""

    key: str
    text: str | None
    tags: tuple[str, ...]
    at: datetime


class Wish(NamedTuple):
    """What decides where a new unit is written: its key, when the memory was made, and whether it
    is to last.
    """

    key: str
    at: datetime
    lasting: bool


@dataclass(frozen=True)
class Shape:
    """One way to lay out units.

    `home` is the folder that is locked, given the one that was named; `paths` yields the files of
    it as (path, is a plain file); `read` takes a file apart; `edit` returns a file's text with
    changes made (with `strict`, guarded more than usual), empty when nothing is left; `rename`
    gives a file's unit of a number another key; `place` says where a new unit goes."""

    name: str
    about: str
    has_tags: bool
    is_single: bool  # a file is one unit
    home: Callable[[Path], Path]
    fits: Callable[[Path], bool]
    paths: Callable[[Path], Iterator[tuple[str, bool]]]
    read: Callable[[str, str], list[Unit]]
    edit: Callable[[str, str, Sequence[Change], bool], str]
    rename: Callable[[str, int, str], str]
    place: Callable[[Wish, Container[str]], str]


def fingerprint(text: str) -> str:
    """Return what a unit's text is known by; the blank lines around it do not count."""
    return hashlib.sha256(inked(text).encode()).hexdigest()


def inked(text: str) -> str:
    """Return a text without the blank lines around it."""
    start, stop = ink(text, LF)
    return text[start:stop]


def ink(text: str, eol: str) -> tuple[int, int]:
    """Return where the text within blank lines starts and stops; `eol` is how its lines end."""
    stop = len(text.rstrip(_BLANK))
    if not stop:
        return len(text), len(text)
    feed = text.find("\n", stop)
    ends_so = eol == CRLF and feed > stop and text[feed - 1] == "\r"
    stop = len(text) if feed < 0 else feed - ends_so
    first = len(text) - len(text.lstrip(_BLANK))
    return text.rfind("\n", 0, first) + 1, stop


def said(region: str, eol: str) -> str:
    """Return what stands in a region of a file whose head ends its lines so: the text, with line
    feeds if it ends them alike.
    """
    start, stop = ink(region, eol)
    text = region[start:stop]
    return text.replace(CRLF, LF) if eol == CRLF and is_crlf(text) else text


def put_in(head: str, region: str, text: str, *, more: bool = False) -> str:
    """Return a unit with another text in its region.

    What is around that stays, also where there was no text.

    A text that itself has CRLF cannot be told from one that was given them here, so that then the
    head's last line gets none."""
    eol = eol_of(head)
    start, stop = ink(region, eol)
    before, after = region[:start], region[stop:]
    if start == stop:
        before, after = eol, eol * 2 if more else eol
    if eol == CRLF and is_crlf(text):
        head, before, after = (
            head.removesuffix(CRLF) + LF,
            before.replace(CRLF, LF),
            after.replace(CRLF, LF),
        )
    elif eol == CRLF and "\r" not in text:
        text = text.replace(LF, CRLF)
    return f"{head}{before}{text}{after}"


def is_crlf(text: str) -> bool:
    """Say whether a text has lines and ends each but the last with CRLF."""
    return "\n" in text and text.count("\n") == text.count("\r\n") == text.count("\r")


def eol_of(head: str) -> str:
    """Return how the last line of a text ends."""
    return CRLF if head.endswith(CRLF) else LF


def first_eol(text: str) -> str:
    """Return how the first line of a text ends."""
    return eol_of(text[: text.find("\n") + 1])


def front_end(text: str) -> int:
    """Return where the fields that a file opens with end."""
    found = _FRONT.match(text)
    return found.end() if found else 0
