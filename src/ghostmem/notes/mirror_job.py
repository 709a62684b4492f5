"""One run of a mirror: what is mirrored, what was agreed on before, what is seen, and what came of
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ghostmem.model import Memory, Record, optional
from ghostmem.notes.mirrors import topics
from ghostmem.notes.mirrors.base import Shape, Unit
from ghostmem.notes.mirrors.folder import Known, Sight
from ghostmem.notes.mirrors.merge import Base, Side
from ghostmem.store.mirror import Item, Mirror
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class MirrorConflict(Record):
    """A key of which two texts were found: the other one is kept as a memory and a unit under
    `kept_as`.
    """

    key: str
    kept_as: str
    path: str


@dataclass(frozen=True, eq=False, repr=False)
class Pending(Record):
    """What is left for the next run, and why."""

    reason: str
    key: str = optional("")
    path: str = optional("")


@dataclass(eq=False, repr=False)
class MirrorReport(Record):
    """What it took to make a namespace and a folder equal."""

    root: str
    ns: str
    layout: str
    to_folder: int = 0
    to_store: int = 0
    removed_from_folder: int = 0
    removed_from_store: int = 0
    unchanged: int = 0
    conflicts: list[MirrorConflict] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    unavailable: str = optional("")

    @property
    def is_changed(self) -> bool:
        """Say whether anything was done."""
        counts = (
            self.to_folder,
            self.to_store,
            self.removed_from_folder,
            self.removed_from_store,
            len(self.conflicts),
        )
        return any(counts)

    def wait(self, key: str, path: str, reason: str) -> None:
        """Say that something is left for the next run."""
        self.pending.append(Pending(reason, key, path))


@dataclass(slots=True)
class Job:
    """One run: what is mirrored, what was agreed on before, and what is seen in the folder."""

    store: Store
    mirror: Mirror
    shape: Shape
    home: Path
    items: dict[str, Item]
    report: MirrorReport
    dry_run: bool = False
    sight: Sight = field(default_factory=Sight)
    believed: set[str] = field(default_factory=set)  # keys that are gone from the folder
    renamed: Mapping[str, str] = field(
        default_factory=dict
    )  # new keys in the folder by what they were before
    held: set[str] = field(default_factory=set)

    @property
    def known(self) -> Known:
        """Return where each key was last seen."""
        return {key: (item.path, item.hash) for key, item in self.items.items()}


def side_of(shape: Shape, memory: Memory) -> Side:
    """Return what a memory says, as far as the folder can."""
    return Side(
        memory.content, topics.carried(memory.tags) if shape.has_tags and memory.tags else ()
    )


def unit_side(shape: Shape, unit: Unit) -> Side:
    """Return what a unit says."""
    return Side(unit.text, unit.tags if shape.has_tags else ())


def base_of(item: Item) -> Base:
    """Return what both sides agreed on."""
    return Base(item.hash, item.tags)
