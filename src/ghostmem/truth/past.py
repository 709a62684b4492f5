"""The store as it was believed at a time: its versions of then, in memory, for the same search and
context to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.clock import as_time, format_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Edge, Memory, NsFilter
from ghostmem.store.indexing import index_rows, tagged
from ghostmem.store.store import Store
from ghostmem.text.chunk import CHUNKER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.store.protocol import Transaction
    from ghostmem.store.rows import IndexRow

EMBEDDED = (
    500  # chunks of versions that are gone, which are embedded again; more would take too long
)


def past(store: Store, ns: NsFilter, as_of: datetime | str) -> Store:
    """Return a store in memory that holds what was believed at a time: each key's version of then,
    with its links of then.

    Tiers, importance and counts that maintenance changed in place are as they are now.
    """
    from ghostmem.store.opening import open_memory

    at = as_time(as_of, "as_of")
    if at > store.clock():
        raise InvalidInputError(
            f"as_of {format_time(at)} lies in the future",
            "name a time that has passed, or leave it out",
        )
    engine = open_memory(lambda: at)
    made = replace(store, engine=engine, clock=lambda: at)
    with store.engine.snapshot() as source, engine.write(durable=False) as target:
        rows = [memory for memory in source.listing.rows(ns) if _was_current(memory, at)]
        _copy(store, source, target, rows)
        _link(source, target, rows, at)
    return made


def _was_current(memory: Memory, at: datetime) -> bool:
    written = memory.recorded_at or memory.created_at
    return written <= at and (memory.deleted_at is None or memory.deleted_at > at)


def _copy(store: Store, source: Transaction, target: Transaction, rows: Sequence[Memory]) -> None:
    """Write memories with everything that is searched.

    Vectors that are still there are taken over.
    """
    embedder = store.vectoriser.get()
    model = (
        None
        if embedder is None
        else source.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    )
    spare = EMBEDDED
    for memory in rows:
        memory = replace(memory, deleted_at=None)
        target.memories.insert(memory)
        pieces = index_rows(
            memory.key, memory.content, store.settings.chunk_target, memory.source_user
        )
        vectors: Sequence[bytes] = ()
        if embedder is not None and model is not None:
            vectors = _vectors(source, model, memory, pieces)
            if not vectors and spare >= len(pieces):
                vectors = store.vectoriser.try_bytes([piece.spoken for piece in pieces])
                spare -= len(pieces)
        number = None
        if embedder is not None and vectors:
            number = target.vectors.model(embedder.model, len(vectors[0]) // 2, CHUNKER)
        target.index.add(memory, tagged(pieces, memory.tags), number, vectors)


def _vectors(
    source: Transaction, model: int, memory: Memory, pieces: Sequence[IndexRow]
) -> list[bytes]:
    numbers = source.index.numbers(memory.id)
    if len(numbers) != len(pieces) or not numbers:
        return []
    import numpy as np

    view = source.vectors.view(model, source.search.spaces([memory.ns])[0])
    found: tuple[NDArray[np.float32], NDArray[np.bool_]] = view.vectors(np.array(numbers, np.int64))
    return [row.astype(np.float16).tobytes() for row in found[0]] if found[1].all() else []


def _link(source: Transaction, target: Transaction, rows: Iterable[Memory], at: datetime) -> None:
    """Take over the edges of then: they lead to the newest version of a key, and led to the one of
    that time.
    """
    then = {(memory.ns, memory.key): memory.id for memory in rows}
    edges = [edge for edge in source.graph.edges() if edge.created_at <= at]
    ends = source.memories.by_ids(
        sorted({end for edge in edges for end in (edge.from_id, edge.to_id)})
    )
    for edge in edges:
        one, other = ends.get(edge.from_id), ends.get(edge.to_id)
        if one is None or other is None:
            continue
        first, second = then.get((one.ns, one.key)), then.get((other.ns, other.key))
        if first is not None and second is not None and first != second:
            target.graph.add_edge(
                Edge(
                    first, second, edge.rel, edge.weight, edge.created_at, automatic=edge.automatic
                )
            )
