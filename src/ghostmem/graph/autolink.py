"""Linking a memory to those like it, in the transaction that gives it its vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from ghostmem.model import Edge, Memory, Rel, Tier
from ghostmem.text.chunk import CHUNKER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ghostmem.embed.base import Embedder
    from ghostmem.store.protocol import Transaction
    from ghostmem.store.store import Store

MOST = 5  # links that one put makes
LOOKED = 24  # how many of the nearest chunks are looked at for each chunk of a memory
CHUNKS = 8  # how many chunks of a long memory are compared
BATCH = 256
MANY = 256  # how many of the chunks like one are looked at when there is time
ROUNDING = 1e-3  # what float16 may take from a cosine
KNOWN = 0.5  # a text that the model has words for only in part is no ground for a link


@dataclass(frozen=True)
class Near:
    """The chunks nearest to a memory that is about to be written, and up to which chunk
    was looked.
    """

    seen: int = 0
    cosines: Mapping[int, float] = field(default_factory=dict)


def threshold(store: Store, embedder: Embedder) -> float:
    """Return the cosine from which memories are linked."""
    return store.settings.edge_threshold or embedder.thresholds.link


def find_near(
    store: Store, tx: Transaction, ns: str, vectors: Sequence[bytes], texts: Sequence[str]
) -> Near:
    """Look for what is near a memory before anything is locked."""
    embedder = store.vectoriser.get()
    space = next(iter(tx.search.spaces([ns])), None)
    if embedder is None or space is None or not vectors:
        return Near()
    model = tx.vectors.find(embedder.model, len(vectors[0]) // 2, CHUNKER)
    view = None if model is None else tx.vectors.view(model, space)
    if view is None or not view.count:
        return Near()
    import numpy as np

    found: dict[int, float] = {}
    least = threshold(store, embedder)
    for query in _queries(embedder, vectors, texts):
        count = LOOKED
        while True:
            chunks = np.array(view.nearest(query, count), np.int64)
            cosines = np.vecdot(view.vectors(chunks)[0], query)
            _keep(found, chunks, cosines, least)
            # the view may hold chunks that are gone, and many of one memory
            enough = len(set(tx.vectors.owners(list(found)).values())) > 2 * MOST
            if enough or count >= view.count or cosines[-1] < least - ROUNDING:
                break
            count *= 8
    return Near(view.last, found)


def _queries(
    embedder: Embedder, vectors: Sequence[bytes], texts: Sequence[str]
) -> list[NDArray[np.float32]]:
    import numpy as np

    rows = zip(vectors[:CHUNKS], texts[:CHUNKS], strict=True)
    return [
        np.frombuffer(row, np.float16).astype(np.float32)
        for row, text in rows
        if embedder.known(text) >= KNOWN
    ]


def _keep(
    found: dict[int, float], chunks: NDArray[np.int64], cosines: NDArray[np.float32], least: float
) -> None:
    for chunk, cosine in zip(chunks.tolist(), cosines.tolist(), strict=True):
        if cosine >= least - ROUNDING:
            found[chunk] = max(found.get(chunk, 0.0), min(1.0, round(cosine, 3)))


def autolink(
    store: Store,
    tx: Transaction,
    memory: Memory,
    vectors: Sequence[bytes],
    texts: Sequence[str],
    near: Near,
    own: int,
) -> int:
    """Link a memory that was just written to the most alike of its namespace.

    `own` is its first chunk.

    What was found before the lock is completed by what others wrote since. The weight of an edge is
    the likeness."""
    embedder = store.vectoriser.get()
    space = next(iter(tx.search.spaces([memory.ns])), None)
    model = (
        tx.vectors.find(embedder.model, len(vectors[0]) // 2, CHUNKER)
        if embedder and vectors
        else None
    )
    if embedder is None or space is None or model is None:
        return 0
    import numpy as np

    cosines = dict(near.cosines)
    ids, rows = tx.vectors.after(model, space.number, near.seen)
    others = ids < own
    if others.any():
        for query in _queries(embedder, vectors, texts):
            _keep(
                cosines,
                ids[others],
                np.vecdot(rows[others].astype(np.float32), query),
                threshold(store, embedder),
            )
    return link_alike(tx, memory, cosines, threshold(store, embedder), store.clock())


def link_alike(
    tx: Transaction,
    memory: Memory,
    cosines: Mapping[int, float],
    least: float,
    now: datetime,
    late: bool = False,
) -> int:
    """Link a memory to the owners of the most alike chunks, most alike first, newest first among
    equals.

    Edges lead from the memory to the others; a `late` one may be older than they are, and then they
    lead to it."""
    likeness: dict[str, float] = {}
    for chunk, owner in tx.vectors.owners(list(cosines)).items():
        if owner != memory.id and cosines[chunk] >= least:
            likeness[owner] = max(likeness.get(owner, 0.0), cosines[chunk])
    known = {
        end
        for edge in tx.graph.touching([memory.id], [Rel.RELATES_TO])
        for end in (edge.from_id, edge.to_id)
    }
    others = [
        other for other in tx.memories.by_ids(list(likeness)).values() if other.id not in known
    ]
    alive = [
        other
        for other in others
        if _may_link(other, now) and other.ns == memory.ns and other.key != memory.key
    ]
    alive.sort(key=lambda other: (-likeness[other.id], -other.created_at.timestamp(), other.key))
    made = 0
    for other in alive[:MOST] if _may_link(memory, now) else ():
        new, old = (other, memory) if late and other.id > memory.id else (memory, other)
        made += tx.graph.add_edge(Edge(new.id, old.id, Rel.RELATES_TO, likeness[other.id], now))
    return made


def _may_link(memory: Memory, now: datetime) -> bool:
    """Say whether a memory is there to stay: sensory ones are linked when they are promoted."""
    return memory.is_current(now) and memory.tier != Tier.SENSORY


def link_pending(
    store: Store, progress: Callable[[int], None] | None = None, ns: str | None = None
) -> int:
    """Link what was given its vectors after it was written, as a put would have.

    Goes on where a killed run stopped.

    With `ns`, only what is in that namespace.
    """
    embedder = store.vectoriser.get()
    made = done = 0
    while embedder is not None:
        with store.engine.read() as tx:
            batch = tx.graph.unlinked(BATCH, ns)
            near = _near_late(tx, embedder, batch, threshold(store, embedder))
        if not batch:
            return made
        with store.engine.write(durable=False, within={memory.ns for memory in batch}) as tx:
            there = tx.memories.by_ids([memory.id for memory in batch])
            for memory, cosines in near:
                if memory.id in there:
                    made += link_alike(
                        tx,
                        there[memory.id],
                        cosines,
                        threshold(store, embedder),
                        store.clock(),
                        late=True,
                    )
            tx.graph.linked([memory.id for memory in batch])
        done += len(batch)
        if progress is not None:
            progress(done)
    return made


def _near_late(
    tx: Transaction, embedder: Embedder, batch: Sequence[Memory], least: float
) -> list[tuple[Memory, dict[int, float]]]:
    """Return the chunks like each of some memories.

    Of two that both wait, the newer looks for the older.
    """
    import numpy as np

    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    if model is None:
        return []
    found: list[tuple[Memory, dict[int, float]]] = []
    for ns, group in groupby(
        sorted(batch, key=lambda memory: memory.ns), key=lambda memory: memory.ns
    ):
        view, members = tx.vectors.view(model, tx.search.spaces([ns])[0]), list(group)
        wanted = [
            (memory, number) for memory in members for number in _known_chunks(tx, embedder, memory)
        ]
        numbers = np.array([number for _, number in wanted], np.int64)
        rows, there = view.vectors(numbers)
        cosines: dict[str, dict[int, float]] = {memory.id: {} for memory in members}
        owners = [memory for (memory, _), is_there in zip(wanted, there, strict=True) if is_there]
        late = (np.isin(view.ids, np.array(tx.graph.waiting_chunks(ns), np.int64)), numbers[there])
        for memory, (ids, values) in zip(
            owners, view.alike(rows[there], least - ROUNDING, MANY, late=late), strict=True
        ):
            _keep(cosines[memory.id], ids, values, least)
        found += [(memory, cosines[memory.id]) for memory in members]
    return found


def _known_chunks(tx: Transaction, embedder: Embedder, memory: Memory) -> list[int]:
    """Return the numbers of the first chunks of a memory that the model has words for."""
    chunks = tx.index.chunks(memory)[:CHUNKS]
    numbers = tx.index.numbers(memory.id)[: len(chunks)]
    return [
        number
        for number, chunk in zip(numbers, chunks, strict=True)
        if embedder.known(chunk.text) >= KNOWN
    ]
