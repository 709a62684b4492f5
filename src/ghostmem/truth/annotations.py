"""Annotate hits that are contradicted, superseded, or rest on a memory that is no longer valid."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ghostmem.grouping import grouped
from ghostmem.model import Hit, Memory, Rel, Tie
from ghostmem.store import Filter, Transaction
from ghostmem.truth.contradictions import Contradictions
from ghostmem.truth.corrections import prevails, successor_key

MAX_CAUSES = 3  # named in a note
_RESTING = (Rel.DEPENDS_ON, Rel.CONTAINS)  # relations of a memory to those that it rests on


def annotate_hits(
    tx: Transaction,
    hits: list[Hit],
    known: Contradictions,
    statements: Contradictions,
    now: datetime,
) -> list[Hit]:
    """Return hits with notes on contradictions, endings and doubts.

    `known` are the memories that prevail over each hit, `statements` those of the user about it."""
    memories = {hit.memory.id: hit.memory for hit in hits}
    older = grouped(
        (newer.id, memories[id_])
        for id_, prevailing in known.items()
        if id_ in memories
        for newer in prevailing
    )
    stale = maybe_stale(tx, memories.values(), now)
    annotated = []
    for hit in hits:
        id_ = hit.memory.id
        notes = [
            *contradiction_notes(hit.memory, older.get(id_, ()), known.get(id_, ())),
            *_user_statements(hit.memory, known.get(id_, ()), statements.get(id_, ())),
            stale.get(id_, ""),
            ending(hit.memory),
        ]
        text = "; ".join(note for note in notes if note)
        annotated.append(replace(hit, note=text) if text else hit)
    return annotated


def contradiction_notes(
    memory: Memory, older: Sequence[Memory], newer: Sequence[Memory]
) -> list[str]:
    """Return notes on the memories that one prevails over, and on those that prevail over it."""
    if not older and not newer:
        return []
    created = memory.created_at
    groups = (
        ("newer than {}", [m for m in older if m.created_at <= created]),
        ("the user's own statement against {}", [m for m in older if m.created_at > created]),
        ("contradicted by {}, which {} newer", [m for m in newer if m.created_at >= created]),
        (
            "contradicted by {}, the user's own statement",
            [m for m in newer if m.created_at < created],
        ),
    )
    return [
        note.format(_keys(group), "is" if len(group) == 1 else "are")
        for note, group in groups
        if group
    ]


def _user_statements(
    memory: Memory, newer: Iterable[Memory], statements: Iterable[Memory]
) -> list[str]:
    """Return a note on the user's statements that do not contradict a memory directly."""
    named_ids = {memory.id, *(other.id for other in newer)}
    others = [other for other in statements if other.id not in named_ids]
    return [f"the user's own statement: {_keys(others)}"] if others else []


def _keys(memories: Iterable[Memory]) -> str:
    return ", ".join(memory.key for memory in memories)


def ending(memory: Memory) -> str:
    """Return since when a memory is no longer valid and its successor, or an empty text."""
    if memory.valid_to is None:
        return ""
    by = successor_key(memory)
    return f"until {memory.valid_to:%Y-%m-%d}{f', superseded by {by}' if by else ''}"


def maybe_stale(
    tx: Transaction,
    memories: Iterable[Memory],
    now: datetime,
    ties: Iterable[Tie] | None = None,
) -> dict[str, str]:
    """Return notes on memories that depend on, or are older summaries of, a doubtful memory.

    `ties` are the edges of the memories, if they were read before."""
    tops = {memory.id: memory for memory in memories}
    if ties is None:
        ties = tx.graph.touching(list(tops), _RESTING)
    edges = [edge for edge in ties if edge.rel in _RESTING and edge.from_id in tops]
    if not edges:
        return {}
    below = {edge.to_id for edge in edges}
    ended = tx.listing.passing(sorted(below), Filter(now=now, closed=True))
    conflicts = tx.graph.touching(sorted(below), [Rel.CONTRADICTS])
    doubtful = ended | {end for edge in conflicts for end in (edge.from_id, edge.to_id)}
    if not doubtful:
        return {}
    # Only the doubtful ones are read: a summary may have thousands of children.
    known = tx.memories.by_ids(sorted(doubtful))
    bases = {id_: memory for id_, memory in known.items() if id_ in below}
    return _stale_notes(edges, tops, bases, _doubts(known, bases, conflicts, now))


def _stale_notes(
    edges: Iterable[Tie],
    tops: Mapping[str, Memory],
    bases: Mapping[str, Memory],
    doubts: Mapping[str, tuple[datetime, str]],
) -> dict[str, str]:
    """Return notes on the memories whose edges lead to doubtful memories of their namespace."""
    doubted = [
        (edge.rel == Rel.DEPENDS_ON, tops[edge.from_id], bases[edge.to_id], *doubts[edge.to_id])
        for edge in edges
        if edge.to_id in doubts
    ]
    causes = grouped(
        (top.id, f"{'depends on' if depends else 'summary of'} {base.key}, {why}")
        for depends, top, base, since, why in doubted
        if base.ns == top.ns and (depends or since > top.written_at)
    )
    return {
        id_: f"maybe stale: {'; '.join(sorted(reasons)[:MAX_CAUSES])}"
        for id_, reasons in causes.items()
    }


def _doubts(
    known: Mapping[str, Memory],
    bases: Mapping[str, Memory],
    conflicts: Iterable[Tie],
    now: datetime,
) -> dict[str, tuple[datetime, str]]:
    """Return since when, and why, memories have ended or are contradicted by a prevailing one.

    `known` are the memories at the ends of the conflicts."""
    pairs = (
        (bases.get(old_id), known.get(new_id))
        for edge in conflicts
        for old_id, new_id in ((edge.to_id, edge.from_id), (edge.from_id, edge.to_id))
    )
    contradicted = {
        old.id: (new.written_at, f"which {new.key} contradicts")
        for old, new in pairs
        if old and new and new.is_current(now) and new.is_open(now) and prevails(new, old)
    }
    return contradicted | {
        id_: (memory.written_at, f"which held {ending(memory)}")
        for id_, memory in bases.items()
        if not memory.is_open(now)
    }
