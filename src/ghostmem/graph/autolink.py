"""Link a memory to similar ones, in the transaction that writes its vectors or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from ghostmem.embed.base import Embedder
from ghostmem.frozen import frozen
from ghostmem.lazy import NDArray, np
from ghostmem.model import Edge, Memory, Rel, Tier
from ghostmem.store import Store, Transaction
from ghostmem.text.chunk import CHUNKER

if TYPE_CHECKING:
    from ghostmem.store.nearest import VectorView

MAX_LINKS = 5  # edges that one put makes
MIN_NEAREST = 24  # nearest chunks that are looked at for each chunk of a memory
MAX_CHUNKS = 8  # chunks of a long memory that are compared
BATCH = 1024  # memories that are linked in one transaction
MAX_SIMILAR = 256  # similar chunks that are looked at when no caller waits
MAX_RELATED = 6
MIN_RELATED = 0.4  # the cosine of texts that may be about the same thing
MIN_NEAREST_RELATED = 0.3  # the same for the nearest one
ROUNDING = 1e-3  # the error of a cosine of float16 vectors
MIN_KNOWN = 0.5  # share of a text's words that the model must know for a link


@frozen
class NearestChunks:
    """The chunks nearest to a memory that is about to be written.

    `seen` is the last chunk of the store that was compared, `cosines` are those that suffice for a
    link, and `related` a few that may be about the same thing as the memory's first chunk."""

    seen: int = 0
    cosines: Mapping[int, float] = field(default_factory=dict)
    related: Mapping[int, float] = field(default_factory=dict)


def threshold(store: Store, embedder: Embedder) -> float:
    """Return the cosine from which memories are linked."""
    return store.settings.edge_threshold or embedder.thresholds.link


def find_near(
    store: Store,
    tx: Transaction,
    embedder: Embedder,
    ns: str,
    vectors: Sequence[bytes],
    texts: Sequence[str],
) -> NearestChunks:
    """Return the chunks of a namespace that are near a memory's, whose vectors a model made."""
    space = tx.search.space(ns)
    model = tx.vectors.find(embedder.model, len(vectors[0]) // 2, CHUNKER) if space else None
    if space is None or model is None:
        return NearestChunks()
    view = tx.vectors.view(model, space)

    queries = _queries(embedder, vectors, texts)
    tx.ahead(*(partial(view.expect_nearest, query, MIN_NEAREST) for query in queries))
    if not view.count:
        return NearestChunks()
    nearest: dict[int, float] = {}
    related: dict[int, float] = {}
    least = threshold(store, embedder)
    for query in queries:
        count = MIN_NEAREST
        while True:
            chunks = np.array(view.nearest(query, count), np.int64)
            cosines = np.vecdot(view.vectors(chunks)[0], query)
            _keep(nearest, chunks, cosines, least)
            if not related:
                _keep(related, chunks[:1], cosines[:1], MIN_NEAREST_RELATED)
                _keep(related, chunks[:MAX_RELATED], cosines[:MAX_RELATED], MIN_RELATED)
            # the view may contain removed chunks, and many of one memory
            enough = len(nearest) > 2 * MAX_LINKS and (
                len(set(tx.vectors.owners(list(nearest)).values())) > 2 * MAX_LINKS
            )
            # an approximate index of a database may find nothing
            if enough or not len(chunks) or count >= view.count or cosines[-1] < least - ROUNDING:
                break
            count *= 8
    return NearestChunks(view.last, nearest, related)


def _queries(
    embedder: Embedder, vectors: Sequence[bytes], texts: Sequence[str]
) -> list[NDArray[np.float32]]:

    return [
        np.frombuffer(row, np.float16).astype(np.float32)
        for row, text in zip(vectors[:MAX_CHUNKS], texts, strict=False)
        if embedder.known(text) >= MIN_KNOWN
    ]


def _keep(
    nearest: dict[int, float], chunks: NDArray[np.int64], cosines: NDArray[np.float32], least: float
) -> None:
    for chunk, cosine in zip(chunks.tolist(), cosines.tolist(), strict=True):
        if cosine >= least - ROUNDING:
            nearest[chunk] = max(nearest.get(chunk, 0.0), min(1.0, round(cosine, 3)))


def autolink(
    store: Store,
    tx: Transaction,
    embedder: Embedder,
    model: int,
    memory: Memory,
    vectors: Sequence[bytes],
    texts: Sequence[str],
    near: NearestChunks,
    first_chunk: int,
) -> None:
    """Link a memory that was just written to the most similar ones of its namespace.

    `near` was found before the write lock: chunks written since then are compared here."""
    tx.ahead(
        lambda: tx.vectors.after(model, memory.ns, near.seen),
        lambda: tx.vectors.owners(list(near.cosines)),
        lambda: tx.graph.touching([memory.id], [Rel.RELATES_TO]),
    )

    cosines = dict(near.cosines)
    least = threshold(store, embedder)
    ids, rows = tx.vectors.after(model, memory.ns, near.seen)
    others = ids < first_chunk
    if others.any():
        for query in _queries(embedder, vectors, texts):
            _keep(cosines, ids[others], np.vecdot(rows[others].astype(np.float32), query), least)
    link_alike(tx, memory, cosines, least, store.clock())


def link_alike(
    tx: Transaction,
    memory: Memory,
    cosines: Mapping[int, float],
    least: float,
    now: datetime,
    late: bool = False,
) -> None:
    """Link a memory to the owners of the most similar chunks.

    The weight of an edge is the cosine. Edges lead from the memory to the others; with `late` the
    memory may be older than they are, and edges lead from the newer to the older."""
    if not cosines:
        return
    weights: dict[str, float] = {}
    for chunk, owner in tx.vectors.owners(list(cosines)).items():
        if owner != memory.id and cosines[chunk] >= least:
            weights[owner] = max(weights.get(owner, 0.0), cosines[chunk])
    linked_ids = {
        end
        for edge in tx.graph.touching([memory.id], [Rel.RELATES_TO])
        for end in (edge.from_id, edge.to_id)
    }
    others = [
        other
        for other in tx.memories.by_ids(list(weights)).values()
        if other.id not in linked_ids
        and _may_link(other, now)
        and other.ns == memory.ns
        and other.key != memory.key
    ]
    others.sort(key=lambda other: (-weights[other.id], -other.created_at.timestamp(), other.key))
    links = []
    for other in others[:MAX_LINKS] if _may_link(memory, now) else ():
        new, old = (other, memory) if late and other.id > memory.id else (memory, other)
        links.append(Edge(new.id, old.id, Rel.RELATES_TO, weights[other.id], now))
    tx.graph.add_edges(links)


def _may_link(memory: Memory, now: datetime) -> bool:
    return memory.is_current(now) and memory.tier != Tier.SENSORY  # linked when it is promoted


def link_pending(store: Store, ns: str | None = None) -> None:
    """Link the memories that got their vectors after they were written, as a put does.

    An interrupted run continues where it stopped. `ns` restricts it to one namespace."""
    waiting: dict[str, _Waiting] = {}  # by namespace; one at a time
    while True:
        with store.engine.read(ns or "") as tx:
            embedder = store.vectoriser.get(tx)
            batch = tx.graph.unlinked(BATCH, ns)
            if embedder is None or not batch:
                return
            least = threshold(store, embedder)
            near = _near_late(tx, embedder, batch, least, waiting)
        ids = [memory.id for memory in batch]
        with store.engine.write(durable=False, within={memory.ns for memory in batch}) as tx:
            rows = tx.memories.by_ids(ids)
            for id_, cosines in near.items():
                if id_ in rows:
                    link_alike(
                        tx.of(rows[id_].ns), rows[id_], cosines, least, store.clock(), late=True
                    )
            tx.graph.linked(ids)


class _Waiting:
    """The vectors of a namespace, and which of them belong to memories that wait for links."""

    def __init__(self, tx: Transaction, ns: str, view: VectorView) -> None:

        from ghostmem.store.sketch import Sketches

        self.view = view
        self._sketches = Sketches(view.rows)
        self._is_waiting = np.isin(view.ids, np.array(tx.graph.waiting_chunks(ns), np.int64))

    def similar(
        self, chunks: NDArray[np.int64], settled: Sequence[int], least: float
    ) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Return the chunks similar to each of some chunks; the `settled` ones then wait no longer.

        Of two chunks that both wait, the newer finds the older."""

        ids = self.view.ids
        positions = np.searchsorted(ids, chunks)
        stop = 1 + max(
            int(positions.max(initial=-1)), int(np.flatnonzero(~self._is_waiting).max(initial=-1))
        )
        origins, to, cosines = self._sketches.nearest(
            positions, stop, least, MAX_SIMILAR, self._is_waiting
        )
        self._is_waiting &= ~np.isin(ids, np.array(settled, np.int64))
        return [
            (ids[to[start:end]], cosines[start:end])
            for start, end in pairwise(
                np.searchsorted(origins, np.arange(len(chunks) + 1)).tolist()
            )
        ]


def _near_late(
    tx: Transaction,
    embedder: Embedder,
    batch: Sequence[Memory],
    least: float,
    waiting: dict[str, _Waiting],
) -> dict[str, dict[int, float]]:
    """Return the chunks similar to each memory, by its id."""

    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
    near: dict[str, dict[int, float]] = {}
    if model is None:
        return near
    for ns, group in groupby(sorted(batch, key=lambda m: m.ns), key=lambda m: m.ns):
        own_tx = tx.of(ns)
        view = own_tx.vectors.view(model, own_tx.search.spaces([ns])[0])
        if ns not in waiting or waiting[ns].view is not view:
            waiting.clear()
            waiting[ns] = _Waiting(own_tx, ns, view)
        owners: dict[int, str] = {}  # memories by their first chunks that the model knows
        numbers: list[int] = []
        for memory in group:
            near[memory.id] = {}
            own_numbers = own_tx.index.numbers(memory.id)
            numbers += own_numbers
            for number, chunk in zip(
                own_numbers, own_tx.index.chunks(memory)[:MAX_CHUNKS], strict=False
            ):
                if embedder.known(chunk.text) >= MIN_KNOWN:
                    owners[number] = memory.id
        chunks = np.array(list(owners), np.int64)
        chunks = chunks[np.isin(chunks, view.ids)]
        similar = waiting[ns].similar(chunks, numbers, least - ROUNDING)
        for chunk_id, (ids, cosines) in zip(chunks.tolist(), similar, strict=True):
            _keep(near[owners[chunk_id]], ids, cosines, least)
    return near
