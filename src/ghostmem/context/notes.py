"""Say why each packed memory is there, and what is to be noted about it."""

from collections.abc import Iterable, Mapping, Sequence

from ghostmem.context.packer import ContextItem, Placed
from ghostmem.grouping import grouped
from ghostmem.model import Packed, Why
from ghostmem.truth.annotations import contradiction_notes


def packed_memories(
    placed: Mapping[str, Placed],
    refuters: Mapping[str, Sequence[str]],
    remarks: Iterable[tuple[str, str]],
    children: Mapping[str, Sequence[str]] | None = None,
    copies: Mapping[str, Sequence[ContextItem]] | None = None,
) -> tuple[Packed, ...]:
    """Return packed memories with their reasons and notes.

    `refuters` are the ids of memories that correct a memory; `remarks` are notes with the id of a
    memory; `children` are keys, `copies` the
    duplicates of a memory."""
    memories = {id_: entry.item.memory for id_, entry in placed.items()}
    newer = {
        id_: [memories[other] for other in refuters.get(id_, ()) if other in memories]
        for id_ in memories
    }
    older = grouped((memory.id, memories[id_]) for id_ in refuters for memory in newer.get(id_, ()))
    texts = grouped(remarks)
    return tuple(
        _packed(
            entry,
            [
                *texts.get(id_, ()),
                *contradiction_notes(memories[id_], older.get(id_, []), newer[id_]),
            ],
            {memory.key for memory in (*older.get(id_, ()), *newer[id_])},
            (children or {}).get(id_, ()),
            [item.memory.key for item in (copies or {}).get(id_, ())],
        )
        for id_, entry in placed.items()
    )


def _packed(
    placed: Placed,
    notes: Sequence[str],
    conflicts: Iterable[str],
    children: Sequence[str],
    copies: Sequence[str],
) -> Packed:
    item, text, tokens = placed
    memory = item.memory
    parts = {name: round(value, 4) for name, value in item.parts.items()}
    return Packed(
        memory.ns,
        memory.key,
        memory.kind,
        round(item.score, 4),
        text,
        text != memory.content,
        tokens,
        Why(item.stage, item.ranks, parts, item.path, "; ".join(notes)),
        memory.id,
        memory.tier,
        memory.created_at,
        memory.version,
        memory.pinned,
        memory.tags,
        memory.source_user,
        memory.source_kind,
        tuple(sorted(conflicts)),
        tuple(children),
        1 + len(copies),
        tuple(copies),
    )
