"""List the notes of a folder with their stats, read one of them, and recognise renamed ones."""

import os
from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from ghostmem.errors import NotFoundError
from ghostmem.grouping import grouped
from ghostmem.model import Note, Stat
from ghostmem.notes.files import Text, decode, is_text
from ghostmem.notes.layouts import Layout

MAX_READS = 3  # attempts to read a file that changes meanwhile
# If at least this many notes, and this share of all, vanish at once, the disk is not mounted.
MIN_VANISHED, MIN_VANISHED_SHARE = 10, 0.5
_INODE = (1 << 63) - 1

T = TypeVar("T")


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


class FileToIndex(NamedTuple):
    """A file that was read, and the note that it was before."""

    path: str
    read: Read
    note: Note | None

    @property
    def is_moved(self) -> bool:
        """Say whether the note had another path."""
        return self.note is not None and self.note.path != self.path

    @property
    def is_changed(self) -> bool:
        """Say whether the file is new or has another text than its note."""
        return self.note is None or self.note.hash != self.read.text.digest

    @property
    def became_blank(self) -> bool:
        """Say whether the note had text, and its file has none."""
        was_text = self.note is not None and self.note.hash and self.is_changed
        return bool(was_text) and not self.read.text.text.strip()


class ChangingError(Exception):
    """A file changed at every attempt to read it."""


def looks_unmounted(missing: Sized, expected: Sized, present: Sized) -> bool:
    """Say whether so many known files are missing that the disk is probably not mounted."""
    is_most = len(missing) >= MIN_VANISHED and len(missing) > MIN_VANISHED_SHARE * len(expected)
    return bool(missing) and (is_most or not present)


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
    if entry.is_dir(follow_symlinks=layout.follows_links):
        if entry.name not in layout.skips and layout.enters(path):
            stack.append((entry.path, path + "/"))
    elif not layout.wants(path):
        return
    elif entry.is_symlink():
        listing.refused[_shown(path)] = "is a link, and links are not followed"
    elif not is_text(path):
        listing.refused[_shown(path)] = "has a name that cannot be written as text"
    elif entry.is_file(follow_symlinks=False):
        try:
            listing.files[path] = stat_of(entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # an editor that saves by renaming
        except OSError as error:
            listing.refused[path] = f"cannot be read: {error.strerror}"
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


def stat_of(status: os.stat_result) -> Stat:
    """Return the stats by which a changed file is recognised."""
    return Stat(status.st_size, status.st_mtime_ns, status.st_ino & _INODE)


def _shown(path: str) -> str:
    return path if is_text(path) else path.encode("unicode_escape").decode()


def same_text(missing: Sequence[Note], files: Sequence[FileToIndex]) -> dict[str, Note]:
    """Return the note that each path was: a missing note with its text, or one of a swap.

    The text must occur once before and once after; equal files cannot be told apart."""
    changed = [file for file in files if file.is_changed]
    old = unique_by(
        [*missing, *(file.note for file in changed if file.note)], lambda note: note.hash
    )
    new = unique_by(changed, lambda file: file.read.text.digest)
    moved = {
        new[digest].path: note
        for digest, note in old.items()
        if digest and digest in new and new[digest].path != note.path
    }
    gone = {note.id for note in missing}
    # A note whose file is still there did not move, unless another note took its path.
    while unmoved := [
        path for path, note in moved.items() if note.id not in gone and note.path not in moved
    ]:
        for path in unmoved:
            del moved[path]
    return moved


def unique_by(values: Iterable[T], key: Callable[[T], str]) -> dict[str, T]:
    """Return values by a key that only one of them has."""
    groups = grouped((key(value), value) for value in values)
    return {name: group[0] for name, group in groups.items() if len(group) == 1}
