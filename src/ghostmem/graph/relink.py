"""relink: link memories that share names, topics or meaning and have no edge yet."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.graph.autolink import threshold
from ghostmem.model import Edge, NsFilter, Record, Rel, Tier
from ghostmem.store import Filter, Store, Transaction, validate
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.entities import entities
from ghostmem.text.terms import index_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[int, int, float]  # places of two memories, later first, and their similarity
BATCH = 512
MAX_PAIRS = 64  # earlier memories, the most similar by each measure, to which one may be linked
MIN_SHARED_NAMES = 0.15  # share of common names
MIN_TOPIC_COSINE = 0.30  # cosine of the rare words
# A name or word in more texts than this share does not count; the share is of a number of texts
# from 20 to 1,000, so that the time grows with the number of texts and not with its square.
MAX_COMMON_SHARE, MIN_COMMON, MAX_COMMON = 0.05, 20, 1_000


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
            live = _live(tx, {end for edge in edges for end in (edge.from_id, edge.to_id)})
            added = sum(
                tx.graph.add_edge(edge) for edge in edges if {edge.from_id, edge.to_id} <= live
            )
    return Relinked(ns, count, added, dry_run)


class _Text(NamedTuple):
    """The parts of a memory that are compared with those of others."""

    created_at: datetime
    id: str
    names: frozenset[str]
    terms: list[str]


def missing_edges(
    store: Store,
    tx: Transaction,
    ns: str,
    now: datetime,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, list[Edge]]:
    """Return the number of memories compared, and the edges that a relink would add."""
    texts = sorted(
        _Text(memory.created_at, memory.id, entities(memory.content), index_terms(memory.content))
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), now=now))
        if memory.tier != Tier.SENSORY
    )
    ids = [text.id for text in texts]
    pairs = chain(
        by_names([text.names for text in texts]),
        by_topic([text.terms for text in texts]),
        _by_meaning(store, tx, ns, ids, progress),
    )
    known = tx.graph.of_namespace(ns, now)
    return len(ids), _edges(ids, pairs, known, store.settings.relink_max, now)


def _common(count: int) -> int:
    """Return in how many of some texts a name or word may be that counts."""
    return min(MAX_COMMON, max(MIN_COMMON, int(count * MAX_COMMON_SHARE)))


def by_names(texts: Sequence[frozenset[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that name the same things, with the share of names in common."""
    places: dict[str, list[int]] = defaultdict(list)
    limit = _common(len(texts))
    for place, names in enumerate(texts):
        for name in names:
            places[name].append(place)
    rare = {name: where for name, where in places.items() if len(where) <= limit}
    for place, names in enumerate(texts):
        shared = Counter(other for name in names for other in rare.get(name, ()) if other < place)
        similar = []
        for other, common in shared.items():
            share = common / (len(names) + len(texts[other]) - common)
            if share >= MIN_SHARED_NAMES:
                similar.append((share, other))
        for share, other in sorted(similar, reverse=True)[:MAX_PAIRS]:
            yield place, other, share


def by_topic(texts: Sequence[Sequence[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that share rare words, with the cosine of their word weights."""
    import numpy as np

    spread = Counter(word for words in texts for word in set(words))
    limit = _common(len(texts))
    postings = {word: _Postings(count) for word, count in spread.items() if 1 < count <= limit}
    products = np.zeros(len(texts))  # of the text and each earlier one
    for place, words in enumerate(texts):
        weights = {
            word: (1 + log(count)) * log(1 + len(texts) / spread[word])
            for word, count in Counter(words).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        for word, weight in weights.items():
            if (posting := postings.get(word)) is not None:
                places, others = posting.earlier
                products[places] += others * weight / length
                posting.add(place, weight / length)
        similar = np.flatnonzero(products[:place] >= MIN_TOPIC_COSINE)
        best = similar[np.lexsort((-similar, -products[similar]))[:MAX_PAIRS]]
        for other, cosine in zip(best.tolist(), products[best].tolist(), strict=True):
            yield place, other, min(1.0, cosine)
        products[:place] = 0.0


class _Postings:
    """The texts so far that have a word, and its weight in each."""

    def __init__(self, count: int) -> None:
        import numpy as np

        self._places, self._weights = np.zeros(count, np.int32), np.zeros(count)
        self._used = 0

    @property
    def earlier(self) -> "tuple[NDArray[np.int32], NDArray[np.float64]]":
        """Return the places and weights."""
        return self._places[: self._used], self._weights[: self._used]

    def add(self, place: int, weight: float) -> None:
        """Add a text."""
        self._places[self._used], self._weights[self._used] = place, weight
        self._used += 1


def _by_meaning(
    store: Store,
    tx: Transaction,
    ns: str,
    ids: Sequence[str],
    progress: Callable[[int], None] | None,
) -> Iterator[Pair]:
    """Yield pairs of memories with similar vectors."""
    embedder = store.vectoriser.get(tx)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
    if embedder is None or model is None or not ids:
        return
    view = tx.vectors.view(model, tx.search.spaces([ns])[0])
    places = {id_: place for place, id_ in enumerate(ids)}
    owners: dict[int, int] = {}  # places of the memories, by chunk
    least = threshold(store, embedder)
    for start in range(0, len(view.ids), BATCH):
        chunks = view.ids[start : start + BATCH]
        for chunk, owner in tx.vectors.owners(chunks.tolist()).items():
            if owner in places:
                owners[chunk] = places[owner]
        rows, before = view.vectors(chunks)[0], int(chunks[-1]) + 1
        similar = view.alike(rows, least, MAX_PAIRS + BATCH, before)
        for chunk, (others, cosines) in zip(chunks.tolist(), similar, strict=True):
            if chunk in owners:
                yield from _owned(owners, chunk, others.tolist(), cosines.tolist())
        if progress is not None:
            progress(min(start + BATCH, len(view.ids)))


def _owned(
    owners: dict[int, int], chunk: int, others: Iterable[int], cosines: Iterable[float]
) -> Iterator[Pair]:
    """Yield the pairs of the owner of a chunk and those of similar earlier chunks."""
    own = owners[chunk]
    nearest = (
        (owners[other], cosine)
        for other, cosine in zip(others, cosines, strict=True)
        if other < chunk and owners.get(other, own) != own
    )
    for place, cosine in islice(nearest, MAX_PAIRS):
        yield max(own, place), min(own, place), round(min(1.0, cosine), 3)


def _edges(
    ids: Sequence[str], pairs: Iterable[Pair], known: Sequence[Edge], limit: int, now: datetime
) -> list[Edge]:
    """Return edges for the strongest pairs, up to `limit` per memory with those it has."""
    import numpy as np

    degrees = Counter(
        end for edge in known if edge.rel == Rel.RELATES_TO for end in (edge.from_id, edge.to_id)
    )
    linked = {frozenset((edge.from_id, edge.to_id)) for edge in known}
    later, earlier, weights = array("i"), array("i"), array("d")
    for one, other, weight in pairs:
        later.append(one)
        earlier.append(other)
        weights.append(weight)
    # the strongest first, then in order; a pair that comes again is linked already
    order = np.lexsort((np.asarray(earlier), np.asarray(later), -np.asarray(weights)))
    edges = []
    for position in order.tolist():
        ends = (ids[later[position]], ids[earlier[position]])
        if all(degrees[end] < limit for end in ends) and frozenset(ends) not in linked:
            degrees.update(ends)
            linked.add(frozenset(ends))
            edges.append(Edge(*ends, Rel.RELATES_TO, round(weights[position], 3), now))
    return edges


def _live(tx: Transaction, ids: Iterable[str]) -> set[str]:
    """Return those of some memories that are not removed."""
    live, rest = set[str](), iter(sorted(ids))
    while batch := list(islice(rest, BATCH)):
        memories = tx.memories.by_ids(batch).values()
        live.update(memory.id for memory in memories if memory.deleted_at is None)
    return live
