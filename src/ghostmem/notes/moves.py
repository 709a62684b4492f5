"""Recognise notes that were renamed or moved."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ghostmem.model import Note
from ghostmem.notes.scan import Read

T = TypeVar("T")
ChangedFile = tuple[str, Read, Note]  # a path, its text, and the note known under that path


def same_text(
    missing: Sequence[Note], changed: Sequence[ChangedFile], fresh: Sequence[tuple[str, Read]]
) -> dict[str, Note]:
    """Return the note that each path was: a missing note with its text, or one of a swap.

    The text must occur once before and once after; equal files cannot be told apart."""
    old = unique_by([*missing, *(note for _, _, note in changed)], lambda note: note.hash)
    files = [*fresh, *((path, read) for path, read, _ in changed)]
    new = unique_by(files, lambda file: file[1].text.digest)
    moved = {
        new[digest][0]: note
        for digest, note in old.items()
        if digest and digest in new and new[digest][0] != note.path
    }
    gone = {note.id for note in missing}
    while True:
        # A note whose file is still there did not move, unless another note took its path.
        unmoved = [
            path for path, note in moved.items() if note.id not in gone and note.path not in moved
        ]
        if not unmoved:
            return moved
        for path in unmoved:
            del moved[path]


def same_inode(missing: Sequence[Note], fresh: Sequence[tuple[str, Read]]) -> dict[str, Note]:
    """Return the missing note that had the inode of each new file.

    The system may have reused the inode for another file."""
    old = unique_by(missing, lambda note: str(note.stat.inode))
    inodes = {path: str(read.stat.inode) for path, read in fresh}
    return {path: old[inode] for path, inode in inodes.items() if inode in old}


def unique_by(values: Iterable[T], key: Callable[[T], str]) -> dict[str, T]:
    """Return values by a key that only one of them has."""
    groups: dict[str, list[T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return {name: group[0] for name, group in groups.items() if len(group) == 1}
