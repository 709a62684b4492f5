"""Release a section of a note from the quarantine: it is searched as long as the file has it."""

from dataclasses import replace
from pathlib import Path, PurePath

from ghostmem.errors import NotFoundError
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import missing
from ghostmem.model import Folder, Held, Memory, NsFilter, Outcome
from ghostmem.notes.index import META, file_of, index_note, link_notes, sections_of
from ghostmem.notes.layouts import layout_named
from ghostmem.notes.scan import ChangingError, read_note
from ghostmem.store import Store


def folder_of(store: Store, entry: Held) -> Folder | None:
    """Return the folder of a quarantined section, or None if it is not a section of a folder."""
    if (file := file_of(entry)) is None:
        return None
    with store.engine.read() as tx:
        folders = tx.notes.folders(NsFilter(entry.ns))
    path = str(entry.fields["meta"][META])
    return next((folder for folder in folders if str(PurePath(folder.root) / path) == file), None)


def release_section(store: Store, folder: Folder, entry: Held) -> Memory:
    """Index a note again with a quarantined section; an error if the file no longer has it."""
    path = str(entry.fields["meta"][META])
    gone = NotFoundError(
        f"{path} no longer has the section that is held",
        f"drop it: ghost quarantine drop {entry.id}",
    )
    try:
        read = read_note(Path(folder.root) / path)
    except (OSError, ChangingError) as error:
        raise gone from error
    with store.engine.write(within=(folder.ns,)) as tx:
        if not tx.quarantine.drop(entry.id):
            raise missing(entry.id)  # another process has released it
        note = tx.notes.at(folder.id, path)
        index_note(store, tx, folder, layout_named(folder.layout), path, read, note, entry.content)
        note = tx.notes.at(folder.id, path)
        sections = sections_of(tx, note) if note is not None else []
        released = [memory for memory in sections if memory.content == entry.content]
        if not released:
            raise gone
        link_notes(store, tx, folder, again=True)
        memory = replace(tx.memories.with_refs(released[:1])[0], outcome=Outcome.CREATED)
    catch_up(store)
    return memory
