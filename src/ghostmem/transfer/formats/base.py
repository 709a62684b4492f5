"""What every reader of another tool's memories hands back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from ghostmem.errors import InvalidInputError
from ghostmem.model import FileRef, Kind, Rel
from ghostmem.text.sections import slug

LONGEST_KEY = 120
MOST_NOTES = 20  # one file with ten thousand dangling links must not bury everything else


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """One memory as another tool knows it.

    `id` is its name there, `where` its place in the file, for errors.
    """

    id: str
    key: str
    content: str
    where: str
    kind: Kind = Kind.SEMANTIC
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None
    expires_at: datetime | None = None
    source_user: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[FileRef, ...] = ()


class ForeignEdge(NamedTuple):
    """A link between two memories of one source, by their keys."""

    from_key: str
    rel: Rel
    to_key: str
    weight: float


@dataclass(frozen=True, slots=True)
class Foreign:
    """Everything one source holds, and what of it could not be taken over."""

    memories: tuple[ForeignMemory, ...]
    edges: tuple[ForeignEdge, ...] = ()
    notes: tuple[str, ...] = ()


def broken(
    where: str, what: str, hint: str = "mend it there, or take it out of the file"
) -> InvalidInputError:
    """Return the error for a place that cannot be read."""
    return InvalidInputError(f"{where}: {what}", hint)


def shown(value: object) -> str:
    """Quote a value for an error message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def nothing(path: object, what: str) -> InvalidInputError:
    """Return the error for a source without a memory."""
    return InvalidInputError(
        f"there is nothing to import: {path} {what}",
        "name the file or folder that the other tool wrote",
    )


def key_of(text: str) -> str:
    """Write a name or the beginning of a text as a key, cut between words."""
    whole = slug(text[: LONGEST_KEY * 4])
    if len(whole) <= LONGEST_KEY:
        return whole
    return whole[: LONGEST_KEY + 1].rpartition("-")[0] or whole[:LONGEST_KEY]


def numbered(wanted: Iterable[str]) -> list[str]:
    """Make names unique: the second of a name gets -2, past any name that already ends so."""
    names = list(wanted)
    taken, seen = set(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        made = name
        if seen[name] > 1:
            while made in taken:
                made = f"{name}-{seen[name]}"
                seen[name] += made in taken
            taken.add(made)
        found.append(made)
    return found


def unique(memories: Sequence[ForeignMemory], tool: str) -> tuple[ForeignMemory, ...]:
    """Give every memory of a source a key and an id of its own, and keep the id in its meta, under
    the tool's name.
    """
    keys, ids = (
        numbered(memory.key for memory in memories),
        numbered(memory.id for memory in memories),
    )
    return tuple(
        replace(
            memory,
            key=key,
            id=id_,
            meta={**memory.meta, tool: {**memory.meta.get(tool, {}), "id": id_}},
        )
        for memory, key, id_ in zip(memories, keys, ids, strict=True)
    )


def capped(notes: Sequence[str]) -> tuple[str, ...]:
    """Keep the first notes and count the rest."""
    rest = len(notes) - MOST_NOTES
    return (*notes[:MOST_NOTES], f"and {rest:,} more like these") if rest > 0 else tuple(notes)
