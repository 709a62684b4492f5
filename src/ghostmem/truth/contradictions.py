"""Find the memories that contradict others and prevail over them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ghostmem.model import Memory, NsFilter, Rel
from ghostmem.store import Filter, Transaction
from ghostmem.truth.precedence import precedence, prevails

# By the id of a memory: the memories that contradict it and prevail, the strongest first.
Contradictions = Mapping[str, Sequence[Memory]]
MAX_CHAIN = 8  # corrections of corrections that are followed


def find_contradictions(
    tx: Transaction, ids: Iterable[str], conditions: Filter, at: datetime
) -> Contradictions:
    """Return the memories that prevail over others, and those that prevail over these in turn."""
    prevailing: dict[str, list[Memory]] = defaultdict(list)
    known: dict[str, Memory] = {}
    todo, seen = set(ids), set[str]()
    for _ in range(MAX_CHAIN):
        edges = tx.graph.touching(sorted(todo - seen), [Rel.CONTRADICTS]) if todo - seen else []
        if not edges:
            break
        seen |= todo
        ends = {end for edge in edges for end in (edge.from_id, edge.to_id)}
        known |= _valid(tx, ends - known.keys(), conditions, at)
        todo = set()
        for edge in edges:
            first, second = known.get(edge.from_id), known.get(edge.to_id)
            if first is None or second is None or first.ns != second.ns:
                continue
            new, old = (first, second) if prevails(first, second) else (second, first)
            if new not in prevailing[old.id]:
                prevailing[old.id].append(new)
                todo.add(new.id)
    return {
        id_: sorted(memories, key=precedence, reverse=True)
        for id_, memories in prevailing.items()
        if memories
    }


def _valid(
    tx: Transaction, ids: Iterable[str], conditions: Filter, at: datetime
) -> dict[str, Memory]:
    """Return the valid memories that pass the caller's filter; they may be dormant."""
    rows = tx.memories.by_ids(sorted(ids))
    passing = tx.listing.passing(list(rows), replace(conditions, ns=NsFilter(), tiers=()))
    return {
        id_: memory
        for id_, memory in rows.items()
        if id_ in passing
        and memory.is_current(at)
        and (conditions.valid_at is not None or memory.is_open(at))
    }
