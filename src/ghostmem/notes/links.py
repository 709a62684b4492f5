"""Links between notes as edges between their memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.model import EDGE_WEIGHTS, Edge, Folder
from ghostmem.notes.index import drop_link_edge
from ghostmem.store.store import Store
from ghostmem.text.links import link_name
from ghostmem.text.relations import relation_of
from ghostmem.text.sections import slug

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


def link_notes(store: Store, tx: Transaction, folder: Folder, again: bool) -> None:
    """Find what links lead to: those that lead nowhere yet, or, when names came or went, all of a
    folder.
    """
    links = [link for link in tx.notes.links(folder.id) if again or link[3] is None]
    if not links:
        return
    targets = _targets(tx, folder)
    now = store.clock()
    for memory_id, word, target, to_id in links:
        note, _, heading = target.partition("#")
        name = link_name(note)
        found = targets.get(f"{name}#{slug(heading)}") if heading else None
        found = found or (targets.get(name) if name else None)
        found = None if found == memory_id else found
        if found == to_id:
            continue
        tx.notes.put_link(memory_id, word, target, found)
        if to_id is not None:
            drop_link_edge(tx, memory_id, word, to_id)
        if found is not None:
            rel, turned = relation_of(word)
            start, end = (found, memory_id) if turned else (memory_id, found)
            tx.graph.add_edge(Edge(start, end, rel, EDGE_WEIGHTS[rel], now))


def _targets(tx: Transaction, folder: Folder) -> dict[str, str]:
    """Return the memories that names lead to; the surest name first.

    That is a note's path, then its file's name, then what it calls itself; in basic-memory what it
    calls itself comes first."""
    found = tx.notes.targets(folder.id)
    names: dict[str, str] = {}
    for depth in (2, 0, 1) if folder.layout == "basic-memory" else (0, 1, 2):
        for memory_id, section, path, called in found:
            stem = path.rpartition(".")[0]
            for name in map(link_name, ((stem,), (stem.rpartition("/")[2],), called)[depth]):
                names.setdefault(f"{name}#{section}" if section else name, memory_id)
                names.setdefault(name, memory_id)
    return names
