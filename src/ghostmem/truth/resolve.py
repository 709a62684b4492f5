"""resolve: decide a contradiction: one side holds, or both do; or take such a decision back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Memory, Record, Rel, optional
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.truth.close import SUPERSEDED_BY, check_supersede, reopen, supersede
from ghostmem.truth.standing import maybe_stale

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction


@dataclass(frozen=True, eq=False, repr=False)
class Resolved(Record):
    """What was decided: what holds, what ended, whether both hold, and what may be stale because of
    it.
    """

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
    """Let one memory hold and end those it contradicts.

    With `other` only that one, with `both` neither ends.

    What ends is demoted and left out of search and context, and its importance goes to what holds;
    nothing is deleted."""
    validate.namespace(ns)
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        kept = find(tx, ns, validate.text(keep, "key"), now)
        rivals = (
            _rivals(tx, kept, now)
            if other is None
            else [find(tx, ns, validate.text(other, "key"), now)]
        )
        if not rivals:
            raise NotFoundError(
                f"nothing contradicts {ns}/{keep}",
                "`ghost conflicts` lists what is in dispute, or name both keys",
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
        ended = []
        for rival in rivals:
            check_supersede(tx, rival, None, kept.key)
            ended.append(supersede(store, tx, kept, rival, now, unlock))
        stale = _resting_on(tx, ended, now)
    return Resolved(
        ns, keep, tuple(m.key for m in ended), valid_to=ended[0].valid_to, maybe_stale=tuple(stale)
    )


def reopened(store: Store, ns: str, key: str) -> Resolved:
    """Let a memory that was closed hold again, as it was before."""
    with store.engine.write(within=(ns,)) as tx:
        now = store.clock()
        closed = find(tx, validate.namespace(ns), validate.text(key, "key"), now)
        reopen(store, tx, closed, now)
    by = closed.meta.get(SUPERSEDED_BY)
    return Resolved(
        ns, key, reopened=True, maybe_stale=() if by is None else (f"{by} contradicts it",)
    )


def _rivals(tx: Transaction, kept: Memory, now: datetime) -> list[Memory]:
    ties = tx.graph.touching([kept.id], [Rel.CONTRADICTS])
    rows = tx.memories.by_ids(
        sorted({end for tie in ties for end in (tie.from_id, tie.to_id)} - {kept.id})
    )
    found = [m for m in rows.values() if m.is_current(now) and m.is_open(now) and m.ns == kept.ns]
    return sorted(found, key=lambda memory: memory.key)


def _resting_on(tx: Transaction, ended: list[Memory], now: datetime) -> list[str]:
    """Say what depends on, or sums up, what just ended."""
    ids = {memory.id for memory in ended}
    ties = tx.graph.touching(sorted(ids), [Rel.DEPENDS_ON, Rel.CONTAINS])
    tops = [
        m
        for m in tx.memories.by_ids(sorted({tie.from_id for tie in ties} - ids)).values()
        if m.is_current(now)
    ]
    told = maybe_stale(tx, tops, now)
    return [
        f"{m.key} {told[m.id].removeprefix('maybe stale: ')}"
        for m in sorted(tops, key=lambda m: m.key)
        if m.id in told
    ]
