"""The units of a mirrored folder: edits, merges, names of keys, and the interface of a layout."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from typing import NamedTuple

from ghostmem.notes.files import DEVICE
from ghostmem.notes.knowledge import INDEX, MAX_NAME_BYTES, same_file_name
from ghostmem.notes.layouts import Layout
from ghostmem.notes.topic_files import folded
from ghostmem.store.small_tables import MirrorItem
from ghostmem.text.sections import heading_words

_BLANK = " \t\r\n"
LF, CRLF = "\n", "\r\n"

MAX_KEY = 512
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_READ_AS_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_INVISIBLE = ("Cc", "Zl", "Zp")
_NOT_IN_FILES = re.compile(r'[<>:"/\\|?*]|^\.|\.$')
_HALF_ESCAPE = re.compile(r"%[0-9A-F]?\Z")


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


@dataclass(frozen=True, kw_only=True)
class MirrorLayout(Layout):
    """A layout of a folder whose notes are written, too.

    `home` returns the folder to lock. `units` splits a file into units. `edit` returns the text of
    a file after edits, empty if nothing is left; with `strict`, it escapes more than usual.
    `rename` gives the unit with a number another key. `place` returns the path for a new unit from
    its key, its time, whether it is lasting, and the file names in use."""

    has_tags: bool
    is_single: bool  # each file is one unit
    units: Callable[[str, str], list[Unit]]
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
    if not (stop := len(text.rstrip(_BLANK))):
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


def line(key: str) -> str:
    """Return a key as a line of its own."""
    return _escaped(key, _unsafe(key))


def heading(key: str) -> str:
    """Return a key as the text of a heading."""
    hashes = {len(key) - 1} if heading_words(key) != key.strip(" \t\r") else set()
    return _escaped(key, _unsafe(key) | hashes)


def of_heading(words: str) -> str | None:
    """Return the key that a heading spells, or None if it is not a key."""
    return of_line(heading_words(words).replace("\t", " "))


def of_line(words: str) -> str | None:
    """Return the key that a line spells, or None if it is not a key."""
    key = _ESCAPED.sub(_unescaped, words.strip(" \t\r"))
    is_key = (
        key.strip()
        and len(key) <= MAX_KEY
        and not any(char < " " or char == "\x7f" for char in key)
    )
    return key if is_key else None


def stem(key: str, names_in_use: Container[str]) -> str:
    """Return the file name of a key, unlike `names_in_use` (see `same_file_name`)."""
    unsafe = _unsafe(key) | {match.start() for match in _NOT_IN_FILES.finditer(key)}
    if DEVICE.fullmatch(key) or same_file_name(key) == INDEX:
        unsafe.add(0)
    name = _escaped(key, unsafe)
    if len(name.encode()) <= MAX_NAME_BYTES and same_file_name(name) not in names_in_use:
        return name
    mark = "~" + hashlib.sha256(key.encode()).hexdigest()[:8]
    start = name.encode()[: MAX_NAME_BYTES - len(mark) - 3].decode(errors="ignore")
    name = f"{_HALF_ESCAPE.sub('', start)}{mark}"
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    return next(name for name in names if same_file_name(name) not in names_in_use)


def _unsafe(key: str) -> set[int]:
    """Return the offsets that a line would lose or that would be read as an escape."""
    unsafe = {offset for offset in (0, len(key) - 1) if key[offset].isspace()}
    unsafe |= {
        offset for offset, char in enumerate(key) if unicodedata.category(char) in _INVISIBLE
    }
    return unsafe | {escape.start() for escape in _READ_AS_ESCAPE.finditer(key)}


def _escaped(key: str, unsafe: set[int]) -> str:
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode()) if offset in unsafe else char
        for offset, char in enumerate(key)
    )


def _unescaped(escapes: "re.Match[str]") -> str:
    try:
        return bytes.fromhex(escapes[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return escapes[0]


class Content(NamedTuple):
    """The text of a memory or a unit, and the tags that both can carry."""

    text: str
    tags: tuple[str, ...] = ()


class MergeResult(NamedTuple):
    """The content for both sides (None: remove), and a text to keep under another key."""

    keep: Content | None
    displaced: str | None = None


def merge(
    base: MirrorItem | None, memory: Content | None, unit: Content | None, *, locked: bool = False
) -> MergeResult:
    """Merge both sides: an edit wins over a removal, and of two edited texts none is lost.

    If both were edited, the folder's text keeps the key, unless the memory is locked."""
    if memory is None or unit is None:
        present = memory or unit
        removed = (
            present is not None
            and base is not None
            and is_unchanged(base, present)
            and not (locked and memory is not None)
        )
        return MergeResult(None if removed else present)
    base_tags: frozenset[str] = base.tags if base else frozenset()
    tags = memory.tags if locked else merge_tags(base_tags, memory.tags, unit.tags)
    memory_hash, unit_hash = fingerprint(memory.text), fingerprint(unit.text)
    if memory_hash == unit_hash or (base is not None and base.hash == unit_hash):
        return MergeResult(Content(memory.text, tags))
    if locked:
        return MergeResult(Content(memory.text, tags), unit.text)
    is_memory_edited = base is None or base.hash != memory_hash
    displaced = strip_blank_lines(memory.text) if is_memory_edited else None
    return MergeResult(Content(unit.text, tags), displaced)


def is_unchanged(base: MirrorItem, content: Content) -> bool:
    """Say whether a content is the one of the last run."""
    return base.hash == fingerprint(content.text) and base.tags == tag_set(content.tags)


def is_same(first: Content, second: Content) -> bool:
    """Say whether two contents have the same text and tags."""
    same_text = fingerprint(first.text) == fingerprint(second.text)
    return same_text and tag_set(first.tags) == tag_set(second.tags)


def merge_tags(
    base: frozenset[str], memory: tuple[str, ...], unit: tuple[str, ...]
) -> tuple[str, ...]:
    """Merge tags: those that either side removed are gone, those that either added are kept."""
    removed = base - tag_set(unit)
    present = tag_set(memory) | base
    return (
        *(tag for tag in memory if folded(tag) not in removed),
        *(tag for tag in unit if folded(tag) not in present),
    )


def tag_set(tags: tuple[str, ...]) -> frozenset[str]:
    """Return tags in the form in which they are compared."""
    return frozenset(folded(tag) for tag in tags)
