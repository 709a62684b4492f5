"""How what was found stands: contradicted, superseded, or resting on something that no longer
holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ghostmem.model import Hit, Memory, Rel
from ghostmem.store.rows import Filter
from ghostmem.truth.close import SUPERSEDED_BY
from ghostmem.truth.last_word import prevails
from ghostmem.truth.refuters import Refuters

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

NAMED = 3  # how many causes are named


def ending(memory: Memory) -> str:
    """Say since when a memory no longer holds, and what holds instead."""
    if memory.valid_to is None:
        return ""
    by = memory.meta.get(SUPERSEDED_BY)
    return f"until {memory.valid_to:%Y-%m-%d}{f', superseded by {by}' if by else ''}"


def disputed(memory: Memory, older: Sequence[Memory], newer: Sequence[Memory]) -> list[str]:
    """Say what a memory has the last word over, and what has it over this one."""
    said = [other for other in older if other.created_at <= memory.created_at]
    told = [f"newer than {_keys(said)}"] if said else []
    if over := [other for other in older if other not in said]:
        told.append(f"the user's own word against {_keys(over)}")
    late = [other for other in newer if other.created_at >= memory.created_at]
    told += [f"contradicted by {_keys(late)}, which is newer"] if late else []
    if own := [other for other in newer if other not in late]:
        told.append(f"contradicted by {_keys(own)}, the user's own word")
    return told


def _keys(memories: Sequence[Memory]) -> str:
    return ", ".join(memory.key for memory in memories)


def maybe_stale(tx: Transaction, memories: Iterable[Memory], now: datetime) -> dict[str, str]:
    """Say which memories rest on what no longer holds: they depend on it, or are a summary of it
    made before that was known.
    """
    known = {memory.id: memory for memory in memories}
    ties = [
        tie
        for tie in tx.graph.touching(list(known), [Rel.DEPENDS_ON, Rel.CONTAINS])
        if tie.from_id in known
    ]
    if not ties:
        return {}
    below = sorted({tie.to_id for tie in ties})
    ended = tx.listing.passing(below, Filter(now=now, closed=True))
    conflicts = tx.graph.touching(below, [Rel.CONTRADICTS])
    doubted = ended | {end for tie in conflicts for end in (tie.from_id, tie.to_id)}
    if not doubted:
        return {}
    bases = tx.memories.by_ids(
        sorted(doubted.intersection(below))
    )  # a summary may have thousands of children
    doubts = _doubts(tx, bases, now)
    told: dict[str, list[str]] = {}
    for tie in ties:
        base, top = bases.get(tie.to_id), known[tie.from_id]
        if base is None or base.id not in doubts or base.ns != top.ns:
            continue
        since, why = doubts[base.id]
        if tie.rel == Rel.DEPENDS_ON or since > (top.recorded_at or top.created_at):
            verb = "depends on" if tie.rel == Rel.DEPENDS_ON else "stands for"
            told.setdefault(top.id, []).append(f"{verb} {base.key}, {why}")
    return {
        id_: f"maybe stale: {'; '.join(sorted(causes)[:NAMED])}" for id_, causes in told.items()
    }


def _doubts(
    tx: Transaction, bases: Mapping[str, Memory], now: datetime
) -> dict[str, tuple[datetime, str]]:
    """Return which memories no longer hold or are contradicted by what has the last word, since
    when, and why.
    """
    found: dict[str, tuple[datetime, str]] = {}
    ties = tx.graph.touching(list(bases), [Rel.CONTRADICTS])
    ends = tx.memories.by_ids(sorted({end for tie in ties for end in (tie.from_id, tie.to_id)}))
    for tie in ties:
        for old, new in (
            (ends.get(tie.to_id), ends.get(tie.from_id)),
            (ends.get(tie.from_id), ends.get(tie.to_id)),
        ):
            if old is None or new is None or old.id not in bases or not prevails(new, old):
                continue
            if new.is_current(now) and new.is_open(now):
                found[old.id] = (new.recorded_at or new.created_at, f"which {new.key} contradicts")
    for id_, memory in bases.items():
        if not memory.is_open(now):
            found[id_] = (memory.recorded_at or memory.created_at, f"which held {ending(memory)}")
    return found


def besides(memory: Memory, newer: Sequence[Memory], beside: Sequence[Memory]) -> list[str]:
    """Name the user's own words about the same, as far as they do not contradict it in so many
    words.
    """
    named = {other.id for other in newer}
    others = [other for other in beside if other.id not in named and other.id != memory.id]
    return [f"the user's own word: {_keys(others)}"] if others else []


def noted(
    tx: Transaction, hits: list[Hit], known: Refuters, beside: Refuters, now: datetime
) -> list[Hit]:
    """Give each hit the word that speaks against it, or that it has over another."""
    shown = {hit.memory.id: hit.memory for hit in hits}
    older: dict[str, list[Memory]] = {}
    for id_, others in known.items():
        for other in others if id_ in shown else ():
            older.setdefault(other.id, []).append(shown[id_])
    doubts = maybe_stale(tx, shown.values(), now)
    made = []
    for hit in hits:
        id_ = hit.memory.id
        told = disputed(hit.memory, older.get(id_, ()), known.get(id_, ()))
        told += besides(hit.memory, known.get(id_, ()), beside.get(id_, ()))
        told += [doubts[id_]] if id_ in doubts else []
        told += [ending(hit.memory)] if hit.memory.valid_to is not None else []
        made.append(replace(hit, note="; ".join(told)) if told else hit)
    return made
