"""Looking at the notes before a question is answered, so that what a file says now is what is
found.
"""

from __future__ import annotations

from ghostmem.errors import StoreBusyError, StoreFullError
from ghostmem.model import NsFilter
from ghostmem.store.store import Store


def refresh(store: Store, ns: NsFilter) -> tuple[str, ...]:
    """Index what changed in the folders of these namespaces.

    Return what is to be said beside the answer.

    A search never fails for it: a store that cannot be written answers with what it knows, and says
    so."""
    with store.engine.read() as tx:
        folders = tx.notes.folders(ns)
    if not folders:
        return ()
    if store.engine.read_only:
        return ("notes are as they were when they were last indexed: this store cannot be written",)
    from ghostmem.notes.sync import sync_folder

    told: list[str] = []
    for folder in folders:
        try:
            done = sync_folder(store, folder, link=False)
        except (StoreBusyError, StoreFullError) as error:
            told.append(f"{folder.root} could not be looked at: {error.message}")
            continue
        if done.unavailable:
            told.append(f"{folder.root}: {done.unavailable}")
        if done.pending:
            told.append(
                f"{done.pending} notes of {folder.root} could not be read; `ghost notes "
                "status` tells why"
            )
        if done.pending_embeddings:
            told.append(
                f"pending_embeddings: {done.pending_embeddings} chunks of {folder.root}; "
                "`ghost notes sync` makes them"
            )
    return tuple(told)
