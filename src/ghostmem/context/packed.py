"""A candidate that was packed, as it is handed back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ghostmem.model import Packed, Why
from ghostmem.truth.standing import disputed

if TYPE_CHECKING:
    from ghostmem.context.packer import Placed
    from ghostmem.model import Memory


def packed(
    placed: Placed,
    older: Sequence[Memory],
    newer: Sequence[Memory],
    about: str = "",
    children: Sequence[str] = (),
    same: Sequence[str] = (),
) -> Packed:
    """Return a packed memory with why it is there, and what in the pack it has the last word over,
    or that has it over it.
    """
    item, text, tokens = placed
    memory = item.memory
    note = "; ".join([*([about] if about else []), *disputed(memory, older, newer)])
    return Packed(
        memory.ns,
        memory.key,
        memory.kind,
        round(item.score, 4),
        text,
        text != memory.content,
        tokens,
        Why(
            item.stage,
            item.legs,
            {name: round(value, 4) for name, value in item.parts.items()},
            item.path,
            note,
        ),
        memory.id,
        memory.tier,
        memory.created_at,
        memory.version,
        memory.pinned,
        memory.tags,
        memory.source_user,
        memory.source_kind,
        tuple(sorted({other.key for other in (*older, *newer)})),
        tuple(children),
        1 + len(same),
        tuple(same),
    )
