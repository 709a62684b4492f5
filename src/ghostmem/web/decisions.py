"""What a person has to decide, in pages: contradictions with their sources, and the quarantine."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ghostmem.model import Memory, Record, optional
from ghostmem.store import Store, validate
from ghostmem.truth.conflicts import ContradictingPair, conflicts, contradicting_pairs

PAGE = 20


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
class Contradiction(Record):
    """Two memories that contradict each other, the prevailing one first.

    `about` is the one of both that contradicts most others, and `of_about` counts those."""

    ns: str
    first: DecisionSide
    second: DecisionSide
    automatic: bool
    about: str
    of_about: int


@dataclass(frozen=True, eq=False, repr=False)
class DecisionPage(Record):
    """A page of a list, the length of the whole list, and its length by namespace."""

    rows: tuple[Any, ...]
    total: int
    namespaces: Mapping[str, int]


def contradictions(
    store: Store, ns: str | None = None, *, limit: int = PAGE, offset: int = 0
) -> DecisionPage:
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
    return _page(rows, lambda row: row.ns, limit, offset)


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


def doubts(
    store: Store, ns: str | None = None, *, limit: int = PAGE, offset: int = 0
) -> DecisionPage:
    """Return the memories that may be stale, because they depend on one that has ended."""
    return _page(conflicts(store, ns).maybe_stale, lambda doubt: doubt.ns, limit, offset)


def held(
    store: Store, ns: str | None = None, *, limit: int = PAGE, offset: int = 0
) -> DecisionPage:
    """Return the quarantined memories, newest first."""
    with store.engine.read() as tx:
        rows = tx.quarantine.all(validate.ns_filter(ns))
    return _page(rows[::-1], lambda entry: entry.ns, limit, offset)


def _page(
    rows: Sequence[Any], ns_of: Callable[[Any], str], limit: int, offset: int
) -> DecisionPage:
    return DecisionPage(tuple(rows[offset : offset + limit]), len(rows), _counts(map(ns_of, rows)))


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


LISTS: Mapping[str, Callable[..., DecisionPage]] = {
    "contradictions": contradictions,
    "stale": doubts,
    "quarantine": held,
}
