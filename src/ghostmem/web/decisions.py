"""Pages of decisions that wait: contradictions, memories that may be stale, the quarantine."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.memory.quarantine import quarantined
from ghostmem.model import Held, Memory, Record, optional
from ghostmem.store import Store, validate
from ghostmem.truth.conflicts import ContradictingPair, Doubt, conflicts, contradicting_pairs

PAGE = 20


@frozen
class DecisionSide(Record):
    """One of two memories that contradict each other: its text, who said it, and when."""

    key: str
    content: str
    created_at: datetime
    version: int
    from_user: bool
    source_user: str | None = optional()
    source_kind: str | None = optional()
    source_client: str | None = optional()
    source_scope: str | None = optional()


@frozen
class Contradiction(Record):
    """Two memories that contradict each other, the prevailing one first.

    `about` is the one of both that contradicts more memories, and `of_about` is their number."""

    ns: str
    first: DecisionSide
    second: DecisionSide
    automatic: bool
    about: str
    of_about: int


@frozen
class DecisionPage(Record):
    """A page of a list, the length of the whole list, and its length by namespace."""

    rows: tuple[Any, ...]
    total: int
    namespaces: Mapping[str, int]


def decisions(
    store: Store, name: str, ns: str | None = None, *, limit: int = PAGE, offset: int = 0
) -> DecisionPage:
    """Return a page of the list of this name in `LISTS`."""
    rows = LISTS[name](store, ns)
    counts = Counter(row.ns for row in rows)
    return DecisionPage(
        tuple(rows[offset : offset + limit]), len(rows), dict(sorted(counts.items()))
    )


def _contradictions(store: Store, ns: str | None) -> list[Contradiction]:
    """Return unresolved contradictions; those of one memory follow each other, newest first."""
    now = store.clock()
    with store.engine.read() as tx:
        names = [name for name, *_ in tx.listing.namespaces(validate.ns_filter(ns), now)]
        pairs = [pair for name in names for pair in contradicting_pairs(tx, name, now)]
    degree = Counter(
        (side.ns, side.key) for pair in pairs for side in (pair.prevailing, pair.other)
    )
    rows = [_contradiction(pair, degree) for pair in pairs]
    newest: dict[tuple[str, str], datetime] = {}
    for row in rows:
        group = (row.ns, row.about)
        newest[group] = max(newest.get(group, row.first.created_at), row.first.created_at)
    rows.sort(key=lambda row: (row.about, row.first.key, row.second.key))
    rows.sort(key=lambda row: (newest[row.ns, row.about], row.ns, row.about), reverse=True)
    return rows


def _contradiction(pair: ContradictingPair, degree: Mapping[tuple[str, str], int]) -> Contradiction:
    new, old, edge = pair
    about = old if degree[old.ns, old.key] > degree[new.ns, new.key] else new
    return Contradiction(
        new.ns,
        _side(new),
        _side(old),
        edge.automatic,
        about.key,
        degree[about.ns, about.key],
    )


def _side(memory: Memory) -> DecisionSide:
    return DecisionSide(
        memory.key,
        memory.content,
        memory.created_at,
        memory.version,
        memory.from_user,
        memory.source_user,
        memory.source_kind,
        memory.source_client,
        memory.source_scope,
    )


def _stale(store: Store, ns: str | None) -> tuple[Doubt, ...]:
    """Return the memories that may be stale, because they depend on one that has ended."""
    return conflicts(store, ns).maybe_stale


def _quarantined(store: Store, ns: str | None) -> list[Held]:
    """Return the quarantined memories, newest first."""
    return quarantined(store, ns)[::-1]


LISTS: Mapping[str, Callable[[Store, str | None], Sequence[Any]]] = {
    "contradictions": _contradictions,
    "stale": _stale,
    "quarantine": _quarantined,
}
