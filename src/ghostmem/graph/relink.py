"""relink: link memories that share names, topics or meaning and have no edge yet."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, groupby, islice
from math import log, sqrt
from operator import itemgetter
from typing import NamedTuple

from ghostmem.frozen import frozen
from ghostmem.graph.autolink import threshold
from ghostmem.lazy import np
from ghostmem.model import Edge, NsFilter, Record, Rel, Tie, Tier
from ghostmem.store import Filter, Store, Transaction, names_of, validate
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.entities import entities
from ghostmem.text.terms import index_terms

Pair = tuple[int, int, float]  # places of two memories, later first, and their similarity
MAX_PAIRS = 64  # earlier memories, the most similar by each measure, to which one may be linked
MIN_SHARED_NAMES = 0.15  # share of common names
MIN_TOPIC_COSINE = 0.30  # cosine of the rare words
# A name or word in more texts than this share does not count; the share is of a number of texts
# from 20 to 1,000, so that the time grows with the number of texts and not with its square.
MAX_COMMON_SHARE, MIN_COMMON, MAX_COMMON = 0.05, 20, 1_000


@frozen
class Relinked(Record):
    """The number of memories compared and of edges added."""

    ns: str
    memories: int
    added: int
    dry_run: bool


def relink(
    store: Store, ns: str, *, dry_run: bool = False, progress: Callable[[int], None] | None = None
) -> Relinked:
    """Link memories that share names, topics or meaning; the setting `relink_max` limits it.

    Args:
        ns: Namespace of the memories.
        dry_run: Change nothing; report what would happen.
        progress: Called with the number done.
    """
    validate.flags(dry_run=dry_run)
    scope = validate.ns_filter(ns)
    if not scope.is_prefix and ns != "*":
        validate.namespace(ns)
    with store.engine.read() as tx:
        names = names_of(tx, scope)
    now = store.clock()
    memories = added = 0
    for name in names:
        with store.engine.read(name) as tx:
            count, edges = missing_edges(store, tx, name, now, progress)
        memories += count
        ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
        if edges:
            with store.engine.write(dry_run=dry_run, within=(name,)) as tx:
                live = tx.listing.passing(sorted(ends), Filter(ns=NsFilter(name), now=now))
                added += sum(
                    tx.graph.add_edge(edge) for edge in edges if {edge.from_id, edge.to_id} <= live
                )
    return Relinked(ns, memories, added, dry_run)


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
    shared: dict[str, str] = {}  # names and terms, each stored once
    texts = sorted(
        _Text(
            memory.created_at,
            memory.id,
            frozenset(shared.setdefault(name, name) for name in entities(memory.content)),
            [shared.setdefault(term, term) for term in index_terms(memory.content)],
        )
        for memory in tx.listing.scan(Filter(ns=NsFilter(ns), now=now))
        if memory.tier != Tier.SENSORY
    )
    ids = [text.id for text in texts]
    pairs = chain(
        by_names([text.names for text in texts]),
        by_topic([text.terms for text in texts]),
        _by_meaning(store, tx, ns, ids, progress),
    )
    return len(ids), _edges(ids, pairs, tx.graph.ties(ns, now), store.settings.relink_max, now)


def _common(count: int) -> int:
    """Return in how many of some texts a name or word may be that counts."""
    return min(MAX_COMMON, max(MIN_COMMON, int(count * MAX_COMMON_SHARE)))


def by_names(texts: Sequence[frozenset[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that name the same things, with the share of names in common."""
    spread = Counter(chain.from_iterable(texts))
    limit = _common(len(texts))
    # the earlier texts with each name
    places = {name: list[int]() for name, count in spread.items() if 1 < count <= limit}
    for place, names in enumerate(texts):
        shared: Counter[int] = Counter()
        for name in names:
            if (earlier := places.get(name)) is not None:
                shared.update(earlier)
                earlier.append(place)
        shares = (
            (common / (len(names) + len(texts[other]) - common), other)
            for other, common in shared.items()
        )
        for share, other in sorted(shares, reverse=True)[:MAX_PAIRS]:
            if share >= MIN_SHARED_NAMES:
                yield place, other, share


def by_topic(texts: Sequence[Sequence[str]]) -> Iterator[Pair]:
    """Yield pairs of texts that share rare words, with the cosine of their word weights."""

    spread = Counter(word for words in texts for word in set(words))
    limit = _common(len(texts))
    # the earlier texts with each word and its weight there; `used` of the places are filled
    postings = {
        word: (np.zeros(count, np.int32), np.zeros(count))
        for word, count in spread.items()
        if 1 < count <= limit
    }
    used: Counter[str] = Counter()
    products = np.zeros(len(texts))  # of the text and each earlier one
    for place, words in enumerate(texts):
        weights = {
            word: (1 + log(count)) * log(1 + len(texts) / spread[word])
            for word, count in Counter(words).items()
        }
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        touched = []
        for word, weight in weights.items():
            if word in postings:
                (places, others), count = postings[word], used[word]
                products[places[:count]] += others[:count] * weight / length
                touched.append(places[:count])
                places[count], others[count] = place, weight / length
                used[word] += 1
        if not touched:
            continue
        others_with_word = np.concatenate(touched)
        similar = np.unique(others_with_word[products[others_with_word] >= MIN_TOPIC_COSINE])
        best = similar[np.lexsort((-similar, -products[similar]))[:MAX_PAIRS]]
        for other, cosine in zip(best.tolist(), products[best].tolist(), strict=True):
            yield place, other, min(1.0, cosine)
        products[others_with_word] = 0.0


def _by_meaning(
    store: Store,
    tx: Transaction,
    ns: str,
    ids: Sequence[str],
    progress: Callable[[int], None] | None,
) -> Iterator[Pair]:
    """Yield pairs of memories with similar vectors."""
    from ghostmem.store.sketch import TILE, Sketches

    embedder = store.vectoriser.get(tx)
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
    if embedder is None or model is None or not ids:
        return
    view = tx.vectors.view(model, tx.search.spaces([ns])[0])
    places = {id_: place for place, id_ in enumerate(ids)}
    owners: dict[int, int] = {}  # places of the memories, by chunk
    least = threshold(store, embedder)
    sketches, ids_of_chunks = Sketches(view.rows), view.ids
    for start in range(0, len(ids_of_chunks), TILE):
        stop = min(start + TILE, len(ids_of_chunks))
        chunks = ids_of_chunks[start:stop].tolist()
        for chunk, owner in tx.vectors.owners(chunks).items():
            if owner in places:
                owners[chunk] = places[owner]
        # pairs with the chunks of the same tile come in both orders
        origins, to, cosines = sketches.nearest_before(start, stop, least, MAX_PAIRS + TILE)
        similar = zip(ids_of_chunks[to].tolist(), cosines.tolist(), strict=True)
        for position, others in groupby(zip(origins.tolist(), similar, strict=True), itemgetter(0)):
            chunk = chunks[position - start]
            if chunk in owners:
                yield from _owned(owners, chunk, (other for _, other in others))
        if progress is not None:
            progress(stop)


def _owned(
    owners: dict[int, int], chunk: int, similar: Iterable[tuple[int, float]]
) -> Iterator[Pair]:
    """Yield the pairs of the owner of a chunk and those of similar earlier chunks."""
    own_place = owners[chunk]
    nearest = (
        (owners[other], cosine)
        for other, cosine in similar
        if other < chunk and owners.get(other, own_place) != own_place
    )
    for place, cosine in islice(nearest, MAX_PAIRS):
        yield max(own_place, place), min(own_place, place), round(min(1.0, cosine), 3)


def _edges(
    ids: Sequence[str], pairs: Iterable[Pair], ties: Iterable[Tie], limit: int, now: datetime
) -> list[Edge]:
    """Return edges for the strongest pairs, up to `limit` per memory with those it has."""

    places = {id_: place for place, id_ in enumerate(ids)}
    degrees = [0] * len(ids)
    linked: set[tuple[int, ...]] = set()  # pairs of memories with any edge, the later first
    for tie in ties:
        ends = [places[end] for end in (tie.from_id, tie.to_id) if end in places]
        linked.add(tuple(sorted(ends, reverse=True)))
        for end in ends if tie.rel == Rel.RELATES_TO else ():
            degrees[end] += 1
    table = np.fromiter(pairs, [("later", np.int32), ("earlier", np.int32), ("weight", float)])
    edges = []
    # the strongest come first, then those with the first places
    for start, end, weight in (
        row.item()
        for row in table[np.lexsort((table["earlier"], table["later"], -table["weight"]))]
    ):
        if degrees[start] < limit and degrees[end] < limit and (start, end) not in linked:
            degrees[start] += 1
            degrees[end] += 1
            linked.add((start, end))
            edges.append(Edge(ids[start], ids[end], Rel.RELATES_TO, round(weight, 3), now))
    return edges
