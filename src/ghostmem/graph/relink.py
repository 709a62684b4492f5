"""relink: link memories that share names, topics or meaning and have no edge yet."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from math import log, sqrt

from ghostmem.graph.autolink import MAX_SIMILAR, threshold
from ghostmem.model import Edge, Memory, NsFilter, Record, Rel, Tier
from ghostmem.store import Filter, Store, Transaction, validate
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.entities import entities
from ghostmem.text.terms import index_terms

Pair = tuple[int, int, float]  # places of two memories, later first, and their similarity
BATCH = 64
MIN_SHARED_NAMES = 0.15  # share of common names
MIN_TOPIC_COSINE = 0.30  # cosine of the rare words
# A name or word in more texts than both this share and this number does not count.
MAX_COMMON_SHARE, MAX_COMMON = 0.05, 20


@dataclass(frozen=True, eq=False, repr=False)
class Relinked(Record):
    """The number of memories compared and of edges added."""

    ns: str
    memories: int
    added: int
    dry_run: bool


def relink(
    store: Store, ns: str, *, dry_run: bool = False, progress: Callable[[int], None] | None = None
) -> Relinked:
    """Link memories of a namespace that share names, rare words or meaning.

    Edges lead from the newer to the older memory, at most 8 for each (`relink_max`). The weight is
    the strongest of the three similarities. Pairs that have any edge already are left as they are.
    """
    validate.namespace(ns)
    now = store.clock()
    with store.engine.read() as tx:
        count, edges = missing_edges(store, tx, ns, now, progress)
    added = 0
    if edges:
        with store.engine.write(dry_run=dry_run) as tx:
            added = sum(tx.graph.add_edge(edge) for edge in edges if _both_live(tx, edge))
    return Relinked(ns, count, added, dry_run)


def missing_edges(
    store: Store,
    tx: Transaction,
    ns: str,
    now: datetime,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, list[Edge]]:
    """Return the number of memories compared, and the edges that a relink would add."""
    memories = [
        m for m in tx.listing.scan(Filter(ns=NsFilter(ns), now=now)) if m.tier != Tier.SENSORY
    ]
    memories.sort(key=lambda memory: (memory.created_at, memory.id))
    weights: dict[tuple[int, int], float] = {}
    for later, earlier, weight in chain(
        by_names([entities(memory.content) for memory in memories]),
        by_topic([index_terms(memory.content) for memory in memories]),
        _by_meaning(store, tx, memories, progress),
    ):
        weights[later, earlier] = max(weights.get((later, earlier), 0.0), weight)
    known = tx.graph.of_namespace(ns, now)
    return len(memories), _edges(memories, weights, known, store.settings.relink_max, now)


def by_names(texts: Sequence[frozenset[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that name the same things, with the share of names in common."""
    places: dict[str, list[int]] = defaultdict(list)
    limit = max(MAX_COMMON, int(len(texts) * MAX_COMMON_SHARE))
    for place, names in enumerate(texts):
        for name in names:
            places[name].append(place)
    rare = {name: where for name, where in places.items() if len(where) <= limit}
    for place, names in enumerate(texts):
        shared = Counter(other for name in names for other in rare.get(name, ()) if other < place)
        for other, common in sorted(shared.items()):
            share = common / (len(names) + len(texts[other]) - common)
            if share >= MIN_SHARED_NAMES:
                yield place, other, share


def by_topic(texts: Sequence[Sequence[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that share rare words, with the cosine of their word weights."""
    spread = Counter(word for words in texts for word in set(words))
    limit = max(MAX_COMMON, int(len(texts) * MAX_COMMON_SHARE))
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, words in enumerate(texts):
        weights = {
            word: (1 + log(count)) * log(1 + len(texts) / spread[word])
            for word, count in Counter(words).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        products: dict[int, float] = defaultdict(float)
        for word, weight in weights.items():
            if spread[word] <= limit:
                for other, other_weight in postings[word]:
                    products[other] += other_weight * weight / length
                postings[word].append((place, weight / length))
        for other, cosine in sorted(products.items()):
            if cosine >= MIN_TOPIC_COSINE:
                yield place, other, min(1.0, cosine)


def _by_meaning(
    store: Store,
    tx: Transaction,
    memories: Sequence[Memory],
    progress: Callable[[int], None] | None,
) -> Iterator[Pair]:
    """Yield pairs of memories with similar vectors."""
    embedder = store.vectoriser.get(tx)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
    if embedder is None or model is None or not memories:
        return
    import numpy as np

    view = tx.vectors.view(model, tx.search.spaces([memories[0].ns])[0])
    places = {memory.id: place for place, memory in enumerate(memories)}
    least = threshold(store, embedder)
    for start in range(0, len(view.ids), BATCH):
        ids = view.ids[start : start + BATCH]
        similar = view.alike(view.vectors(ids)[0], least, MAX_SIMILAR)
        for chunk, (others, cosines) in zip(ids.tolist(), similar, strict=True):
            owners = tx.vectors.owners([chunk, *others.tolist()])
            own = places.get(owners.get(chunk, ""))
            capped = np.minimum(cosines, 1.0).tolist()
            for other, cosine in zip(others.tolist(), capped, strict=True):
                place = places.get(owners.get(other, ""))
                if own is not None and place is not None and own != place:
                    yield max(own, place), min(own, place), round(cosine, 3)
        if progress is not None:
            progress(min(start + BATCH, len(view.ids)))


def _edges(
    memories: Sequence[Memory],
    weights: dict[tuple[int, int], float],
    known: Sequence[Edge],
    limit: int,
    now: datetime,
) -> list[Edge]:
    """Return edges for the strongest pairs, up to `limit` per memory with those it has."""
    degrees = Counter(
        end for edge in known if edge.rel == Rel.RELATES_TO for end in (edge.from_id, edge.to_id)
    )
    linked = {frozenset((edge.from_id, edge.to_id)) for edge in known}
    edges = []
    for (later, earlier), weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0])):
        ends = (memories[later].id, memories[earlier].id)
        if frozenset(ends) not in linked and all(degrees[end] < limit for end in ends):
            degrees.update(ends)
            edges.append(Edge(*ends, Rel.RELATES_TO, round(weight, 3), now))
    return edges


def _both_live(tx: Transaction, edge: Edge) -> bool:
    ends = tx.memories.by_ids([edge.from_id, edge.to_id])
    return len(ends) == 2 and all(end.deleted_at is None for end in ends.values())
