"""Chunk and embed a draft and find its nearest chunks, before the write lock is taken."""

from collections.abc import Sequence
from typing import NamedTuple

from ghostmem.embed.base import Embedder
from ghostmem.graph.autolink import NearestChunks
from ghostmem.memory.draft import Draft
from ghostmem.model import Memory
from ghostmem.store import IndexRow, Store, Transaction, index_rows


class Prepared(NamedTuple):
    """The chunks of a draft, their vectors, the stored chunks nearest to them, and the model."""

    rows: Sequence[IndexRow] = ()
    vectors: Sequence[bytes] = ()
    near: NearestChunks | None = None
    embedder: Embedder | None = None


UNPREPARED = Prepared()


def read_current(store: Store, draft: Draft) -> Memory | None:
    """Return the current version of a draft's key."""
    with store.engine.read() as tx:
        return tx.memories.current(draft.ns, draft.key, store.clock())


def prepare(store: Store, draft: Draft, current: Memory | None) -> Prepared:
    """Return the chunks of a draft, with vectors when the embedding provider works.

    `current` is the current version of its key."""
    source = draft.fields.get("source_user")
    if source is None and store.vectoriser.wanted and current is not None:
        if current.content == draft.content and not draft.fields:
            return UNPREPARED  # most likely a repetition, which needs no index
        source = current.source_user
    rows = index_rows(draft.key, draft.content, store.settings.chunk_target, source)
    texts = [row.spoken for row in rows[: store.settings.embed_put_chunks]]
    embedder = store.vectoriser.get()
    vectors = store.vectoriser.try_bytes(texts, embedder)
    return Prepared(rows, vectors, None, embedder) if embedder and vectors else Prepared(rows)


def with_nearest(store: Store, tx: Transaction, draft: Draft, prepared: Prepared) -> Prepared:
    """Return a prepared draft with the stored chunks that are nearest to its own."""
    rows, vectors, _, embedder = prepared
    if embedder is None or not vectors:
        return prepared
    from ghostmem.graph.autolink import find_near

    texts = [row.spoken for row in rows[: len(vectors)]]
    return prepared._replace(near=find_near(store, tx, embedder, draft.ns, vectors, texts))
