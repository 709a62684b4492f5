"""The store as it was at a time: its versions of then in memory, for search and context to read."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ghostmem.clock import as_time, format_time
from ghostmem.errors import InvalidInputError
from ghostmem.lazy import np
from ghostmem.model import Edge, Memory
from ghostmem.store import Store, Transaction, index_rows, open_memory, tagged, validate
from ghostmem.text.chunk import CHUNKER

MAX_EMBEDDED = 500  # chunks of removed versions that are embedded again


def store_at(store: Store, ns: str | None, as_of: datetime | str | None) -> Store:
    """Return the store, or with `as_of` one in memory with the versions and edges of that time.

    Tiers, importance and counts, which maintenance changes in place, are those of today."""
    if as_of is None:
        return store
    filter_, moment = validate.ns_filter(ns), as_time(as_of, "as_of")
    if moment > store.clock():
        raise InvalidInputError(
            f"as_of {format_time(moment)} is in the future",
            "give a time in the past, or leave it out",
        )
    engine = open_memory(lambda: moment)
    with store.engine.snapshot() as source, engine.write(durable=False) as target:
        rows = [
            memory
            for memory in source.listing.rows(filter_)
            if memory.written_at <= moment
            and (memory.deleted_at is None or memory.deleted_at > moment)
        ]
        _copy_memories(store, source, target, rows)
        _copy_edges(source, target, rows, moment)
        for alias in source.source_aliases.all(
            filter_
        ):  # who somebody is does not change with time
            target.source_aliases.put(alias)
    return replace(store, engine=engine, clock=lambda: moment)


def _copy_memories(
    store: Store, source: Transaction, target: Transaction, rows: Iterable[Memory]
) -> None:
    """Write memories with their index; vectors that still exist are copied."""
    embedder = store.vectoriser.get(source)
    model = (
        None
        if embedder is None
        else source.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    )
    budget = MAX_EMBEDDED
    for row in rows:
        memory = replace(row, deleted_at=None)
        target.memories.insert(memory)
        chunks = index_rows(
            memory.key, memory.content, store.settings.chunk_target, memory.source_user
        )
        vectors: Sequence[bytes] = ()
        number = None
        if embedder is not None and model is not None:
            vectors = _stored_vectors(source.of(memory.ns), model, memory, len(chunks))
            if not vectors and budget >= len(chunks):
                vectors = store.vectoriser.try_bytes([chunk.spoken for chunk in chunks], embedder)
                budget -= len(chunks)
            if vectors:
                number = target.vectors.model(embedder.model, len(vectors[0]) // 2, CHUNKER)
        target.index.add(memory, tagged(chunks, memory.tags), number, vectors)


def _stored_vectors(source: Transaction, model: int, memory: Memory, count: int) -> list[bytes]:
    """Return the vectors of a memory's chunks, or none unless all of them exist."""
    numbers = source.index.numbers(memory.id)
    if len(numbers) != count or not numbers:
        return []

    rows, has_vector = source.vectors.view(model, source.search.spaces([memory.ns])[0]).vectors(
        np.array(numbers, np.int64)
    )
    return [row.astype(np.float16).tobytes() for row in rows] if has_vector.all() else []


def _copy_edges(
    source: Transaction, target: Transaction, rows: Iterable[Memory], moment: datetime
) -> None:
    """Copy the edges of that time, from the newest versions to the copied ones."""
    ids = {(memory.ns, memory.key): memory.id for memory in rows}
    edges = [edge for edge in source.graph.edges() if edge.created_at <= moment]
    ends = source.memories.by_ids(
        sorted({end for edge in edges for end in (edge.from_id, edge.to_id)})
    )
    for edge in (each for each in edges if {each.from_id, each.to_id} <= ends.keys()):
        start, end = (ids.get((m.ns, m.key)) for m in (ends[edge.from_id], ends[edge.to_id]))
        if start is not None and end is not None and start != end:
            target.graph.add_edge(
                Edge(start, end, edge.rel, edge.weight, edge.created_at, automatic=edge.automatic)
            )
