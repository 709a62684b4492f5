"""Embed chunks together with other workers on the same PostgreSQL store."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ghostmem.store.indexing import spoken, vector_bytes
from ghostmem.store.work_queue import POLL_SECONDS, claim_work
from ghostmem.text.chunk import CHUNKER

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder
    from ghostmem.store.protocol import SharedEngine, SharedTransaction
    from ghostmem.store.store import Store

WINDOW = 1024  # pieces offered at once


def embed_together(
    store: Store,
    engine: SharedEngine,
    embedder: Embedder,
    size: int,
    progress: Callable[[int], None] | None,
    after: int,
) -> int:
    """Give chunks vectors until none lacks one, whoever else does so too, and return how many were
    given here.
    """
    done = 0
    with engine.write(durable=False, within=()) as tx:
        model = tx.vectors.model(embedder.model, embedder.dimension, CHUNKER)
    kind = f"embed {model}"
    with engine.present() as holder:
        while True:
            with engine.write(durable=False, within=()) as tx:
                taken = claim_work(store, tx, kind, holder, size) or _offer_chunks(
                    store, tx, kind, holder, model, after, size
                )
                left = 0 if taken else tx.work.left(kind)
            if taken:
                done += _embed(engine, embedder, kind, model, taken)
                store.vectoriser.problem = ""
                if progress is not None:
                    progress(done)
            elif left:
                time.sleep(POLL_SECONDS)
            else:
                return done


def _offer_chunks(
    store: Store, tx: SharedTransaction, kind: str, holder: str, model: int, after: int, size: int
) -> list[tuple[str, str]]:
    """Put the next chunks without a vector on the queue, and claim some of them."""
    missing = list(tx.vectors.missing(model, after, WINDOW))
    if not tx.work.offer(
        kind, [(tx.vectors.namespace(space), str(chunk)) for space, chunk, _, _ in missing]
    ):
        return []
    return claim_work(store, tx, kind, holder, size)


def _embed(
    engine: SharedEngine,
    embedder: Embedder,
    kind: str,
    model: int,
    taken: Sequence[tuple[str, str]],
) -> int:
    """Embed claimed chunks and take them off the queue with their vectors.

    One that has its vector by now is only taken off.
    """
    by_ns: dict[str, list[int]] = {}
    for ns, item in taken:
        by_ns.setdefault(ns, []).append(int(item))
    with engine.read() as tx:
        batch = [
            row for ns, chunks in by_ns.items() for row in tx.vectors.lacking(model, ns, chunks)
        ]
    vectors = (
        vector_bytes(embedder, [spoken(text, source) for _, _, text, source in batch])
        if batch
        else []
    )
    with engine.write(durable=False, within=by_ns) as tx:
        rows = [
            (space, chunk, vector)
            for (space, chunk, _, _), vector in zip(batch, vectors, strict=True)
        ]
        made = tx.vectors.put(model, rows) if rows else 0
        for ns, item in taken:
            tx.work.done(kind, ns, item)
    return made
