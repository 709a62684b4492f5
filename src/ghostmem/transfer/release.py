"""Release what is held in quarantine: a put, a summary, a section of a note, or a line of an
import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.memory.prepare import prepare
from ghostmem.memory.quarantine import SOURCES, draft_of, held, missing
from ghostmem.model import Held, Memory
from ghostmem.store import validate

if TYPE_CHECKING:
    from ghostmem.store.store import Store


def release(store: Store, held_id: str, *, ns: str | None = None) -> Memory:
    """Put what is held as if it had been trusted, and let it go, in one transaction.

    The id may be abbreviated.
    """
    found = held(store, held_id, ns=ns)
    from ghostmem.transfer.import_held import is_import, records_of

    if is_import(found):
        from ghostmem.transfer.import_ import release_import

        return release_import(store, found, records_of(found))
    draft = draft_of(found)
    from ghostmem.notes.release import folder_of, release_section

    if (folder := folder_of(store, found)) is not None:
        return release_section(store, folder, found)
    if (sources := found.fields.get(SOURCES)) is not None:
        from ghostmem.memory.consolidate import write_summary

        return write_summary(store, draft, sources, released=found.id).summary
    from ghostmem.memory.verdict import judge_draft
    from ghostmem.memory.write import write_put

    prepared = prepare(store, draft)
    judgement = judge_draft(store, draft, prepared)
    with store.engine.write(within=(found.ns,)) as tx:
        if not tx.quarantine.drop(found.id):
            raise missing(found.id)  # somebody else was faster
        return write_put(store, tx, draft, prepared, judgement)


def check_held(one: Held) -> None:
    """Refuse what is held in a file and could never be released."""
    from ghostmem.transfer.import_held import is_import, records_of

    if not is_import(one):
        draft_of(one)
        return
    validate.namespace(one.ns)
    validate.key(one.key)
    records_of(one)
