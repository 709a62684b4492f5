"""edge: make, remove and list the links between memories."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import EDGE_WEIGHTS, Edge, Link, Memory, Outcome, Record, Rel
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.retry import again
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

LEGACY = (
    Rel.RELATES_TO,
    Rel.CONTRADICTS,
    Rel.DEPENDS_ON,
    Rel.REFINES,
    Rel.CONTAINS,
    Rel.MERGED_INTO,
)


@dataclass(frozen=True, eq=False, repr=False)
class Candidate(Record):
    """Two memories that are alike, for somebody to say how they relate."""

    from_key: str
    from_content: str
    to_key: str
    to_content: str
    relates_weight: float


@dataclass(frozen=True, eq=False, repr=False)
class EdgeCandidates(Record):
    """Pairs to be classified, and how many already are."""

    candidates: tuple[Candidate, ...]
    skipped_existing: int


@again
def edge(
    store: Store, ns: str, from_key: str, to_key: str, rel: str, weight: float | None = None
) -> Edge:
    """Link two memories of a namespace.

    An edge that exists gets the new weight and keeps its counts.
    """
    kind = relation(rel)
    given = validate.share(weight, "weight")
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        one, other = _ends(tx, ns, from_key, to_key, now)
        before = tx.graph.edge(one.id, other.id, kind)
        made = Edge(one.id, other.id, kind, EDGE_WEIGHTS[kind] if given is None else given, now)
        if before is not None:
            made = replace(before, weight=made.weight, automatic=False)  # now it is somebody's word
        tx.graph.put_edge(made)
        tx.journal.record(ns, one.id, "link", now)
    outcome = Outcome.CREATED if before is None else Outcome.UPDATED
    return replace(made, ns=ns, from_key=from_key, to_key=to_key, outcome=outcome)


def rm_edge(store: Store, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
    """Remove a link, and return it as it was."""
    kind = relation(rel)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        one, other = _ends(tx, ns, from_key, to_key, now)
        before = tx.graph.edge(one.id, other.id, kind)
        if not tx.graph.remove_edge(one.id, other.id, kind):
            hint = f"`ghost edge list -n {ns} {from_key}` shows what is there"
            raise NotFoundError(f"there is no edge {from_key} {kind} {to_key} in {ns}", hint)
        tx.journal.record(ns, one.id, "unlink", now)
    found = before or Edge(one.id, other.id, kind, EDGE_WEIGHTS[kind], now)
    return replace(found, ns=ns, from_key=from_key, to_key=to_key)


def edges(store: Store, ns: str, key: str | None = None, rel: str | None = None) -> list[Edge]:
    """List the links of a memory in both directions, or of a whole namespace.

    Heaviest first, with the keys of both ends.
    """
    kind = None if rel is None else relation(rel)
    now = store.clock()
    with store.engine.read() as tx:
        if key is None:
            found = tx.graph.of_namespace(validate.namespace(ns), now, kind)
        else:
            found = list(
                tx.graph.edges(
                    find(tx, validate.text(ns, "namespace"), validate.text(key, "key"), now).id
                )
            )
        return keyed(tx, [one for one in found if kind is None or one.rel == kind], now)


def keyed(tx: "Transaction", found: Iterable[Edge], now: datetime) -> list[Edge]:
    """Return edges between current memories with the keys of their ends, heaviest first."""
    kept = list(found)
    ends = tx.memories.by_ids(sorted({end for one in kept for end in (one.from_id, one.to_id)}))
    live = {id_: memory for id_, memory in ends.items() if memory.is_current(now)}
    named = [
        replace(
            one, ns=live[one.from_id].ns, from_key=live[one.from_id].key, to_key=live[one.to_id].key
        )
        for one in kept
        if one.from_id in live and one.to_id in live
    ]
    return sorted(named, key=lambda one: (-one.weight, one.from_key, one.to_key, one.rel))


def link(store: Store, ns: str, from_key: str, to_key: str, rel: str) -> Edge:
    """Link two memories in the way of the original Ghost.

    It counts as an edge of the same relation.
    """
    kind = relation(rel, LEGACY)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        one, other = _ends(tx, ns, from_key, to_key, now)
        tx.graph.add_link(Link(one.id, other.id, kind, now))
        made = Edge(one.id, other.id, kind, EDGE_WEIGHTS[kind], now)
        tx.graph.add_edge(made)
        tx.journal.record(ns, one.id, "link", now)
        made = tx.graph.edge(one.id, other.id, kind) or made
    return replace(made, ns=ns, from_key=from_key, to_key=to_key)


def edge_candidates(
    store: Store, ns: str, *, max_pairs: int = 50, seed: Iterable[str] | None = None
) -> EdgeCandidates:
    """Return the heaviest pairs of alike memories of which nobody has said yet whether one causes,
    prevents or implies the other.

    `seed` are keys: only pairs with one of them. Whoever calls reads both texts and commits what it
    finds with `edge`."""
    validate.namespace(ns)
    validate.positive(max_pairs, "max_pairs")
    keys = seed_keys(seed)
    now = store.clock()
    with store.engine.read() as tx:
        for key in keys:
            find(tx, ns, key, now)
        alike = tx.graph.alike(ns, now, keys)
        found = tx.graph.undecided(ns, now, keys, -1)
    pairs = tuple(
        Candidate(a.key, a.content, b.key, b.content, weight) for a, b, weight in found[:max_pairs]
    )
    return EdgeCandidates(pairs, alike - len(found))


def seed_keys(seed: Iterable[str] | None) -> list[str]:
    """Accept keys to start from; none at all when it is left out."""
    if seed is None:
        return []
    if isinstance(seed, str):
        raise InvalidInputError(
            f"seed must be a list, not the text {validate.shown(seed)}", "pass seed=['a', 'b']"
        )
    keys = [validate.key(key) for key in seed]
    if not keys:  # a forgotten value must not turn into everything
        raise InvalidInputError(
            "no seed key was given", "name the keys, or leave seed out for all pairs"
        )
    return keys


def relation(value: str, among: tuple[Rel, ...] = tuple(Rel)) -> Rel:
    """Accept a relation."""
    if value not in among:
        raise InvalidInputError(
            f"invalid relation {validate.shown(value)}", f"must be one of: {', '.join(among)}"
        )
    return Rel(value)


def _ends(
    tx: "Transaction", ns: str, from_key: str, to_key: str, now: datetime
) -> tuple[Memory, Memory]:
    one = find(tx, validate.text(ns, "namespace"), validate.text(from_key, "key"), now)
    other = find(tx, ns, validate.text(to_key, "key"), now)
    if one.id == other.id:
        raise InvalidInputError(f"{from_key} cannot be linked to itself", "name two different keys")
    return one, other
