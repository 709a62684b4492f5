"""memory search --mode hybrid: search the entries of role files by words and by meaning."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ghostmem.clock import Clock, now
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.write import write_draft
from ghostmem.notes.roles import MemoryEntry, SearchResult
from ghostmem.search.search import search
from ghostmem.settings import Settings
from ghostmem.store import Store, Vectoriser, open_memory, put_fields

_NS = "entries"
_MAX_TITLE = 400  # characters


def search_entries(
    query: str,
    entries: Sequence[MemoryEntry],
    settings: Settings,
    limit: int = 0,
    *,
    clock: Clock = now,
) -> tuple[list[SearchResult], tuple[str, ...]]:
    """Return the entries that answer a question, best first, and notes.

    They are searched as memories are, in a store that exists during this call. Vectors are made by
    the static model, which is fast and sends nothing anywhere, unless the provider is none."""
    if not query.strip() or not entries:
        return [], ()
    own_settings = replace(
        settings,
        db=":memory:",
        embed_provider="none" if settings.embed_provider == "none" else "static",
        cutoff="off",
    )
    store = Store(open_memory(clock), own_settings, clock, Vectoriser(own_settings))
    try:
        with store.engine.write(durable=False) as tx:
            for number, entry in enumerate(entries):
                write_draft(store, tx, _draft(number, entry))
        catch_up(store, link=False)
        hits = search(store, query, limit=limit if limit > 0 else len(entries))
    finally:
        store.engine.close()
    problem = store.vectoriser.problem
    notes = (*hits.notes, f"searched by words only: {problem}") if problem else hits.notes
    return [
        SearchResult(entries[int(hit.key.rpartition("#")[2])], hit.score) for hit in hits
    ], notes


def _draft(number: int, entry: MemoryEntry) -> Draft:
    """Return an entry as a memory; its title is part of the text and of the indexed key."""
    title = " ".join(entry.section.replace("\0", " ").split())[:_MAX_TITLE]
    return Draft(
        _NS,
        f"{title} #{number}",
        f"{title}\n\n{entry.content}".replace("\0", "\ufffd"),
        put_fields(kind="semantic", created_at=_time(entry.timestamp)),
        quiet=True,
    )


def _time(timestamp: str) -> datetime | None:
    """Parse the local time of an entry; None if it is not a time."""
    try:
        return datetime.fromisoformat(timestamp).astimezone()
    except (ValueError, OverflowError):
        return None
