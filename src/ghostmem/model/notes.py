"""Notes: markdown files that somebody else owns, and the folders they lie in."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ghostmem.model.memory import Record, SourceKind, optional


@dataclass(frozen=True, eq=False, repr=False)
class Folder(Record):
    """A markdown folder that is searched where it lies: how it is read, and the namespace its notes
    are found in.
    """

    id: int
    root: str
    layout: str
    ns: str
    added_at: datetime
    reconciled_at: datetime | None = optional()
    unavailable: str = optional("")  # why nothing that is missing is believed to be gone
    source_kind: SourceKind = (
        SourceKind.STATED
    )  # how its notes came to be; unless stated, they are judged for the quarantine


class Stat(NamedTuple):
    """What tells without reading that a file is still the same."""

    size: int
    mtime_ns: int
    inode: int


class Note(NamedTuple):
    """A file of a folder as it was last indexed; `hash` is empty when it could not be."""

    id: str
    path: str
    stat: Stat
    hash: str
    names: tuple[str, ...] = ()
    problem: str = ""
    missing_at: datetime | None = None


class Place(NamedTuple):
    """Where a note's section lies: the folder, the file in it, and the line its text begins on."""

    folder_id: int
    root: str
    path: str
    line: int
