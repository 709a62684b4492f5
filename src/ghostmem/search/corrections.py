"""Put corrections before the memories that they correct."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from ghostmem.model import Memory, NsFilter
from ghostmem.search.candidates import ChunkMatch, FeatureTable
from ghostmem.store import Filter, Transaction
from ghostmem.truth.contradictions import Contradictions, find_contradictions, find_user_statements

T = TypeVar("T")


class Corrections(NamedTuple):
    """Memories that correct others, by the id of the corrected memory."""

    contradictions: Contradictions  # memories that contradict it and prevail
    statements: Contradictions  # the user's own statements about the same
    before: Contradictions  # memories that must come before it, for either reason


def find_corrections(
    tx: Transaction,
    shown: Mapping[str, Memory],
    matches: Iterable[ChunkMatch],
    filter_: Filter,
    now: datetime,
) -> Corrections:
    """Return the corrections of the memories to be shown, some of which may be other `matches`."""
    contradictions = find_contradictions(tx, shown, filter_, now)
    prevailing = {memory.id: memory for newer in contradictions.values() for memory in newer}
    statements = find_user_statements(tx, {**shown, **prevailing}.values(), filter_, now)
    before = {id_: list(newer) for id_, newer in contradictions.items()}
    for id_, stated in statements.items():
        named = {memory.id for memory in stated}
        others = [memory for memory in before.get(id_, ()) if memory.id not in named]
        before[id_] = [*stated, *others]
    return Corrections(contradictions, statements, _unless_named(before, matches))


def _unless_named(before: Contradictions, matches: Iterable[ChunkMatch]) -> Contradictions:
    """Leave out corrections that contain fewer of the codes in the question than the corrected.

    A question that names a code asks for the memories that contain it."""
    if not before:
        return before
    shares: dict[str, float] = defaultdict(float)
    for match in matches:
        share = match.feature("identifier")
        shares[match.chunk.memory_id] = max(shares[match.chunk.memory_id], share)
    return {
        id_: [memory for memory in newer if shares.get(memory.id, 0.0) >= shares.get(id_, 0.0)]
        for id_, newer in before.items()
    }


def with_corrections(
    tx: Transaction, matches: list[ChunkMatch], before: Contradictions, limit: int
) -> list[ChunkMatch]:
    """Add the corrections of the first matches that are not matches themselves.

    A correction scores as much as the memory that it corrects."""
    known = {match.chunk.memory_id for match in matches}
    added: list[ChunkMatch] = []
    for match in matches[:limit]:
        parts = {"correction": match.score}
        todo = list(before.get(match.chunk.memory_id, ()))
        while todo:
            memory = todo.pop()
            if memory.id in known:
                continue
            known.add(memory.id)
            todo += before.get(memory.id, ())
            first = tx.index.numbers(memory.id)[:1]
            added += [
                replace(
                    match,
                    chunk=chunk,
                    table=FeatureTable(),
                    cosine=None,
                    relevance=None,
                    parts=parts,
                )
                for chunk in tx.search.candidates(first, Filter(ns=NsFilter(memory.ns)))
            ]
    return matches + added


def reachable(starts: Iterable[str], links: Mapping[str, Iterable[str]]) -> dict[str, None]:
    """Return the ids that links lead to, directly or through others, nearest first."""
    reached: dict[str, None] = {}
    todo = list(starts)
    while todo:
        fresh = dict.fromkeys(id_ for id_ in links.get(todo.pop(0), ()) if id_ not in reached)
        reached |= fresh
        todo += fresh
    return reached


def in_order(items: Sequence[T], before: Contradictions, id_of: Callable[[T], str]) -> list[T]:
    """Return items with every correction directly before the memory that it corrects."""
    if not before:
        return list(items)
    ids = dict.fromkeys(map(id_of, items))
    places: dict[str, int] = {}

    def place(id_: str, above: frozenset[str]) -> None:
        if id_ in places or id_ in above:
            return
        for memory in before.get(id_, ()):
            if memory.id in ids:
                place(memory.id, above | {id_})
        places[id_] = len(places)

    for id_ in ids:
        place(id_, frozenset())
    # several pieces of one memory keep their order
    return sorted(items, key=lambda item: places[id_of(item)])
