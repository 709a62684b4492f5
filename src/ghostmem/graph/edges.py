"""edge: make, remove and list the edges between memories."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from shlex import quote

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.model import EDGE_WEIGHTS, Edge, Link, Outcome, Record, Rel
from ghostmem.store import Store, Transaction, again, find, validate

# The relations of the original Ghost's links.
LEGACY = (
    Rel.RELATES_TO,
    Rel.CONTRADICTS,
    Rel.DEPENDS_ON,
    Rel.REFINES,
    Rel.CONTAINS,
    Rel.MERGED_INTO,
)


@frozen
class EdgeCandidate(Record):
    """Two similar memories whose relation is to be classified."""

    from_key: str
    from_content: str
    to_key: str
    to_content: str
    relates_weight: float


@frozen
class EdgeCandidates(Record):
    """Pairs to be classified, and the number of pairs that already are."""

    candidates: tuple[EdgeCandidate, ...]
    skipped_existing: int


@again
def edge(
    store: Store, ns: str, from_key: str, to_key: str, rel: str, *, weight: float | None = None
) -> Edge:
    """Link two memories of a namespace, or change the weight of a link.

    Args:
        ns: Namespace.
        from_key: Key of the first memory.
        to_key: Key of the second memory.
        rel: Relation: relates_to, contradicts, depends_on, refines, contains, merged_into,
            caused_by, prevents or implies.
        weight: From 0 to 1; default: the relation's default weight.
    """
    validate.text(ns, "namespace")
    kind = relation(rel)
    share = validate.share(weight, "weight")
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        ends = _ends(tx, ns, from_key, to_key, now)
        before = tx.graph.edge(*ends, kind)
        linked = replace(
            before or Edge(*ends, kind, 0.0, now),
            weight=EDGE_WEIGHTS[kind] if share is None else share,
            automatic=False,
        )
        tx.graph.put_edge(linked)
        tx.journal.record(ns, ends[0], "link", now)
    return replace(
        linked,
        ns=ns,
        from_key=from_key,
        to_key=to_key,
        outcome=Outcome.CREATED if before is None else Outcome.UPDATED,
    )


def rm_edge(store: Store, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
    """Remove a link between two memories and return it.

    Args:
        ns: Namespace of the memories.
        from_key: Key of the memory at which the link starts.
        to_key: Key of the memory at which it ends.
        rel: Relation, such as "depends_on".

    Raises:
        NotFoundError: There is no such link.
    """
    validate.text(ns, "namespace")
    kind = relation(rel)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        ends = _ends(tx, ns, from_key, to_key, now)
        removed = tx.graph.edge(*ends, kind) or Edge(*ends, kind, EDGE_WEIGHTS[kind], now)
        if not tx.graph.remove_edge(*ends, kind):
            raise NotFoundError(
                f"there is no edge {from_key} {kind} {to_key} in {ns}",
                f"`ghost edge list -n {ns} {quote(from_key)}` shows its edges",
            )
        tx.journal.record(ns, ends[0], "unlink", now)
    return replace(removed, ns=ns, from_key=from_key, to_key=to_key)


def edges(store: Store, ns: str, key: str | None = None, *, rel: str | None = None) -> list[Edge]:
    """Return the links of a memory in both directions, or of a namespace, heaviest first.

    Args:
        ns: Namespace of the memories.
        key: Key of the memory; default: all of the namespace.
        rel: Only links of this relation, such as "depends_on".
    """
    kind = None if rel is None else relation(rel)
    now = store.clock()
    with store.engine.read(validate.text(ns, "namespace")) as tx:
        if key is None:
            listed = list(tx.graph.of_namespace(validate.namespace(ns), now, kind))
        else:
            memory = find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now)
            listed = [edge for edge in tx.graph.edges(memory.id) if kind in (None, edge.rel)]
        rows = tx.memories.by_ids(
            sorted({id_ for edge in listed for id_ in (edge.from_id, edge.to_id)})
        )
    live = {id_: memory for id_, memory in rows.items() if memory.is_current(now)}
    with_keys = [
        replace(edge, ns=start.ns, from_key=start.key, to_key=end.key)
        for edge in listed
        if (start := live.get(edge.from_id)) and (end := live.get(edge.to_id))
    ]
    return sorted(with_keys, key=lambda edge: (-edge.weight, edge.from_key, edge.to_key, edge.rel))


def link(store: Store, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
    """Link two memories with the original Ghost's `link`, which counts as an edge.

    Args:
        ns: Namespace of the memories.
        from_key: Key of the memory at which the link starts.
        to_key: Key of the memory at which it ends.
        rel: Relation, such as "depends_on".
    """
    validate.text(ns, "namespace")
    kind = relation(rel, LEGACY)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        ends = _ends(tx, ns, from_key, to_key, now)
        tx.graph.add_link(Link(*ends, kind, now))
        linked = Edge(*ends, kind, EDGE_WEIGHTS[kind], now)
        tx.graph.add_edge(linked)
        tx.journal.record(ns, ends[0], "link", now)
        linked = tx.graph.edge(*ends, kind) or linked
    return replace(linked, ns=ns, from_key=from_key, to_key=to_key)


def edge_candidates(
    store: Store, ns: str, *, max_pairs: int = 50, seed: Iterable[str] | None = None
) -> EdgeCandidates:
    """Return pairs of similar memories whose relation is unknown, most similar first.

    Args:
        ns: Namespace.
        max_pairs: Maximum number of pairs.
        seed: Keys; each pair contains one of them.
    """
    validate.namespace(ns)
    max_pairs = validate.positive(max_pairs, "max_pairs")
    keys = seed_keys(seed)
    now = store.clock()
    with store.engine.read(ns) as tx:
        for key in keys:
            find(tx, ns, key, now)
        similar = tx.graph.alike(ns, now, keys)
        undecided = tx.graph.undecided(ns, now, keys, -1)
    pairs = tuple(
        EdgeCandidate(a.key, a.content, b.key, b.content, weight)
        for a, b, weight in undecided[:max_pairs]
    )
    return EdgeCandidates(pairs, similar - len(undecided))


def seed_keys(seed: Iterable[str] | None) -> list[str]:
    """Validate the keys to start from; None means all, an empty list is refused."""
    if seed is None:
        return []
    keys = [validate.key(key) for key in validate.texts(seed, "seed", "key")]
    if not keys:
        raise InvalidInputError(
            "no seed key was given", "give the keys, or leave seed out for all pairs"
        )
    return keys


def relation(value: str, among: tuple[Rel, ...] = tuple(Rel)) -> Rel:
    """Validate a relation."""
    if value not in among:
        raise InvalidInputError(
            f"invalid relation {validate.shown(value)}", f"must be one of: {', '.join(among)}"
        )
    return Rel(value)


def _ends(tx: Transaction, ns: str, from_key: str, to_key: str, now: datetime) -> tuple[str, str]:
    """Return the ids of two different current memories."""
    start = find(tx, ns, validate.text(from_key, "key"), now)
    end = find(tx, ns, validate.text(to_key, "key"), now)
    if start.id == end.id:
        raise InvalidInputError(f"{from_key} cannot be linked to itself", "give two different keys")
    return start.id, end.id
