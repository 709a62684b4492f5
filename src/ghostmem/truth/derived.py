"""What a source wrote, and what was made of it: versions, summaries of them, and summaries of
those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import Memory, NsFilter, Rel

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

SOURCE = "source"


@dataclass(frozen=True)
class Doomed:
    """Versions that are to go, in order, and by id why."""

    versions: list[Memory] = field(default_factory=list)
    why: dict[str, str] = field(default_factory=dict)

    def add(self, memory: Memory, why: str) -> bool:
        """Add a version; False when it is there."""
        if memory.id in self.why:
            return False
        self.versions.append(memory)
        self.why[memory.id] = why
        return True

    def by_key(self) -> dict[tuple[str, str], list[Memory]]:
        """Return the versions of each key, oldest first, the keys in order."""
        found: dict[tuple[str, str], list[Memory]] = {}
        for memory in sorted(self.versions, key=lambda m: (m.ns, m.key, m.version)):
            found.setdefault((memory.ns, memory.key), []).append(memory)
        return found


def find_doomed(
    tx: Transaction, which: NsFilter, wrote: Callable[[Memory, datetime], bool]
) -> Doomed:
    """Return every version that a source wrote, and every version of a summary that was made while
    one of those stood there.
    """
    doomed = Doomed()
    for memory in tx.listing.rows(which):
        if wrote(memory, written(memory)):
            doomed.add(memory, SOURCE)
    todo: Sequence[Memory] = list(doomed.versions)
    while todo:
        todo = [memory for memory, why in _summaries(tx, todo) if doomed.add(memory, why)]
    return doomed


def _summaries(tx: Transaction, sources: Iterable[Memory]) -> Iterable[tuple[Memory, str]]:
    """Yield versions of summaries that were made of one of these, with why."""
    for source in sources:
        ids = {memory.id for memory in tx.memories.history(source.ns, source.key)}
        parents = {
            tie.from_id
            for tie in tx.graph.touching(sorted(ids), [Rel.CONTAINS])
            if tie.to_id in ids
        }
        for parent in tx.memories.by_ids(sorted(parents)).values():
            for version in tx.memories.history(parent.ns, parent.key):
                if _stood(source, written(version)):
                    yield version, f"derived from {source.key}"


def _stood(memory: Memory, at: datetime) -> bool:
    """Say whether a version was the current one at a time."""
    return written(memory) <= at and (memory.deleted_at is None or at < memory.deleted_at)


def written(memory: Memory) -> datetime:
    """Return when a version was written, which is not when what it says began."""
    return memory.recorded_at or memory.created_at


def doubles(tx: Transaction, doomed: Doomed) -> list[Memory]:
    """Return what the lifecycle put away because one of these said the same, and is not of them."""
    ids = doomed.why.keys()
    ties = tx.graph.touching(sorted(ids), [Rel.MERGED_INTO]) if ids else []
    found = tx.memories.by_ids(sorted({tie.from_id for tie in ties if tie.to_id in ids} - ids))
    return [found[id_] for id_ in sorted(found)]
