"""resolve: decide a contradiction in favour of one memory or of both, or take that back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Memory, Record, Rel, optional
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.truth.close import SUPERSEDED_BY, check_supersede, contradicting, reopen, supersede
from ghostmem.truth.standing import maybe_stale

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Resolved(Record):
    """A decision: the memory that is kept, those that were closed, and those that may be stale."""

    ns: str
    keeps: str
    closed: tuple[str, ...] = optional(())
    both: bool = False
    reopened: bool = False
    valid_to: datetime | None = optional()
    maybe_stale: tuple[str, ...] = optional(())


def resolve(
    store: Store,
    ns: str,
    keep: str,
    other: str | None = None,
    *,
    both: bool = False,
    unlock: bool = False,
) -> Resolved:
    """Keep one memory and close those it contradicts.

    With `other` only that one is closed, with `both` none. A closed memory is demoted and left out
    of search and context, and its importance passes to the one that is kept; nothing is deleted."""
    validate.namespace(ns)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        kept = find(tx, ns, validate.text(keep, "key"), now)
        if other is None:
            rivals = sorted(contradicting(tx, kept, now), key=lambda memory: memory.key)
        else:
            rivals = [find(tx, ns, validate.text(other, "key"), now)]
        if not rivals:
            raise NotFoundError(
                f"nothing contradicts {ns}/{keep}",
                "`ghost conflicts` lists contradictions, or name both keys",
            )
        if any(rival.id == kept.id for rival in rivals):
            raise InvalidInputError(
                f"{keep} cannot be decided against itself", "name two different keys"
            )
        if both:
            for rival in rivals:
                tx.graph.remove_edge(kept.id, rival.id, Rel.CONTRADICTS)
                tx.graph.remove_edge(rival.id, kept.id, Rel.CONTRADICTS)
            return Resolved(ns, keep, both=True)
        importance = max(rival.importance for rival in rivals)
        if importance > kept.importance:
            tx.memories.change(kept, "importance", now, importance=importance)
        closed = []
        for rival in rivals:
            check_supersede(tx, rival, None, kept.key)
            closed.append(supersede(store, tx, kept, rival, now, unlock))
        stale = _resting_on(tx, closed, now)
    keys = tuple(memory.key for memory in closed)
    return Resolved(ns, keep, keys, valid_to=closed[0].valid_to, maybe_stale=stale)


def reopened(store: Store, ns: str, key: str) -> Resolved:
    """Reopen a closed memory with its fields from before."""
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        closed = find(tx, validate.namespace(ns), validate.text(key, "key"), now)
        reopen(store, tx, closed, now)
    by = closed.meta.get(SUPERSEDED_BY)
    stale = () if by is None else (f"{by} contradicts it",)
    return Resolved(ns, key, reopened=True, maybe_stale=stale)


def _resting_on(tx: Transaction, closed: list[Memory], now: datetime) -> tuple[str, ...]:
    """Return notes on the memories that depend on closed ones, or are summaries of them."""
    ids = {memory.id for memory in closed}
    edges = tx.graph.touching(sorted(ids), [Rel.DEPENDS_ON, Rel.CONTAINS])
    rows = tx.memories.by_ids(sorted({edge.from_id for edge in edges} - ids)).values()
    tops = sorted((m for m in rows if m.is_current(now)), key=lambda m: m.key)
    notes = maybe_stale(tx, tops, now)
    return tuple(
        f"{m.key} {notes[m.id].removeprefix('maybe stale: ')}" for m in tops if m.id in notes
    )
