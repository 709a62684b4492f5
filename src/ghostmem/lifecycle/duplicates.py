"""Find memories that repeat an older one of their namespace and source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ghostmem.embed.base import Embedder
from ghostmem.graph.components import components
from ghostmem.model import Memory
from ghostmem.store import Transaction
from ghostmem.text.chunk import CHUNKER
from ghostmem.truth.alike import distinctive, essence, resembles

if TYPE_CHECKING:
    from ghostmem.store.nearest import VectorView

MAX_NEIGHBOURS = 8  # nearest chunks that are compared with each one
MAX_CHUNKS = 100_000  # chunks of a namespace that are compared with each other


def equal_texts(memories: Iterable[Memory]) -> set[str]:
    """Return the ids of memories that have the words of an earlier one; see `essence`."""
    seen: set[tuple[str, str | None, str]] = set()
    duplicates: set[str] = set()
    for memory in memories:
        words = " ".join(essence(memory.content)) or memory.content.strip()
        fingerprint = (memory.ns, memory.source_user, words)
        if fingerprint in seen:
            duplicates.add(memory.id)
        seen.add(fingerprint)
    return duplicates


def near_duplicates(
    tx: Transaction, embedder: Embedder, ns: str, memories: Mapping[str, Memory]
) -> set[str] | None:
    """Return the ids of memories that nearly equal an older one of their namespace.

    Every chunk must have a similar one in the other memory, and the details that distinguish texts
    of one template must agree. Returns None if there are no vectors, or too many."""
    space = tx.search.space(ns)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    view = None if space is None or model is None else tx.vectors.view(model, space)
    if view is None or not 0 < view.count <= MAX_CHUNKS:
        return None
    matched: dict[tuple[str, str], set[int]] = {}
    for left_chunk, right_chunk, left, right in _similar_chunks(
        tx, view, embedder.thresholds.dedup
    ):
        if left != right and left in memories and right in memories:
            matched.setdefault((left, right), set()).add(left_chunk)
            matched.setdefault((right, left), set()).add(right_chunk)
    ids = {id_ for pair in matched for id_ in pair}
    # comparing two sets is many times faster than `resembles`, which needs one within the other
    terms = {id_: frozenset(distinctive(memories[id_].content)) for id_ in ids}
    chunks = {id_: tx.index.count(id_) for id_ in ids}
    equal = [
        (left, right)
        for (left, right), of_left in matched.items()
        if left < right
        and len(of_left) == chunks[left]
        and len(matched[right, left]) == chunks[right]
        and (terms[left] <= terms[right] or terms[right] <= terms[left])
        and memories[left].source_user == memories[right].source_user
        and any(
            resembles(memories[first].content, memories[second].content)
            for first, second in ((left, right), (right, left))
        )
    ]
    return {
        id_
        for group in components(equal)
        for id_ in sorted(group, key=lambda id_: (memories[id_].created_at, id_))[1:]
    }


def _similar_chunks(
    tx: Transaction, view: VectorView, minimum: float
) -> Iterator[tuple[int, int, str, str]]:
    """Yield pairs of similar chunks with the memories they belong to."""
    from ghostmem.store.sketch import TILE, Sketches

    ids, sketches = view.ids, Sketches(view.rows)
    for start in range(0, len(ids), TILE):
        left, right, _ = sketches.nearest_before(
            start, min(start + TILE, len(ids)), minimum, MAX_NEIGHBOURS + 1
        )
        distinct = left != right
        pairs = list(zip(ids[left[distinct]].tolist(), ids[right[distinct]].tolist(), strict=True))
        chunks = {chunk for pair in pairs for chunk in pair}
        owners = tx.vectors.owners(list(chunks)) if pairs else {}
        for first, second in pairs:
            if first in owners and second in owners:
                yield first, second, owners[first], owners[second]
