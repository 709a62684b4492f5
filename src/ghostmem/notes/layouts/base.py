"""What a layout is: which files are notes, and what a note's parts are."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.model import Kind, Tier

SUFFIXES = (".md", ".markdown")
MACHINES = frozenset({"node_modules", "__pycache__"})  # folders that programs fill
SOURCES = MACHINES | {
    "venv",
    "target",
    "dist",
    "build",
    "vendor",
}  # and those that building a program fills


class Section(NamedTuple):
    """A part of a note that is one memory: its name in the note, its text and the line that begins
    on, and its particulars.
    """

    name: str
    text: str
    line: int
    when: datetime
    tags: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # (word, target), as the note names them
    kind: Kind = Kind.SEMANTIC
    tier: Tier = Tier.LTM


class Reading(NamedTuple):
    """A note taken apart, and the names that other notes may call it by, beside its path."""

    sections: tuple[Section, ...]
    names: tuple[str, ...] = ()


def _any_folder(_: str) -> bool:
    return True


def _itself(root: Path) -> Path:
    return root


@dataclass(frozen=True)
class Layout:
    """One way to lay out notes.

    `fits` says whether a folder looks like it, `wants` whether a path in it is a note, `enters`
    whether notes can lie below a folder of it; `read` takes a note's path, text and modification
    time. One that is not `writable` belongs to another program."""

    name: str
    about: str
    fits: Callable[[Path], bool]
    wants: Callable[[str], bool]
    read: Callable[[str, str, datetime], Reading]
    enters: Callable[[str], bool] = _any_folder
    hidden: tuple[str, ...] = ()  # folders that are entered although their names begin with a dot
    skips: frozenset[str] = MACHINES  # folders that are never entered
    home: Callable[[Path], Path] = _itself  # where in a folder that fits the notes are
    writable: bool = True
