"""The interface of a layout: which files are notes, and how a note splits into sections."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.model import Kind, Tier

SUFFIXES = (".md", ".markdown")
GENERATED = frozenset({"node_modules", "__pycache__"})  # folders that programs fill
BUILD_FOLDERS = GENERATED | {"venv", "target", "dist", "build", "vendor"}


class NoteSection(NamedTuple):
    """A part of a note that is one memory; `line` is the line number of its text."""

    name: str
    text: str
    line: int
    when: datetime
    tags: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # (word, target) as written
    kind: Kind = Kind.SEMANTIC
    tier: Tier = Tier.LTM


class Reading(NamedTuple):
    """The sections of a note, and the names other than its path that links may use."""

    sections: tuple[NoteSection, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """One way to arrange notes in a folder.

    `fits` says whether a folder has the layout, `wants` whether a path in it is a note, `enters`
    whether a subfolder can have notes; `read` takes the path, text and modification time of a note.
    A layout that is not `writable` belongs to another program."""

    name: str
    about: str
    fits: Callable[[Path], bool]
    wants: Callable[[str], bool]
    read: Callable[[str, str, datetime], Reading]
    enters: Callable[[str], bool] = lambda _: True
    hidden: tuple[str, ...] = ()  # names with a dot that are entered
    skips: frozenset[str] = GENERATED  # never entered
    home: Callable[[Path], Path] = lambda root: root  # the folder of the notes
    writable: bool = True
    follows_links: bool = False  # to folders
