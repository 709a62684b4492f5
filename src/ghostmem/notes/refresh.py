"""Index changed notes before a search, so that it finds the current text of files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ghostmem.errors import StoreBusyError, StoreFullError
from ghostmem.model import Folder, NsFilter
from ghostmem.store import Store, Transaction


@contextmanager
def refreshed(
    store: Store, ns: NsFilter | None, within: NsFilter, prepare: Callable[[Transaction], None]
) -> Iterator[tuple[Transaction, tuple[str, ...]]]:
    """Read the store after changes in the folders of some namespaces were indexed.

    Gives the transaction `within` other namespaces, for which `prepare` was called, and notes for
    the answer."""
    with store.engine.read(within) as tx:
        prepare(tx)
        folders = [] if ns is None else tx.notes.folders(ns)
        if not folders:
            yield tx, ()
            return
    notes = _sync(store, folders)
    with store.engine.read(within) as tx:
        prepare(tx)
        yield tx, notes


def refresh(store: Store, ns: NsFilter) -> tuple[str, ...]:
    """Index changes in the folders of these namespaces, and return notes for the answer.

    A search never fails because of it: if the store cannot be written, a note says that it answers
    from the last index."""
    with store.engine.read() as tx:
        folders = tx.notes.folders(ns)
    return _sync(store, folders)


def _sync(store: Store, folders: Sequence[Folder]) -> tuple[str, ...]:
    if not folders:
        return ()
    if store.engine.read_only:
        return ("notes are as they were when they were last indexed: this store cannot be written",)
    from ghostmem.notes.sync import sync_folder

    notes: list[str] = []
    for folder in folders:
        try:
            report = sync_folder(store, folder, link=False)
        except (StoreBusyError, StoreFullError) as error:
            notes.append(f"{folder.root} could not be scanned: {error.message}")
            continue
        if report.unavailable:
            notes.append(f"{folder.root}: {report.unavailable}")
        if report.pending:
            notes.append(
                f"{report.pending} of the notes of {folder.root} could not be read; "
                "`ghost notes status` tells why"
            )
        if report.pending_embeddings:
            notes.append(
                f"pending_embeddings: {report.pending_embeddings} chunks of {folder.root}; "
                "`ghost notes sync` makes them"
            )
    return tuple(notes)
