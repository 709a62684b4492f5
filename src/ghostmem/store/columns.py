"""The columns of a memory's row, derived from `tables`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ghostmem.errors import CorruptStoreError
from ghostmem.model import FileRef, Memory, SymbolRef
from ghostmem.store.records import RowType

MEMORY = RowType("memories", Memory)


def memory_of(row: Sequence[Any]) -> Memory:
    """Read a row in the order of `MEMORY.names` as a memory, without its files and symbols."""
    try:
        return MEMORY.read(row)
    except (LookupError, ValueError, TypeError) as error:
        raise unreadable(row[0], error) from error


def unreadable(memory_id: object, error: Exception) -> CorruptStoreError:
    """Return the error for a row that holds a value which Ghost never writes."""
    return CorruptStoreError(
        f"the store is damaged: memory {memory_id} cannot be read ({type(error).__name__}: {error})"
    )


def differing(memories: Iterable[tuple[str, str, int]]) -> list[str]:
    """Return a message for each (namespace, key, version) whose content fails its checksum."""
    hint = "put it again from a backup or an export"
    return [
        f"the content of {ns}/{key} v{version} differs from its checksum: {hint}"
        for ns, key, version in memories
    ]


def with_refs(
    memories: list[Memory],
    files: Mapping[str, tuple[FileRef, ...]],
    symbols: Mapping[str, tuple[SymbolRef, ...]],
) -> list[Memory]:
    """Return memories with their files and symbols filled in."""
    if not files and not symbols:
        return memories
    return [
        replace(memory, files=files.get(memory.id, ()), symbols=symbols.get(memory.id, ()))
        if memory.id in files or memory.id in symbols
        else memory
        for memory in memories
    ]
