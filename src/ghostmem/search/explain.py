"""Turn ranked candidates into hits: the memory, the matching place, and the receipt."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from ghostmem.model import Hit, Receipt
from ghostmem.search.candidates import ChunkMatch
from ghostmem.store import Transaction
from ghostmem.text.focus import find_place

if TYPE_CHECKING:
    from ghostmem.text.matches import QueryTerms


def make_hits(
    tx: Transaction,
    matches: Sequence[ChunkMatch],
    terms: QueryTerms,
    explain: bool = False,
    strong: Set[str] | None = None,
) -> list[Hit]:
    """Return matches as hits; memories that are not in `strong`, if given, are weak hits."""
    rows = tx.memories.by_ids([match.chunk.memory_id for match in matches])
    memories = {memory.id: memory for memory in tx.memories.with_refs(list(rows.values()))}
    places = tx.notes.places(memories)
    hits = []
    for match in matches:
        chunk, memory = match.chunk, memories[match.chunk.memory_id]
        parts = {name: round(value, 4) for name, value in match.parts.items()}
        focus = find_place(chunk.text, terms)
        place = places.get(memory.id)
        line = chunk.start_line - 1 + (focus.line if focus else 0)
        hits.append(
            Hit(
                memory,
                round(match.score, 4),
                chunk.text,
                chunk.start_line,
                chunk.end_line,
                None if match.cosine is None else round(match.cosine, 3),
                Receipt(match.ranks, parts) if explain else None,
                place.path if place else None,
                place.line + line if place else None,
                place.root if place else None,
                weak=strong is not None and memory.id not in strong,
                match_start=focus.start if focus else None,
                match_end=focus.stop if focus else None,
            )
        )
    return hits
