"""List the notes of a folder with their stats, and read one of them."""

import os
import unicodedata
from collections.abc import Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.errors import NotFoundError
from ghostmem.model import Stat
from ghostmem.notes.files import Text, decode
from ghostmem.notes.layouts.base import Layout

MAX_READS = 3  # attempts to read a file that changes meanwhile
# If at least this many notes, and this share of all, vanish at once, the disk is not mounted.
MIN_VANISHED, MIN_VANISHED_SHARE = 10, 0.5
_INODE = (1 << 63) - 1
_NOT_TEXT = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line separators


@dataclass(slots=True)
class FolderScan:
    """The files of a folder, and the paths that are not notes with the reason."""

    files: dict[str, Stat] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)  # unreadable files, and folders with a slash

    def is_unseen(self, path: str) -> bool:
        """Say whether a path could not be scanned."""
        return any(
            path == unseen or (unseen.endswith("/") and path.startswith(unseen))
            for unseen in self.unseen
        )


class Read(NamedTuple):
    """The text of a note, with stats that were equal before and after reading it."""

    stat: Stat
    text: Text


class ChangingError(Exception):
    """A file changed at every attempt to read it."""


def looks_unmounted(missing: Sized, known: Sized, present: Sized) -> bool:
    """Say whether so many known files are missing that the disk is probably not mounted."""
    many = len(missing) >= MIN_VANISHED and len(missing) > MIN_VANISHED_SHARE * len(known)
    return bool(missing) and (many or not present)


def scan(root: Path, layout: Layout) -> FolderScan:
    """List the notes of a folder.

    Raises:
        NotFoundError: the folder cannot be read, for example because a disk is not mounted."""
    listing = FolderScan()
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
            listing.refused[prefix] = f"cannot be read: {error.strerror}"
            listing.unseen.append(prefix)
            continue
        with entries:
            for entry in entries:
                _add_entry(entry, prefix, layout, listing, stack)
    return listing


def _add_entry(
    entry: os.DirEntry[str],
    prefix: str,
    layout: Layout,
    listing: FolderScan,
    stack: list[tuple[str, str]],
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
        listing.refused[_shown(path)] = "is a link, and links are not followed"
    elif not _is_text(path):
        listing.refused[_shown(path)] = "has a name that cannot be written as text"
    elif entry.is_file(follow_symlinks=False):
        try:
            listing.files[path] = stat_of(entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # an editor that saves by renaming
        except OSError as error:
            listing.refused[path] = f"cannot be looked at: {error.strerror}"
            listing.unseen.append(path)


def read_note(path: Path) -> Read:
    """Read a note that does not change meanwhile.

    Raises:
        ChangingError: it changed at every attempt."""
    for _ in range(MAX_READS):
        before = os.stat(path, follow_symlinks=False)
        raw = path.read_bytes()
        after = os.stat(path, follow_symlinks=False)
        if stat_of(before) == stat_of(after) and after.st_size == len(raw):
            return Read(stat_of(after), decode(raw))
    raise ChangingError


def is_still(path: Path, stat: Stat) -> bool:
    """Say whether a file has not changed since it was read."""
    try:
        return stat_of(os.stat(path, follow_symlinks=False)) == stat
    except OSError:
        return False


def modified(stat: Stat) -> datetime:
    """Return the modification time of a file."""
    try:
        return datetime.fromtimestamp(stat.mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime(1970, 1, 1, tzinfo=UTC)


def same_name(path: str) -> str:
    """Return a path in the form in which accented names are compared."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def stat_of(found: os.stat_result) -> Stat:
    """Return the stats by which a changed file is recognised."""
    return Stat(found.st_size, found.st_mtime_ns, found.st_ino & _INODE)


def _is_text(path: str) -> bool:
    return path.isprintable() or not any(unicodedata.category(char) in _NOT_TEXT for char in path)


def _shown(path: str) -> str:
    return path if _is_text(path) else path.encode("unicode_escape").decode()
