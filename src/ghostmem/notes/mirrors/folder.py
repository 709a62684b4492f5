"""Looking at a mirrored folder, and changing units in it: only theirs of a file's bytes, whole or
not at all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.model import Stat
from ghostmem.notes.mirrors.base import CRLF, LF, Change, Shape, Unit, fingerprint
from ghostmem.notes.mirrors.names import LONGEST_KEY, alike
from ghostmem.notes.scan import ChangingError, read_note
from ghostmem.notes.topic_file import folded
from ghostmem.notes.write import BOM, MISSING, Text, remove_file, replace_file

_INODE = (1 << 63) - 1
_BOM = "\ufeff"
Known = Mapping[
    str, tuple[str, str]
]  # where each key was last seen: its file, and the fingerprint of its text


class File(NamedTuple):
    """A file as it was read: with its own line ends, without its mark."""

    stat: Stat | None
    digest: str
    bom: bool
    text: str
    units: tuple[Unit, ...]


NO_FILE = File(None, MISSING, False, "", ())


@dataclass(slots=True)
class Sight:
    """What stands in a folder: files, the unit of each key and the files with copies of it, and
    units whose key is taken.
    """

    files: dict[str, File] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)
    places: dict[str, list[str]] = field(default_factory=dict)
    extra: list[Unit] = field(default_factory=list)
    closed: dict[str, str] = field(
        default_factory=dict
    )  # paths that cannot be read or written, and why


def look(home: Path, shape: Shape, known: Known, before: Sight | None = None) -> Sight:
    """Read a folder, of what was read before only what has other stats by now.

    OSError when it cannot be looked at.
    """
    sight = Sight()
    for path, is_plain in shape.paths(home):
        if not is_plain:
            sight.closed[path] = "is a link, and links are not followed"
            continue
        try:
            file = _read(home, path, shape, before.files.get(path) if before else None)
        except FileNotFoundError:
            continue
        except ChangingError:
            sight.closed[path] = "changes while it is read"
            continue
        except OSError as error:
            sight.closed[path] = f"cannot be read: {error.strerror}"
            continue
        if file is None:
            sight.closed[path] = "is not UTF-8"
        else:
            sight.files[path] = file
    _sort_out(sight, known)
    return sight


def write(
    home: Path, shape: Shape, sight: Sight, path: str, changes: Sequence[Change]
) -> dict[str, str]:
    """Make changes to one file as it was seen.

    Return the keys for which that was not possible, and why. Needs the lock.
    """
    file = sight.files.get(path, NO_FILE)
    text, failed = _composed(shape, path, file, changes)
    if text == file.text:
        return failed
    try:
        if text:
            replace_file(home / path, (BOM if file.bom else b"") + text.encode(), file.digest)
        else:
            remove_file(home / path, file.digest)
    except (NoteConflictError, InvalidInputError) as error:
        return {change.key: error.message for change in changes}
    return failed


def rename(home: Path, shape: Shape, sight: Sight, unit: Unit, key: str) -> str:
    """Give a unit whose key is taken another one; return why not if that is not possible.

    Needs the lock.
    """
    file = sight.files[unit.path]
    text = shape.rename(file.text, unit.number, key)
    renamed = [(one.key, one.text) for one in shape.read(unit.path, text)]
    wanted = [(key if one.number == unit.number else one.key, one.text) for one in file.units]
    if renamed != wanted:
        return "is laid out in a way that cannot be changed safely"
    try:
        replace_file(home / unit.path, (BOM if file.bom else b"") + text.encode(), file.digest)
    except (NoteConflictError, InvalidInputError) as error:
        return error.message
    return ""


def free_key(key: str, marks: Iterable[str], is_free: Callable[[str], bool]) -> str:
    """Return a key with the first of some marks behind it that makes it one nobody has.

    The last is numbered until one is.
    """
    for mark in (wanted := list(marks)):
        if is_free(found := key[: LONGEST_KEY - len(mark)] + mark):
            return found
    number = 2
    while not is_free(
        found := key[: LONGEST_KEY - len(wanted[-1]) - 12] + f"{wanted[-1]} {number}"
    ):
        number += 1
    return found


def taken(sight: Sight) -> set[str]:
    """Return the names of a folder's files as names are compared."""
    return {alike(path.rpartition(".")[0]) for path in (*sight.files, *sight.closed)}


def _read(home: Path, path: str, shape: Shape, before: File | None) -> File | None:
    if before is not None:
        found = (home / path).stat(follow_symlinks=False)
        if before.stat == Stat(found.st_size, found.st_mtime_ns, found.st_ino & _INODE):
            return before
    stat, text = read_note(home / path)
    if text.lossy:
        return None
    raw = _raw(text)
    return File(stat, text.digest, text.bom, raw, tuple(shape.read(path, raw)))


def _raw(text: Text) -> str:
    return text.text.replace(LF, CRLF) if text.crlf else text.text


def _sort_out(sight: Sight, known: Known) -> None:
    """Say which unit has a key: where it was before, with the text of before, else the first.

    Copies of it are no others.
    """
    groups: dict[str, list[Unit]] = {}
    for file in sight.files.values():
        for unit in file.units:
            groups.setdefault(unit.key, []).append(unit)
    for key, group in groups.items():
        first = group[0]
        if len(group) > 1:
            path, digest = known.get(key, ("", ""))
            first = max(
                group, key=lambda unit: 2 * (unit.path == path) + (fingerprint(unit.text) == digest)
            )
        copies = [unit for unit in group if unit.text == first.text or not unit.text]
        sight.units[key] = first
        sight.places[key] = list(dict.fromkeys(unit.path for unit in copies))
        sight.extra += [unit for unit in group if unit not in copies]


def _composed(
    shape: Shape, path: str, file: File, changes: Sequence[Change]
) -> tuple[str, dict[str, str]]:
    """Return a file's text with changes that are read back as they are meant, and those that would
    not be.
    """
    for strict in (False, True):
        text = shape.edit(path, file.text, changes, strict)
        if _is_read_back(shape, path, file, text, changes):
            return text, {}
    if len(changes) == 1:
        return file.text, {
            changes[0].key: "its file is laid out in a way that cannot be changed safely"
        }
    failed: dict[str, str] = {}
    for change in changes:
        text, wrong = _composed(shape, path, file, [change])
        failed |= wrong
        file = file._replace(text=text, units=tuple(shape.read(path, text)))
    return file.text, failed


def _is_read_back(
    shape: Shape, path: str, file: File, text: str, changes: Sequence[Change]
) -> bool:
    if text.startswith(_BOM) and not file.text.startswith(_BOM):
        return False  # it would be read as the file's mark
    touched = {change.key for change in changes}
    wanted = {_told(shape, unit) for unit in file.units if unit.key not in touched}
    wanted |= {_told(shape, change) for change in changes if change.text is not None}
    return wanted == ({_told(shape, unit) for unit in shape.read(path, text)} if text else set())


def _told(shape: Shape, one: Unit | Change) -> tuple[str, str | None, frozenset[str]]:
    return (
        one.key,
        one.text,
        frozenset(folded(tag) for tag in one.tags) if shape.has_tags else frozenset(),
    )
