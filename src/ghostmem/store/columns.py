"""The columns of a memory's row, the same in every engine: how a row becomes a memory, and a field
what its column holds.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.errors import CorruptStoreError
from ghostmem.model import FileRef, Kind, Memory, Priority, SourceKind, SymbolRef, Tier

NAMES = [
    "id",
    "ns",
    "key",
    "content",
    "kind",
    "version",
    "created_at",
    "tier",
    "priority",
    "importance",
    "pinned",
    "access_count",
    "utility_count",
    "est_tokens",
    "tags",
    "supersedes",
    "deleted_at",
    "last_accessed_at",
    "meta",
    "expires_at",
    "source_user",
    "source_kind",
    "source_scope",
    "source_client",
    "valid_from",
    "valid_to",
    "recorded_at",
]
_TIMES = {
    "created_at",
    "deleted_at",
    "last_accessed_at",
    "expires_at",
    "valid_from",
    "valid_to",
    "recorded_at",
}
_KINDS = {str(kind): kind for kind in Kind}
_TIERS = {str(tier): tier for tier in Tier}
_PRIORITIES = {str(priority): priority for priority in Priority}


def when(text: str | None) -> datetime | None:
    """Read a time that may be missing."""
    return read_time(text) if text else None


@lru_cache(4096)
def _tags_of(text: str) -> tuple[str, ...]:
    """Read tags; many memories have the same."""
    return tuple(json.loads(text))


def memory_of(row: Sequence[Any]) -> Memory:
    """Read a row in the order of NAMES as a memory, without its files and symbols."""
    try:
        return _memory(row)
    except (LookupError, ValueError, TypeError) as error:
        raise unreadable(row[0], error) from error


def unreadable(memory_id: object, error: Exception) -> CorruptStoreError:
    """Return the error for a row that holds a value which Ghost never writes."""
    return CorruptStoreError(
        f"the store is damaged: memory {memory_id} cannot be read ({type(error).__name__}: {error})"
    )


def _memory(row: Sequence[Any]) -> Memory:
    created = read_time(row[6])
    return Memory(
        id=row[0],
        ns=row[1],
        key=row[2],
        content=row[3],
        kind=_KINDS[row[4]],
        version=row[5],
        created_at=created,
        tier=_TIERS[row[7]],
        priority=_PRIORITIES[row[8]],
        importance=row[9],
        pinned=bool(row[10]),
        access_count=row[11],
        utility_count=row[12],
        est_tokens=row[13],
        tags=_tags_of(row[14]) if row[14] else (),
        supersedes=row[15],
        deleted_at=read_time(row[16]) if row[16] else None,
        last_accessed_at=read_time(row[17]) if row[17] else None,
        meta=json.loads(row[18]) if row[18] else {},
        expires_at=read_time(row[19]) if row[19] else None,
        source_user=row[20],
        source_kind=SourceKind(row[21]) if row[21] else None,
        source_scope=row[22],
        source_client=row[23],
        valid_from=read_time(row[24]) if row[24] else None,
        valid_to=read_time(row[25]) if row[25] else None,
        recorded_at=created if row[26] == row[6] else read_time(row[26]),
    )


def column_value(name: str, value: Any) -> Any:
    """Turn one field of a memory into what its column holds."""
    if value is None:
        return None
    if name in _TIMES:
        return format_time(value)
    if name == "tags":
        return json.dumps(list(value), ensure_ascii=False) if value else None
    if name == "meta":
        return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else None
    if name == "pinned":
        return int(value)
    return str(value) if name in ("kind", "tier", "priority", "source_kind") else value


def differing(found: Iterable[tuple[str, str, int]]) -> list[str]:
    """Return a sentence for each memory, by namespace, key and version, whose content differs from
    its checksum.
    """
    hint = "put it again from a backup or an export"
    return [
        f"the content of {ns}/{key} v{version} differs from its checksum: {hint}"
        for ns, key, version in found
    ]


def with_refs(
    memories: list[Memory],
    files: Mapping[str, tuple[FileRef, ...]],
    symbols: Mapping[str, tuple[SymbolRef, ...]],
) -> list[Memory]:
    """Return memories with their files and symbols filled in, those that have none as they are."""
    if not files and not symbols:
        return memories
    return [
        replace(m, files=files.get(m.id, ()), symbols=symbols.get(m.id, ()))
        if m.id in files or m.id in symbols
        else m
        for m in memories
    ]
