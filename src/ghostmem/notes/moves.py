"""Which files are notes under another name."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ghostmem.model import Note
from ghostmem.notes.scan import Read

T = TypeVar("T")
Changed = tuple[str, Read, Note]


def same_text(
    missing: Sequence[Note], changed: Sequence[Changed], fresh: Sequence[tuple[str, Read]]
) -> dict[str, Note]:
    """Return, by path, the note that a file was: its text is a missing note's, or notes have
    exchanged their names.

    A text must be there once before and once after: of two equal files nobody knows which is which.
    """
    olds = _once([*missing, *(note for _, _, note in changed)], lambda note: note.hash)
    news = _once(
        [*fresh, *((path, read) for path, read, _ in changed)], lambda one: one[1].text.digest
    )
    found = {
        news[text][0]: note
        for text, note in olds.items()
        if text and text in news and news[text][0] != note.path
    }
    gone = {note.id for note in missing}
    while True:
        # a file that is still there under its name went nowhere, unless another note took that name
        loose = [
            path for path, note in found.items() if note.id not in gone and note.path not in found
        ]
        if not loose:
            return found
        for path in loose:
            del found[path]


def same_inode(missing: Sequence[Note], fresh: Sequence[tuple[str, Read]]) -> dict[str, Note]:
    """Return, by path, the missing note that had a new file's number.

    It may have been given to another file since.
    """
    olds = _once(missing, lambda note: str(note.stat.inode))
    return {
        path: olds[str(read.stat.inode)] for path, read in fresh if str(read.stat.inode) in olds
    }


def _once(values: Iterable[T], name: Callable[[T], str]) -> dict[str, T]:
    """Return values by a name that only one of them has."""
    found: dict[str, list[T]] = {}
    for value in values:
        found.setdefault(name(value), []).append(value)
    return {key: group[0] for key, group in found.items() if len(group) == 1}
