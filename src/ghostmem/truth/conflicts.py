"""conflicts: list contradictions and memories that may be stale, and resolve contradictions."""

from datetime import datetime
from typing import NamedTuple

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.model import Edge, Memory, NsFilter, Record, Rel, optional
from ghostmem.store import Filter, Store, Transaction, find, validate
from ghostmem.truth.annotations import maybe_stale
from ghostmem.truth.corrections import (
    check_supersede,
    contradicting,
    is_superseded,
    prevails,
    reopen,
    successor_key,
    supersede,
)


@frozen
class Conflict(Record):
    """Two memories that contradict each other, the prevailing one first.

    `automatic` says that the contradiction was inferred."""

    ns: str
    key: str
    content: str
    other: str
    other_content: str
    created_at: datetime
    other_created_at: datetime
    automatic: bool
    weight: float


@frozen
class Doubt(Record):
    """A memory that rests on a memory that is no longer valid, and why."""

    ns: str
    key: str
    why: str


@frozen
class Conflicts(Record):
    """Unresolved contradictions, newest first, and memories that may be stale."""

    conflicts: tuple[Conflict, ...]
    maybe_stale: tuple[Doubt, ...] = ()


@frozen
class Resolution(Record):
    """A decision: the memory that is kept, those that were closed, and those that may be stale."""

    ns: str
    keeps: str
    closed: tuple[str, ...] = optional(())
    both: bool = False
    reopened: bool = False
    valid_to: datetime | None = optional()
    maybe_stale: tuple[str, ...] = optional(())


def conflicts(store: Store, ns: str | None = None) -> Conflicts:
    """Return unresolved contradictions, and memories that may be outdated.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    now = store.clock()
    unresolved: list[Conflict] = []
    doubts: list[Doubt] = []
    with store.engine.read() as tx:
        for name, *_ in tx.listing.namespaces(validate.ns_filter(ns), now):
            own_tx = tx.of(name)
            unresolved += [
                Conflict(
                    new.ns,
                    new.key,
                    new.content,
                    old.key,
                    old.content,
                    new.created_at,
                    old.created_at,
                    edge.automatic,
                    round(edge.weight, 4),
                )
                for new, old, edge in contradicting_pairs(own_tx, name, now)
            ]
            tops = {
                edge.from_id
                for rel in (Rel.DEPENDS_ON, Rel.CONTAINS)
                for edge in own_tx.graph.of_namespace(name, now, rel)
            }
            rows = [m for m in own_tx.memories.by_ids(sorted(tops)).values() if m.is_open(now)]
            notes = maybe_stale(own_tx, rows, now)
            doubts += [
                Doubt(m.ns, m.key, notes[m.id])
                for m in sorted(rows, key=lambda m: m.key)
                if m.id in notes
            ]
    unresolved.sort(key=lambda pair: (-pair.created_at.timestamp(), pair.ns, pair.key, pair.other))
    return Conflicts(tuple(unresolved), tuple(doubts))


class ContradictingPair(NamedTuple):
    """Two current memories that contradict each other, and the edge that says so."""

    prevailing: Memory
    other: Memory
    edge: Edge


def contradicting_pairs(tx: Transaction, ns: str, now: datetime) -> list[ContradictingPair]:
    """Return the pairs of a namespace; an explicit edge counts before an inferred one."""
    edges = list(_open_edges(tx, ns, now).values())
    rows = tx.memories.by_ids(sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}))
    ends = [(rows[edge.from_id], rows[edge.to_id], edge) for edge in edges]
    return [ContradictingPair(*((a, b) if prevails(a, b) else (b, a)), edge) for a, b, edge in ends]


def count_conflicts(tx: Transaction, ns: NsFilter, now: datetime) -> int:
    """Count the unresolved contradictions without reading the memories."""
    if ns and not ns.is_prefix:
        return len(_open_edges(tx, ns, now))
    return len({frozenset(ends) for name, *ends in tx.graph.contradicting(now) if ns.matches(name)})


def _open_edges(tx: Transaction, ns: str, now: datetime) -> dict[frozenset[str], Edge]:
    """Return one edge per pair of current memories that contradict each other."""
    edges = list(tx.graph.of_namespace(ns, now, Rel.CONTRADICTS))
    passing = tx.listing.passing(
        sorted({end for edge in edges for end in (edge.from_id, edge.to_id)}),
        Filter(ns=NsFilter(ns), now=now, closed=False),
    )
    pairs: dict[frozenset[str], Edge] = {}
    for edge in edges:
        ends = frozenset((edge.from_id, edge.to_id))
        if ends <= passing and (ends not in pairs or pairs[ends].automatic):
            pairs[ends] = edge
    return pairs


def resolve(
    store: Store,
    ns: str,
    keep: str,
    other: str | None = None,
    *,
    both: bool = False,
    unlock: bool = False,
) -> Resolution:
    """Decide a contradiction: retire the other memories, or keep both.

    Args:
        ns: Namespace.
        keep: Key of the memory to keep.
        other: Key of the memory to retire; default: all that contradict `keep`.
        both: Both are true; they do not contradict each other.
        unlock: Also retire or reopen a memory tagged `locked`.

    Raises:
        NotFoundError: Nothing contradicts `keep`.
    """
    validate.flags(both=both, unlock=unlock)
    validate.namespace(ns)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        winner = find(tx, ns, validate.text(keep, "key"), now)
        rivals = _rivals(tx, winner, other, now)
        if both:
            for rival in rivals:
                for start, end in ((winner.id, rival.id), (rival.id, winner.id)):
                    if tx.graph.remove_edge(start, end, Rel.CONTRADICTS):
                        tx.journal.record(ns, start, "unlink", now)
            return Resolution(ns, keep, both=True)
        if is_superseded(winner, now):
            winner = reopen(store, tx, winner, now, unlock)
        importance = max(rival.importance for rival in rivals)
        if importance > winner.importance:
            tx.memories.change(winner, "importance", now, importance=importance)
        closed = []
        for rival in rivals:
            check_supersede(tx, rival, None, winner.key)
            closed.append(supersede(store, tx, winner, rival, now, unlock))
        stale = _resting_on(tx, closed, now)
    return Resolution(
        ns,
        keep,
        tuple(memory.key for memory in closed),
        valid_to=closed[0].valid_to,
        maybe_stale=stale,
    )


def _rivals(tx: Transaction, winner: Memory, other: str | None, now: datetime) -> list[Memory]:
    """Return the memories that a memory contradicts, or the one that is named."""
    rivals = (
        sorted(contradicting(tx, winner, now), key=lambda memory: memory.key)
        if other is None
        else [find(tx, winner.ns, validate.text(other, "key"), now)]
    )
    if not rivals:
        raise NotFoundError(
            f"nothing contradicts {winner.ns}/{winner.key}",
            "`ghost conflicts` lists contradictions, or give both keys",
        )
    if any(rival.id == winner.id for rival in rivals):
        raise InvalidInputError(f"{winner.key} cannot contradict itself", "give two different keys")
    return rivals


def reopen_memory(store: Store, ns: str, key: str, *, unlock: bool = False) -> Resolution:
    """Make a retired memory valid again.

    Args:
        ns: Namespace.
        key: Key of the memory.
        unlock: Also reopen a memory tagged `locked`.

    Raises:
        ConflictError: Its validity has not ended.
        LockedError: It is tagged `locked`.
    """
    validate.flags(unlock=unlock)
    validate.namespace(ns)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        closed = find(tx, ns, validate.text(key, "key"), now)
        reopen(store, tx, closed, now, unlock)
    by = successor_key(closed)
    return Resolution(
        ns, key, reopened=True, maybe_stale=() if by is None else (f"{by} contradicts it",)
    )


def _resting_on(tx: Transaction, closed: list[Memory], now: datetime) -> tuple[str, ...]:
    """Return notes on the memories that depend on closed ones, or are summaries of them."""
    ids = {memory.id for memory in closed}
    rows = tx.memories.by_ids(
        sorted(
            {
                edge.from_id
                for edge in tx.graph.touching(sorted(ids), [Rel.DEPENDS_ON, Rel.CONTAINS])
            }
            - ids
        )
    ).values()
    tops = sorted((m for m in rows if m.is_current(now)), key=lambda m: m.key)
    notes = maybe_stale(tx, tops, now)
    return tuple(
        f"{m.key} {notes[m.id].removeprefix('maybe stale: ')}" for m in tops if m.id in notes
    )
