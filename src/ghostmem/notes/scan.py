"""Looking at a folder: which notes lie there, by their stats alone, and reading one of them as it
stands.
"""

import os
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import NotFoundError
from ghostmem.model import Stat
from ghostmem.notes.layouts.base import Layout
from ghostmem.notes.write import Text, decode

TRIES = 3  # how often a file that changes while it is read is read again
_INODE = (1 << 63) - 1
_NO_TEXT = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, line ends


@dataclass(slots=True)
class Sight:
    """What lies in a folder: notes by their paths, and paths that are no notes for a reason worth
    telling.
    """

    files: dict[str, Stat] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unseen: list[str] = field(
        default_factory=list
    )  # what could not be looked at: files, and folders with a slash behind

    def is_unseen(self, path: str) -> bool:
        """Say whether nobody knows what is, or is not, under a path."""
        return any(
            path == one or (one.endswith("/") and path.startswith(one)) for one in self.unseen
        )


class Read(NamedTuple):
    """A note as it stood: its bytes as text, and the stats that were the same before and after."""

    stat: Stat
    text: Text


class ChangingError(Exception):
    """A file that is never the same before and after reading it."""


def scan(root: Path, layout: Layout) -> Sight:
    """Look at a folder; NotFoundError when it cannot be looked at, as when a disk is not
    mounted.
    """
    sight = Sight()
    stack = [(str(root), "")]
    while stack:
        folder, prefix = stack.pop()
        try:
            entries = os.scandir(folder)
        except OSError as error:
            if not prefix:
                raise NotFoundError(
                    f"{root} cannot be read: {error.strerror}",
                    "is the disk mounted, and may you read it?",
                ) from None
            sight.refused[prefix] = f"cannot be read: {error.strerror}"
            sight.unseen.append(prefix)
            continue
        with entries:
            for entry in entries:
                _look(entry, prefix, layout, sight, stack)
    return sight


def _look(
    entry: os.DirEntry[str], prefix: str, layout: Layout, sight: Sight, stack: list[tuple[str, str]]
) -> None:
    path = prefix + entry.name
    if entry.name[0] == "." and entry.name not in layout.hidden:
        return
    if entry.is_dir(follow_symlinks=False):
        if entry.name not in layout.skips and layout.enters(path):
            stack.append((entry.path, path + "/"))
    elif not layout.wants(path):
        return
    elif entry.is_symlink():
        sight.refused[_shown(path)] = "is a link, and links are not followed"
    elif not _is_text(path):
        sight.refused[_shown(path)] = "has a name that cannot be written as text"
    elif entry.is_file(follow_symlinks=False):
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # an editor that saves by renaming
        except OSError as error:
            sight.refused[path] = f"cannot be looked at: {error.strerror}"
            sight.unseen.append(path)
            return
        sight.files[path] = _stat(found)


def read_note(path: Path) -> Read:
    """Read a note that is the same before and after.

    One that keeps changing raises ChangingError.
    """
    for _ in range(TRIES):
        before = os.stat(path, follow_symlinks=False)
        raw = path.read_bytes()
        after = os.stat(path, follow_symlinks=False)
        if _stat(before) == _stat(after) and after.st_size == len(raw):
            return Read(_stat(after), decode(raw))
    raise ChangingError


def is_still(path: Path, stat: Stat) -> bool:
    """Say whether a file is what it was when it was read."""
    try:
        return _stat(os.stat(path, follow_symlinks=False)) == stat
    except OSError:
        return False


def modified(stat: Stat) -> datetime:
    """Return when a file was last changed."""
    try:
        return datetime.fromtimestamp(stat.mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def same_name(path: str) -> str:
    """Return a path as names are compared, however their accents are written."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _stat(found: os.stat_result) -> Stat:
    return Stat(found.st_size, found.st_mtime_ns, found.st_ino & _INODE)


def _is_text(path: str) -> bool:
    return path.isprintable() or not any(unicodedata.category(char) in _NO_TEXT for char in path)


def _shown(path: str) -> str:
    return path if _is_text(path) else path.encode("unicode_escape").decode()
