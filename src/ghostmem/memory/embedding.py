"""embed: count the chunks without vectors, embed them, and switch to another model.

Searches and puts use the model of `Vectoriser.get`. A switch gives every chunk a vector of the
chosen model as well, and then deletes those of other models in one transaction, so that there is
no moment at which a search has no vectors."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ghostmem.embed.base import Embedder
from ghostmem.errors import EmbeddingError
from ghostmem.frozen import frozen
from ghostmem.graph.autolink import link_pending
from ghostmem.grouping import grouped
from ghostmem.model import Record, optional
from ghostmem.store import (
    Store,
    Transaction,
    spoken,
    vector_bytes,
)
from ghostmem.store.work_queue import POLL_SECONDS, claim_work, shared
from ghostmem.text.chunk import CHUNKER

if TYPE_CHECKING:
    from ghostmem.store.postgres.engine import PostgresEngine

BATCH = 64
MAX_OFFERED = 1024  # chunks put on the queue at once
Progress = Callable[[int], None]
Pick = Callable[[Transaction], Embedder | None]  # the model to embed with, as a transaction sees it


@frozen
class EmbedStatus(Record):
    """The number of chunks with and without vectors of the store's model.

    `next_model` is the model that the settings name, or that new stores have, if it is another."""

    provider: str
    model: str
    chunks: int
    embedded: int
    pending: int
    other_models: dict[str, int]
    problem: str = optional("")
    next_model: str = optional("")


def embed_status(store: Store) -> EmbedStatus:
    """Count chunks with and without vectors of the configured model."""
    vectoriser = store.vectoriser
    with store.engine.read() as tx:
        embedder = vectoriser.get(tx)
        counts = tx.vectors.counts()
    chunks = counts.pop("")
    name = embedder.model if embedder else ""
    wanted = f"{name}/{embedder.dimension or ''}" if embedder else "/"
    # The dimension of a server's or a function's vectors is unknown until some were made: until
    # then vectors of any dimension are counted as its own.
    labels = [label for label in counts if wanted in (label, label.rsplit("/", 1)[0] + "/")]
    done = sum(counts.pop(label) for label in labels)
    pending = chunks - done if embedder or vectoriser.problem else 0
    chosen = vectoriser.chosen_model
    return EmbedStatus(
        store.settings.embed_provider,
        name,
        chunks,
        done,
        pending,
        counts,
        vectoriser.problem,
        chosen if embedder and chosen != name else "",
    )


def backfill(
    store: Store,
    progress: Progress | None = None,
    link: bool = True,
    after: int = 0,
    ns: str | None = None,
) -> int:
    """Embed every chunk without a vector in batches, and return the number of chunks embedded.

    An interrupted run continues where it stopped. With `link`, memories that were put without
    vectors are then linked to similar ones, as the put would have done. `after` skips the chunks
    up to a number, `ns` all other namespaces."""
    embedder = store.vectoriser.must()
    if (phase := getattr(progress, "phase", None)) is not None:
        progress = phase("vectors", embed_status(store).pending)
    done = _fill(store, embedder, store.vectoriser.get, progress, after, ns)
    if link:
        link_pending(store, ns=ns)
    return done


def _fill(
    store: Store,
    embedder: Embedder,
    pick: Pick,
    progress: Progress | None = None,
    after: int = 0,
    ns: str | None = None,
) -> int:
    """Embed every chunk that has no vector of a model, as long as it is the one to pick."""
    if not embedder.dimension:
        embedder.embed(["how long are your vectors?"])
    if ns is None and (engine := shared(store)) is not None:
        return _embed_together(store, engine, embedder, pick, progress, after)
    return _embed_alone(store, embedder, pick, progress, after, ns)


def _embed_alone(
    store: Store,
    embedder: Embedder,
    pick: Pick,
    progress: Progress | None,
    after: int,
    ns: str | None,
) -> int:
    done = 0
    while True:
        with store.engine.read() as tx:
            model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
            batch = list(tx.vectors.missing(-1 if model is None else model, after, BATCH, ns))
        if not batch:
            return done
        rows = _embed(embedder, batch)
        with store.engine.write(durable=False, within=() if ns is None else (ns,)) as tx:
            if pick(tx) is not embedder:
                return done  # as in `_embed_together`
            model = tx.vectors.model(embedder.model, len(rows[0][2]) // 2, CHUNKER)
            done += tx.vectors.put(model, rows)
        after = batch[-1][1]
        _report(store, progress, done)


def _embed(
    embedder: Embedder,
    batch: Sequence[tuple[str, int, str, str | None]],
) -> list[tuple[str, int, bytes]]:
    """Return the namespace, number and vector of each chunk."""
    vectors = vector_bytes(embedder, [spoken(text, source) for _, _, text, source in batch])
    return [
        (space, chunk, vector) for (space, chunk, *_), vector in zip(batch, vectors, strict=True)
    ]


def _report(store: Store, progress: Progress | None, done: int) -> None:
    store.vectoriser.problem = ""
    if progress is not None:
        progress(done)


def _embed_together(
    store: Store,
    engine: "PostgresEngine",
    embedder: Embedder,
    pick: Pick,
    progress: Progress | None,
    after: int,
) -> int:
    """Embed chunks from a queue that other workers on the same PostgreSQL store share."""
    done = 0
    with engine.write(durable=False, within=()) as tx:
        model = tx.vectors.model(embedder.model, embedder.dimension, CHUNKER)
    kind = f"embed {model}"
    with engine.present() as holder:
        while True:
            with engine.write(durable=False, within=()) as tx:
                if pick(tx) is not embedder:
                    return done  # another process has changed the model, and embedded everything
                claimed = claim_work(store, tx, kind, holder, BATCH)
                # the next chunks without a vector go on the queue
                missing = () if claimed else tx.vectors.missing(model, after, MAX_OFFERED)
                offered = [(ns, str(chunk)) for ns, chunk, *_ in missing]
                if offered and tx.work.offer(kind, offered):
                    claimed = claim_work(store, tx, kind, holder, BATCH)
                others = 0 if claimed else tx.work.left(kind)
            if claimed:
                done += _embed_claimed(engine, embedder, pick, kind, model, claimed)
                _report(store, progress, done)
            elif others:
                time.sleep(POLL_SECONDS)
            else:
                return done


def _embed_claimed(
    engine: "PostgresEngine",
    embedder: Embedder,
    pick: Pick,
    kind: str,
    model: int,
    claimed: Sequence[tuple[str, str]],
) -> int:
    """Embed claimed chunks that still lack vectors, and take all of them off the queue."""
    by_ns = grouped((ns, int(item)) for ns, item in claimed)
    with engine.read() as tx:
        batch = [
            row for ns, chunks in by_ns.items() for row in tx.vectors.lacking(model, ns, chunks)
        ]
    rows = _embed(embedder, batch) if batch else []  # others may have embedded all of them
    with engine.write(durable=False, within=by_ns) as tx:
        # as in `_embed_together`
        embedded = tx.vectors.put(model, rows) if rows and pick(tx) is embedder else 0
        for ns, item in claimed:
            tx.work.done(kind, ns, item)
    return embedded


def catch_up(
    store: Store,
    progress: Progress | None = None,
    link: bool = True,
    after: int = 0,
    ns: str | None = None,
    switching: bool = False,
) -> int:
    """Embed the chunks that a write left without vectors; on errors they wait for a backfill.

    With `switching`, change to the configured model as `embed_all` does."""
    if store.vectoriser.get() is None:
        return 0
    try:
        return embed_all(store) if switching else backfill(store, progress, link, after, ns)
    except EmbeddingError as error:
        store.vectoriser.problem = str(error)
        return 0


def embed_all(store: Store, *, progress: Progress | None = None) -> int:
    """Embed every chunk that has no vector, and return the number embedded.

    It can be interrupted and run again. If GHOST_EMBED_MODEL is another local model than
    the store's, it does the same as `embed_switch`.

    Args:
        progress: Called with the number done.

    Raises:
        EmbeddingError: The provider fails; vectors stored before stay.
    """
    vectoriser = store.vectoriser
    return (
        switch(store, progress=progress)
        if store.settings.embed_model and vectoriser.model() != vectoriser.chosen_model
        else backfill(store, progress)
    )


def switch(store: Store, *, progress: Progress | None = None) -> int:
    """Embed everything with the configured model, then delete the vectors of other models.

    Without GHOST_EMBED_MODEL, the provider `local` changes to the model of new stores.
    Searches use the vectors of the previous model until all new ones are stored.

    Args:
        progress: Called with the number done.

    Returns:
        The number of chunks embedded.

    Raises:
        EmbeddingError: The provider fails; the old vectors stay until all new ones are stored.
    """
    chosen = store.vectoriser.must(chosen=True)
    if (phase := getattr(progress, "phase", None)) is not None:
        with store.engine.read() as tx:
            counts = tx.vectors.counts()
        progress = phase(
            "vectors", counts[""] - counts.get(f"{chosen.model}/{chosen.dimension}", 0)
        )
    done = 0
    while True:
        done += _fill(store, chosen, lambda _: chosen, progress)
        with store.engine.write() as tx:
            model = tx.vectors.model(chosen.model, chosen.dimension, CHUNKER)
            if next(tx.vectors.missing(model, 0, 1), None) is None:
                tx.vectors.drop_others(model)
                break
    link_pending(store)
    return done
