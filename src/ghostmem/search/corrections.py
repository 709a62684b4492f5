"""The order of corrections in what a search found: whatever has the last word stands before what it
contradicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, TypeVar

from ghostmem.model import NsFilter
from ghostmem.search.ranking import Scored
from ghostmem.store.rows import Filter
from ghostmem.truth.refuters import Refuters

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

T = TypeVar("T")


def joined(known: Refuters, beside: Refuters) -> Refuters:
    """Return what must stand before a memory for either reason, each once."""
    found = {id_: list(others) for id_, others in known.items()}
    for id_, others in beside.items():
        named = {other.id for other in others}
        found[id_] = [*others, *(other for other in found.get(id_, ()) if other.id not in named)]
    return found


def unless_named(known: Refuters, scored: Iterable[Scored]) -> Refuters:
    """Leave out what contradicts a memory and has less of the codes that the question names: those
    were asked for as they are.
    """
    holds: dict[str, float] = {}
    for s in scored:
        holds[s.item.memory_id] = max(holds.get(s.item.memory_id, 0.0), s.identifier)
    if not any(holds.values()):
        return known
    return {
        id_: [other for other in others if holds.get(other.id, 0.0) >= holds.get(id_, 0.0)]
        for id_, others in known.items()
    }


def with_corrections(
    tx: Transaction, scored: list[Scored], known: Refuters, count: int
) -> list[Scored]:
    """Add what contradicts the best of what was found and was not found itself.

    It scores as what it corrects.
    """
    there = {s.item.memory_id for s in scored}
    made: list[Scored] = []
    for s in scored[:count]:
        todo = list(known.get(s.item.memory_id, ()))
        while todo:
            memory = todo.pop()
            if memory.id in there:
                continue
            there.add(memory.id)
            todo += known.get(memory.id, ())
            first = tx.index.numbers(memory.id)[:1]
            for item in tx.search.candidates(first, Filter(ns=NsFilter(memory.ns))):
                made.append(
                    Scored(s.space, item, s.score, {"correction": s.score}, None, {}, s.specified)
                )
    return scored + made


def corrected_by(ids: Set[str], known: Refuters) -> set[str]:
    """Return memories and everything that corrects them, directly or through others."""
    found, todo = set(ids), list(ids)
    while todo:
        fresh = [other.id for other in known.get(todo.pop(), ()) if other.id not in found]
        found.update(fresh)
        todo += fresh
    return found


def in_order(found: Sequence[T], known: Refuters, id_of: Callable[[T], str]) -> list[T]:
    """Return what was found with every correction directly before what it corrects.

    The rest stays as it was.
    """
    if not known:
        return list(found)
    groups: dict[str, list[T]] = defaultdict(list)
    for one in found:
        groups[id_of(one)].append(one)
    placed: dict[str, None] = {}

    def place(id_: str, above: frozenset[str]) -> None:
        if id_ in placed or id_ in above:
            return
        for memory in known.get(id_, ()):
            if memory.id in groups:
                place(memory.id, above | {id_})
        placed[id_] = None

    for one in found:
        place(id_of(one), frozenset())
    where = {id_: number for number, id_ in enumerate(placed)}
    # several pieces of one memory keep their places among themselves
    return (
        sorted(found, key=lambda one: where[id_of(one)])
        if len(groups) < len(found)
        else [groups[id_][0] for id_ in placed]
    )
