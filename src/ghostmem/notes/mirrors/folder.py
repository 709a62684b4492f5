"""Read the units of a mirrored folder, and edit them without touching other bytes of a file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.model import Stat
from ghostmem.notes.files import BOM, MISSING, remove_file, replace_file
from ghostmem.notes.knowledge import same_file_name
from ghostmem.notes.mirrors.units import (
    CRLF,
    LF,
    MAX_KEY,
    MirrorLayout,
    Unit,
    UnitEdit,
    fingerprint,
    tag_set,
)
from ghostmem.notes.scan import ChangingError, FolderScan, read_note, scan
from ghostmem.store.small_tables import MirrorItem

_BOM = "\ufeff"
UNSAFE = "is laid out in a way that cannot be changed safely"


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
    groups: dict[str, list[Unit]] = {}
    for file in contents.files.values():
        for unit in file.units:
            groups.setdefault(unit.key, []).append(unit)
    for key, group in groups.items():
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
