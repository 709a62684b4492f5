"""relink: link what shares names, topics or meaning and is not linked yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.graph.autolink import MANY, threshold
from ghostmem.graph.kinship import by_names, by_topic
from ghostmem.model import Edge, Memory, NsFilter, Record, Rel, Tier
from ghostmem.store import validate
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.entities import entities
from ghostmem.text.terms import index_terms

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

Pairs = dict[tuple[int, int], float]
BATCH = 64


@dataclass(frozen=True, eq=False, repr=False)
class Relinked(Record):
    """How many memories were compared and how many links that added."""

    ns: str
    memories: int
    added: int
    dry_run: bool


def relink(
    store: Store, ns: str, *, dry_run: bool = False, progress: Callable[[int], None] | None = None
) -> Relinked:
    """Link memories of a namespace that share names, rare words or meaning, from the newer to the
    older, at most 8 for each.

    The weight is the strongest of the three. Pairs that have any link already are left as they are.
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
    """Return how many memories were compared, and the edges that a relink would add."""
    memories = [
        m for m in tx.listing.scan(Filter(ns=NsFilter(ns), now=now)) if m.tier != Tier.SENSORY
    ]
    memories.sort(key=lambda memory: (memory.created_at, memory.id))
    pairs: Pairs = {}
    for at, other, share in by_names([entities(memory.content) for memory in memories]):
        _offer(pairs, at, other, share)
    for at, other, share in by_topic([index_terms(memory.content) for memory in memories]):
        _offer(pairs, at, other, share)
    _by_meaning(store, tx, memories, pairs, progress)
    known = tx.graph.of_namespace(ns, now)
    return len(memories), _edges(memories, pairs, known, store.settings.relink_max, now)


def _offer(pairs: Pairs, at: int, other: int, share: float) -> None:
    one = (max(at, other), min(at, other))
    pairs[one] = max(pairs.get(one, 0.0), share)


def _by_meaning(
    store: Store,
    tx: Transaction,
    memories: Sequence[Memory],
    pairs: Pairs,
    progress: Callable[[int], None] | None,
) -> None:
    """Add the pairs whose vectors are alike."""
    embedder = store.vectoriser.get()
    model = tx.vectors.find(embedder.model, embedder.dimension, CHUNKER) if embedder else None
    if embedder is None or model is None or not memories:
        return
    import numpy as np

    view = tx.vectors.view(model, tx.search.spaces([memories[0].ns])[0])
    places = {memory.id: at for at, memory in enumerate(memories)}
    least = threshold(store, embedder)
    for start in range(0, len(view.ids), BATCH):
        ids = view.ids[start : start + BATCH]
        rows, _ = view.vectors(ids)
        for chunk, (others, cosines) in zip(
            ids.tolist(), view.alike(rows, least, MANY), strict=True
        ):
            owners = tx.vectors.owners([chunk, *others.tolist()])
            mine = places.get(owners.get(chunk, ""))
            for other, cosine in zip(
                others.tolist(), np.minimum(cosines, 1.0).tolist(), strict=True
            ):
                theirs = places.get(owners.get(other, ""))
                if mine is not None and theirs is not None and mine != theirs:
                    _offer(pairs, mine, theirs, round(cosine, 3))
        if progress is not None:
            progress(min(start + BATCH, len(view.ids)))


def _edges(
    memories: Sequence[Memory], pairs: Pairs, known: Sequence[Edge], most: int, now: datetime
) -> list[Edge]:
    """Choose the strongest pairs, at most so many for each memory with those it has, and give them
    a direction.
    """
    taken = Counter(
        end for edge in known if edge.rel == Rel.RELATES_TO for end in (edge.from_id, edge.to_id)
    )
    joined = {frozenset((edge.from_id, edge.to_id)) for edge in known}
    found = []
    for (at, other), share in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
        one, two = memories[at], memories[other]
        if (
            frozenset((one.id, two.id)) not in joined
            and taken[one.id] < most
            and taken[two.id] < most
        ):
            taken.update((one.id, two.id))
            found.append(Edge(one.id, two.id, Rel.RELATES_TO, round(share, 3), now))
    return found


def _both_live(tx: Transaction, edge: Edge) -> bool:
    ends = tx.memories.by_ids([edge.from_id, edge.to_id])
    return len(ends) == 2 and all(end.deleted_at is None for end in ends.values())
