"""Notes: markdown files of the user, and the folders that hold them."""

from datetime import datetime
from typing import NamedTuple

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record, SourceKind, optional


@frozen
class Folder(Record):
    """A markdown folder that is indexed in place: its layout and the namespace of its notes."""

    id: int
    root: str
    layout: str
    ns: str
    added_at: datetime
    reconciled_at: datetime | None = optional()
    unavailable: str = optional("")  # why missing files are not treated as deleted
    # notes of other sources than `stated` may be quarantined
    source_kind: SourceKind = SourceKind.STATED


class Stat(NamedTuple):
    """The file status by which an unchanged file is recognised without reading it."""

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
    """The position of a note's section: the folder, the file in it, and the first line."""

    folder_id: int
    root: str
    path: str
    line: int
