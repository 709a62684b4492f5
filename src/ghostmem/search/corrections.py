"""Put corrections before the memories that they correct."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from ghostmem.model import Memory, NsFilter, Rel
from ghostmem.search.candidates import ChunkMatch, FeatureTable
from ghostmem.search.score import parts_of
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
    answers: Iterable[ChunkMatch],
    filter_: Filter,
    now: datetime,
) -> Corrections:
    """Return the corrections of the memories to be shown, some of which may be other `matches`.

    An inferred correction comes before the memory that it corrects only if it is itself among the
    `answers`."""
    contradictions = find_contradictions(tx, shown, filter_, now)
    prevailing = {memory.id: memory for newer in contradictions.values() for memory in newer}
    statements = find_user_statements(tx, {**shown, **prevailing}.values(), filter_, now)
    answer_ids = {match.chunk.memory_id for match in answers}
    explicit = {
        frozenset((edge.from_id, edge.to_id))
        for edge in tx.graph.touching(contradictions, [Rel.CONTRADICTS])
        if not edge.automatic
    }
    links = {id_: [memory.id for memory in newer] for id_, newer in contradictions.items()}
    before = {
        id_: [
            prevailing[other]
            for other in reachable([id_], links)
            if other in answer_ids or frozenset((id_, other)) in explicit
        ]
        for id_ in links
    }
    for id_, stated in statements.items():
        stated_ids = {memory.id for memory in stated}
        before[id_] = [
            *stated,
            *[memory for memory in before.get(id_, ()) if memory.id not in stated_ids],
        ]
    # a question that names a code asks for the memories that contain it, also for corrected ones
    best_last = sorted(matches if before else (), key=lambda match: match.feature("identifier"))
    shares = {match.chunk.memory_id: match.feature("identifier") for match in best_last}
    before = {
        id_: [memory for memory in newer if shares.get(memory.id, 0.0) >= shares.get(id_, 0.0)]
        for id_, newer in before.items()
    }
    return Corrections(contradictions, statements, before)


def with_corrections(
    tx: Transaction, matches: list[ChunkMatch], before: Contradictions, limit: int
) -> list[ChunkMatch]:
    """Add the corrections of the first matches that are not matches themselves.

    A correction scores at least as much as the memory that it corrects."""
    links = {id_: [memory.id for memory in newer] for id_, newer in before.items()}
    namespaces = {memory.id: memory.ns for newer in before.values() for memory in newer}
    known = {match.chunk.memory_id for match in matches}
    least: dict[str, float] = {}
    added: list[ChunkMatch] = []
    for match in matches[:limit]:
        for id_ in reachable([match.chunk.memory_id], links):
            least[id_] = max(match.score, least.get(id_, 0.0))
            if id_ in known:
                continue
            known.add(id_)
            first = tx.index.numbers(id_)[:1]
            added += [
                replace(
                    match,
                    chunk=chunk,
                    table=FeatureTable(),
                    cosine=None,
                    relevance=None,
                    parts={"correction": match.score},
                )
                for chunk in tx.search.candidates(first, Filter(ns=NsFilter(namespaces[id_])))
            ]
    return [
        replace(match, score=score, parts={**parts_of(match), "correction": score - match.score})
        if (score := least.get(match.chunk.memory_id, 0.0)) > match.score
        else match
        for match in matches
    ] + added


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
