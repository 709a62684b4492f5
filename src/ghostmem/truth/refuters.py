"""Find what contradicts a memory and prevails over it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import Memory, NsFilter, Rel
from ghostmem.store.rows import Filter
from ghostmem.truth.last_word import last_word, prevails

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

Refuters = Mapping[
    str, Sequence[Memory]
]  # by id: what contradicts a memory and prevails, the last word first
ROUNDS = 8  # how long a chain of corrections is followed


def refuters(tx: Transaction, ids: Iterable[str], which: Filter, at: datetime) -> Refuters:
    """Return, for memories and for what contradicts them in turn, everything current that has the
    last word over them.
    """
    found: dict[str, list[Memory]] = defaultdict(list)
    known: dict[str, Memory] = {}
    todo, seen = set(ids), set[str]()
    for _ in range(ROUNDS):
        ties = tx.graph.touching(sorted(todo - seen), [Rel.CONTRADICTS]) if todo - seen else []
        if not ties:
            break
        seen |= todo
        fresh = {end for tie in ties for end in (tie.from_id, tie.to_id)} - known.keys()
        known |= _standing(tx, fresh, which, at)
        todo = set()
        for tie in ties:
            one, other = known.get(tie.from_id), known.get(tie.to_id)
            if one is None or other is None or one.ns != other.ns:
                continue
            new, old = (one, other) if prevails(one, other) else (other, one)
            if new not in found[old.id]:
                found[old.id].append(new)
                todo.add(new.id)
    return {
        id_: sorted(others, key=last_word, reverse=True) for id_, others in found.items() if others
    }


def _standing(
    tx: Transaction, ids: Iterable[str], which: Filter, at: datetime
) -> dict[str, Memory]:
    """Return those memories that still hold and that the caller asked for.

    A correction may be asleep.
    """
    rows = tx.memories.by_ids(sorted(ids))
    passing = tx.listing.passing(list(rows), replace(which, ns=NsFilter(), tiers=()))
    held = {id_: m for id_, m in rows.items() if id_ in passing and m.is_current(at)}
    if which.valid_at is None:
        return {id_: memory for id_, memory in held.items() if memory.is_open(at)}
    return held
