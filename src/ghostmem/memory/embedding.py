"""embed: which chunks have vectors, giving the rest theirs, and changing the model."""

from collections.abc import Callable
from dataclasses import dataclass

from ghostmem.errors import EmbeddingError
from ghostmem.graph.autolink import link_pending
from ghostmem.memory.embedding_workers import embed_together
from ghostmem.model import Record, optional
from ghostmem.store.indexing import spoken, vector_bytes
from ghostmem.store.store import Store
from ghostmem.store.work_queue import shared
from ghostmem.text.chunk import CHUNKER

BATCH = 64


@dataclass(frozen=True, eq=False, repr=False)
class EmbedStatus(Record):
    """How much of a store has vectors of the chosen model."""

    provider: str
    model: str
    chunks: int
    embedded: int
    pending: int
    other_models: dict[str, int]
    problem: str = optional("")


def embed_status(store: Store) -> EmbedStatus:
    """Count chunks with and without vectors of the chosen model."""
    embedder = store.vectoriser.get()
    with store.engine.read() as tx:
        counts = tx.vectors.counts()
    chunks = counts.pop("")
    name = embedder.model if embedder else ""
    # a server's or a function's vectors have a length only once some were made: until then any
    # length is theirs
    wanted = f"{name}/{embedder.dimension or ''}" if embedder else "/"
    mine = [
        made
        for made in counts
        if made == wanted or (wanted.endswith("/") and made.rsplit("/", 1)[0] + "/" == wanted)
    ]
    done = sum(counts.pop(made) for made in mine)
    pending = chunks - done if embedder else 0
    return EmbedStatus(
        store.settings.embed_provider, name, chunks, done, pending, counts, store.vectoriser.problem
    )


def backfill(
    store: Store,
    progress: Callable[[int], None] | None = None,
    link: bool = True,
    after: int = 0,
    ns: str | None = None,
) -> int:
    """Give every chunk without one a vector, a batch at a time.

    Stopped at any moment, the next run goes on where it was.

    What was put without vectors is then linked to what is like it, as the put would have done.
    `after` passes over all chunks up to a number, `ns` over all other namespaces."""
    embedder = store.vectoriser.must()
    if not embedder.dimension:
        embedder.embed(["how long are your vectors?"])
    progress = _vector_phase(store, progress)
    if ns is None and (engine := shared(store)) is not None:
        made = embed_together(store, engine, embedder, BATCH, progress, after)
        if link:
            link_pending(store)
        return made
    done = 0
    while True:
        with store.engine.read() as tx:
            model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
            batch = list(tx.vectors.missing(-1 if model is None else model, after, BATCH, ns))
        if not batch:
            if link:
                link_pending(store, ns=ns)
            return done
        vectors = vector_bytes(embedder, [spoken(text, source) for _, _, text, source in batch])
        with store.engine.write(durable=False, within=() if ns is None else (ns,)) as tx:
            model = tx.vectors.model(embedder.model, len(vectors[0]) // 2, CHUNKER)
            rows = [
                (space, chunk, vector)
                for (space, chunk, _, _), vector in zip(batch, vectors, strict=True)
            ]
            done += tx.vectors.put(model, rows)
        after = batch[-1][1]
        store.vectoriser.problem = ""
        if progress is not None:
            progress(done)


def _vector_phase(
    store: Store, progress: Callable[[int], None] | None
) -> Callable[[int], None] | None:
    """Tell a progress that wants to know that vectors are counted from now on, and how many there
    will be.
    """
    phase = getattr(progress, "phase", None)
    if phase is None:
        return progress
    counted: Callable[[int], None] = phase("vectors", embed_status(store).pending)
    return counted


def catch_up(
    store: Store,
    progress: Callable[[int], None] | None = None,
    link: bool = True,
    after: int = 0,
    ns: str | None = None,
) -> int:
    """Embed what a write left without vectors.

    A provider that fails leaves it for `embed backfill`.
    """
    if store.vectoriser.get() is None:
        return 0
    try:
        return backfill(store, progress, link, after, ns)
    except EmbeddingError as error:
        store.vectoriser.problem = str(error)
        return 0


def switch(store: Store, progress: Callable[[int], None] | None = None) -> int:
    """Embed everything with the chosen model, then drop the vectors of all others.

    Until then both stay apart.
    """
    done = backfill(store, progress)
    embedder = store.vectoriser.must()
    with store.engine.write() as tx:
        model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER)
        if model is not None:
            tx.vectors.drop_others(model)
    return done
