"""Release an entry of the quarantine: a put, a summary, a section of a note, or an import."""

from ghostmem.memory.consolidate import write_summary
from ghostmem.memory.draft import read_current
from ghostmem.memory.quarantine import SOURCES, draft_of_held, find_held, missing
from ghostmem.memory.verdict import compare_draft
from ghostmem.memory.write import write_put
from ghostmem.model import Memory
from ghostmem.notes.index import folder_of, release_section
from ghostmem.store import Store
from ghostmem.transfer.import_ import release_import
from ghostmem.transfer.import_quarantine import is_import, records_of


def release(store: Store, held_id: str, ns: str | None = None) -> Memory:
    """Store a quarantined memory as if it had been trusted.

    Args:
        held_id: Id of the quarantined memory, or its start or end.
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    entry = find_held(store, held_id, ns=ns)
    if is_import(entry):
        return release_import(store, entry, records_of(entry))
    draft = draft_of_held(entry)
    if (folder := folder_of(store, entry)) is not None:
        return release_section(store, folder, entry)
    if (sources := entry.fields.get(SOURCES)) is not None:
        return write_summary(store, draft, sources, released=entry.id).summary
    prepared, judgement = compare_draft(store, draft, read_current(store, draft))
    with store.engine.write(within=(entry.ns,)) as tx:
        if not tx.quarantine.drop(entry.id):
            raise missing(entry.id)  # another process has released it
        return write_put(store, tx, draft, prepared, judgement)
