"""Chunk and embed a draft and find its nearest chunks, before the write lock is taken."""

from collections.abc import Sequence
from typing import NamedTuple

from ghostmem.embed.base import Embedder
from ghostmem.graph.autolink import NearestChunks
from ghostmem.memory.draft import Draft
from ghostmem.store import IndexRow, Store, index_rows


class Prepared(NamedTuple):
    """The chunks of a draft, their vectors, the stored chunks nearest to them, and the model."""

    rows: Sequence[IndexRow] = ()
    vectors: Sequence[bytes] = ()
    near: NearestChunks | None = None
    embedder: Embedder | None = None


UNPREPARED = Prepared()


def prepare(store: Store, draft: Draft) -> Prepared:
    """Return the chunks of a draft, with vectors when the embedding provider works."""
    source = draft.fields.get("source_user")
    if source is None and store.vectoriser.wanted:
        with store.engine.read() as tx:
            current = tx.memories.current(draft.ns, draft.key, store.clock())
        if current is not None and current.content == draft.content and not draft.fields:
            return UNPREPARED  # most likely a repetition, which needs no index
        source = None if current is None else current.source_user
    rows = index_rows(draft.key, draft.content, store.settings.chunk_target, source)
    texts = [row.spoken for row in rows[: store.settings.embed_put_chunks]]
    embedder = store.vectoriser.get()
    vectors = store.vectoriser.try_bytes(texts, embedder)
    if embedder is None or not vectors:
        return Prepared(rows)
    from ghostmem.graph.autolink import find_near

    with store.engine.read() as tx:
        near = find_near(store, tx, embedder, draft.ns, vectors, texts)
    return Prepared(rows, vectors, near, embedder)
