"""Turn links between notes into edges between their memories."""

from ghostmem.model import EDGE_WEIGHTS, Edge, Folder
from ghostmem.notes.index import drop_link_edge
from ghostmem.store import Store, Transaction
from ghostmem.text.links import link_name, relation_of
from ghostmem.text.sections import slug


def link_notes(store: Store, tx: Transaction, folder: Folder, again: bool) -> None:
    """Resolve the unresolved links of a folder, or all with `again`, after names changed."""
    links = [link for link in tx.notes.links(folder.id) if again or link[3] is None]
    if not links:
        return
    targets = _targets(tx, folder)
    now = store.clock()
    for memory_id, word, target, to_id in links:
        note, _, heading = target.partition("#")
        name = link_name(note)
        linked = targets.get(f"{name}#{slug(heading)}") if heading else None
        linked = linked or (targets.get(name) if name else None)
        linked = None if linked == memory_id else linked
        if linked == to_id:
            continue
        tx.notes.put_link(memory_id, word, target, linked)
        if to_id is not None:
            drop_link_edge(tx, memory_id, word, to_id)
        if linked is not None:
            rel, reverse = relation_of(word)
            start, end = (linked, memory_id) if reverse else (memory_id, linked)
            tx.graph.add_edge(Edge(start, end, rel, EDGE_WEIGHTS[rel], now))


def _targets(tx: Transaction, folder: Folder) -> dict[str, str]:
    """Return the memory of each name; of two equal names the first kind wins.

    The kinds are the path of a note, the name of its file, and its own names; in basic-memory its
    own names come first."""
    targets = tx.notes.targets(folder.id)
    names: dict[str, str] = {}
    for kind in (2, 0, 1) if folder.layout == "basic-memory" else (0, 1, 2):
        for memory_id, section, path, own_names in targets:
            stem = path.rpartition(".")[0]
            for name in map(link_name, ((stem,), (stem.rpartition("/")[2],), own_names)[kind]):
                names.setdefault(f"{name}#{section}" if section else name, memory_id)
                names.setdefault(name, memory_id)
    return names
