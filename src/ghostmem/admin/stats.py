"""Count the contents of a store."""

from dataclasses import dataclass

from ghostmem.admin.namespaces import NamespaceInfo
from ghostmem.model import NsFilter, Record
from ghostmem.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Stats(Record):
    """Counts of a whole store."""

    db_path: str
    db_size_bytes: int
    total_memories: int
    active_memories: int
    total_chunks: int
    total_edges: int
    total_links: int
    total_files: int
    total_rules: int
    namespaces: tuple[NamespaceInfo, ...]


def stats(store: Store) -> Stats:
    """Return the counts of a store; `total_memories` includes versions and removed memories."""
    now = store.clock()
    with store.engine.read() as tx:
        totals = tx.listing.totals(now)
        namespaces = tuple(NamespaceInfo(*row) for row in tx.listing.namespaces(NsFilter(), now))
    return Stats(
        store.engine.location,
        store.engine.size(),
        totals["memories"],
        totals["live"],
        totals["chunks"],
        totals["memory_edges"],
        totals["memory_links"],
        totals["memory_files"],
        totals["reflect_rules"],
        namespaces,
    )
