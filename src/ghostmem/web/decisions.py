"""Pages of decisions that wait: contradictions, memories that may be stale, the quarantine."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.grouping import grouped
from ghostmem.memory.quarantine import quarantined
from ghostmem.model import Memory, Record
from ghostmem.store import Store, validate
from ghostmem.truth.conflicts import ContradictingPair, conflicts, contradicting_pairs
from ghostmem.web.rows import Row, nonempty, picked

PAGE = 20


@frozen
class Contradiction(Record):
    """Two memories that contradict each other, the prevailing one first.

    `about` is the one of both that contradicts more memories, and `of_about` is their number."""

    ns: str
    first: Row
    second: Row
    automatic: bool
    about: str
    of_about: int


def decisions(
    store: Store, name: str, ns: str | None = None, *, limit: int = PAGE, offset: int = 0
) -> Row:
    """Return a page of the list of this name in `LISTS`, its length, and that by namespace."""
    rows = LISTS[name](store, ns)
    return {
        "rows": rows[offset : offset + limit],
        "total": len(rows),
        "namespaces": dict(sorted(Counter(row.ns for row in rows).items())),
    }


def _contradictions(store: Store, ns: str | None) -> list[Contradiction]:
    """Return unresolved contradictions; those of one memory follow each other, newest first."""
    now = store.clock()
    with store.engine.read() as tx:
        pairs = [
            pair
            for name, *_ in tx.listing.namespaces(validate.ns_filter(ns), now)
            for pair in contradicting_pairs(tx, name, now)
        ]
    degree = Counter(
        (side.ns, side.key) for pair in pairs for side in (pair.prevailing, pair.other)
    )
    rows = [_contradiction(pair, degree) for pair in pairs]
    times = grouped(((row.ns, row.about), row.first["created_at"]) for row in rows)
    rows.sort(key=lambda row: (row.about, row.first["key"], row.second["key"]))
    rows.sort(key=lambda row: (max(times[row.ns, row.about]), row.ns, row.about), reverse=True)
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


def _side(memory: Memory) -> Row:
    """Return one of two memories that contradict each other: its text, who said it, and when."""
    return {
        **picked(memory, "key content created_at version from_user"),
        **nonempty(memory, "source_user source_kind source_client source_scope"),
    }


LISTS: Mapping[str, Callable[[Store, str | None], Sequence[Any]]] = {
    "contradictions": _contradictions,
    # because they depend on a memory that has ended
    "stale": lambda store, ns: conflicts(store, ns).maybe_stale,
    # newest first
    "quarantine": lambda store, ns: quarantined(store, ns)[::-1],
}
