"""The files and units of a mirrored folder: read, edit, merge, and the interface of a layout.

An edit changes no other bytes of a file."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.grouping import grouped
from ghostmem.model import Stat
from ghostmem.notes.files import BOM, DEVICE, MISSING, remove_file, replace_file
from ghostmem.notes.knowledge import INDEX, MAX_NAME_BYTES, same_file_name
from ghostmem.notes.layouts import Layout
from ghostmem.notes.scan import ChangingError, FolderScan, read_note, scan
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
_BOM = "\ufeff"
UNSAFE = "is laid out in a way that cannot be changed safely"


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
    return text.rfind("\n", 0, len(text) - len(text.lstrip(_BLANK))) + 1, stop


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


class MergeResult(NamedTuple):
    """The text and tags for both sides (None: remove), and a text to keep under another key."""

    keep: Unit | None
    displaced: str | None = None


def merge(
    base: MirrorItem | None, memory: Unit | None, unit: Unit | None, *, locked: bool = False
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
        return MergeResult(memory._replace(tags=tags))
    if locked:
        return MergeResult(memory._replace(tags=tags), unit.text)
    is_memory_edited = base is None or base.hash != memory_hash
    displaced = strip_blank_lines(memory.text) if is_memory_edited else None
    return MergeResult(unit._replace(tags=tags), displaced)


def is_unchanged(base: MirrorItem, unit: Unit) -> bool:
    """Say whether a unit has the text and tags of the last run."""
    return base.hash == fingerprint(unit.text) and base.tags == tag_set(unit.tags)


def is_same(first: Unit, second: Unit) -> bool:
    """Say whether two units have the same text and tags."""
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


class MirrorFile(NamedTuple):
    """A file with its own line endings, without its byte order mark."""

    stat: Stat | None
    digest: str
    bom: bool
    text: str
    units: tuple[Unit, ...]


NO_FILE = MirrorFile(None, MISSING, False, "", ())


@dataclass(slots=True)
class FolderContents:
    """The files and units of a mirrored folder."""

    files: dict[str, MirrorFile] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)  # the files with a copy of a unit
    extra: list[Unit] = field(default_factory=list)  # units whose key another unit has
    closed: dict[str, str] = field(default_factory=dict)  # unusable paths with the reason

    def names(self) -> set[str]:
        """Return the names of the files in the form in which they are compared."""
        return {same_file_name(path.rpartition(".")[0]) for path in (*self.files, *self.closed)}


def read_folder(
    home: Path,
    layout: MirrorLayout,
    items: Mapping[str, MirrorItem],
    before: FolderContents | None = None,
) -> FolderContents:
    """Read a folder; files whose stats equal those in `before` are not read again.

    Raises:
        NotFoundError: the folder cannot be listed."""
    listing = scan(home, layout) if home.is_dir() else FolderScan()
    contents = FolderContents(closed=listing.refused)
    for path, stat in sorted(listing.files.items()):
        previous = before.files.get(path) if before else None
        file = previous if previous and previous.stat == stat else _read(home, path, layout)
        if isinstance(file, str):
            contents.closed[path] = file
        elif file is not None:
            contents.files[path] = file
    _assign_keys(contents, items)
    return contents


def edit_file(
    home: Path,
    layout: MirrorLayout,
    contents: FolderContents,
    path: str,
    edits: Sequence[UnitEdit],
) -> dict[str, str]:
    """Edit a file as it was read, and return the keys that failed with the reason.

    The caller holds the lock."""
    file = contents.files.get(path, NO_FILE)
    text, failed = _apply(layout, path, file, edits)
    if text != file.text and (problem := _save(home / path, file, text)):
        return {edit.key: problem for edit in edits}
    return failed


def rename_unit(
    home: Path, layout: MirrorLayout, contents: FolderContents, unit: Unit, key: str
) -> str:
    """Give a unit another key, and return the reason if that fails.

    The caller holds the lock."""
    file = contents.files[unit.path]
    text = layout.rename(file.text, unit.number, key)
    renamed = [(part.key, part.text) for part in layout.units(unit.path, text)]
    wanted = [(key if old.number == unit.number else old.key, old.text) for old in file.units]
    return _save(home / unit.path, file, text) if renamed == wanted else UNSAFE


def _save(path: Path, file: MirrorFile, text: str) -> str:
    """Replace a file, or remove it if the text is empty; return the reason if that fails."""
    try:
        if text:
            replace_file(path, (BOM if file.bom else b"") + text.encode(), file.digest)
        else:
            remove_file(path, file.digest)
    except (NoteConflictError, InvalidInputError) as error:
        return error.message
    return ""


def free_key(key: str, marks: Sequence[str], is_free: Callable[[str], bool]) -> str:
    """Return the key with the first mark that makes it unused; the last mark is numbered."""
    numbered = (f"{marks[-1]} {number}" for number in count(2))
    keys = (key[: MAX_KEY - len(mark)] + mark for mark in chain(marks, numbered))
    return next(filter(is_free, keys))


def _read(home: Path, path: str, layout: MirrorLayout) -> MirrorFile | str | None:
    """Return a file, the reason if it cannot be used, or None if it is gone."""
    try:
        stat, text = read_note(home / path)
    except FileNotFoundError:
        return None
    except ChangingError:
        return "changes while it is read"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if text.lossy:
        return "is not UTF-8"
    raw = text.text.replace(LF, CRLF) if text.crlf else text.text
    return MirrorFile(stat, text.digest, text.bom, raw, tuple(layout.units(path, raw)))


def _assign_keys(contents: FolderContents, items: Mapping[str, MirrorItem]) -> None:
    """Choose the unit of each key: the one at its old place with its old text, else the first.

    Units with the same text are copies of it, not extra units."""
    units = [unit for file in contents.files.values() for unit in file.units]
    for key, group in grouped((unit.key, unit) for unit in units).items():
        chosen = group[0]
        if len(group) > 1 and key in items:
            path, digest = items[key].path, items[key].hash
            chosen = max(
                group, key=lambda unit: 2 * (unit.path == path) + (fingerprint(unit.text) == digest)
            )
        copies = [unit for unit in group if unit.text == chosen.text or not unit.text]
        contents.units[key] = chosen
        contents.places[key] = list(dict.fromkeys(unit.path for unit in copies))
        contents.extra += [unit for unit in group if unit not in copies]


def _apply(
    layout: MirrorLayout, path: str, file: MirrorFile, edits: Sequence[UnitEdit]
) -> tuple[str, dict[str, str]]:
    """Return the text after the edits that read back correctly, and the keys of the others."""
    for strict in (False, True):
        text = layout.edit(path, file.text, edits, strict)
        if _reads_back(layout, path, file, text, edits):
            return text, {}
    if len(edits) == 1:
        return file.text, {edits[0].key: f"its file {UNSAFE}"}
    failed: dict[str, str] = {}
    for edit in edits:
        text, problems = _apply(layout, path, file, [edit])
        failed |= problems
        file = file._replace(text=text, units=tuple(layout.units(path, text)))
    return file.text, failed


def _reads_back(
    layout: MirrorLayout, path: str, file: MirrorFile, text: str, edits: Sequence[UnitEdit]
) -> bool:
    if text.startswith(_BOM) and not file.text.startswith(_BOM):
        return False  # it would be read as the byte order mark of the file

    def content(unit: Unit | UnitEdit) -> tuple[str, str | None, frozenset[str]]:
        return unit.key, unit.text, tag_set(unit.tags)

    edited = {edit.key for edit in edits}
    wanted = {content(unit) for unit in file.units if unit.key not in edited}
    wanted |= {content(edit) for edit in edits if edit.text is not None}
    return wanted == ({content(unit) for unit in layout.units(path, text)} if text else set())
