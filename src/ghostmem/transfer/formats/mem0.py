"""Read an export of mem0: the JSON of `get_all` or of its platform, whole or as lines."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ghostmem.model import Kind
from ghostmem.store.validate import shown
from ghostmem.transfer.formats.base import (
    Foreign,
    ForeignMemory,
    broken,
    capped,
    json_of,
    key_of,
    nothing,
    object_of,
    objects_of,
    read_text,
    text_of,
    texts_of,
    time_of,
    unique,
)

TOOL = "mem0"
TEXTS = ("memory", "data", "content", "text")
LISTS = ("results", "memories", "data")
NOT_KEPT = {*TEXTS, "score", "categories"}  # fields that are not stored in meta
KEY_WORDS = 8  # words of the text in a key


def read(path: Path) -> Foreign:
    """Read an export; the owner of each memory becomes its source."""
    notes: list[str] = []
    rows = [
        (location, _memory(row, location))
        for location, row in _rows(read_text(path), path.name, notes)
    ]
    notes += [f"{location}: left out a memory without text" for location, row in rows if not row]
    memories = [memory for _, memory in rows if memory]
    if not memories:
        raise nothing(path, "has no memory")
    owners = sorted({memory.source_user for memory in memories if memory.source_user})
    if len(owners) > 1:
        notes.append(
            f"the memories of {len(owners)} owners share one namespace: {', '.join(owners[:5])}"
        )
    return Foreign(unique(memories, TOOL), notes=capped(notes))


def _rows(text: str, name: str, notes: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if _is_lines(text):
        yield from objects_of(text, name)
        return
    data = json_of(text, name)
    if isinstance(data, dict):
        if relations := data.get("relations"):
            count = len(relations) if isinstance(relations, list) else 1
            notes.append(f"left out {count} graph relations: they link names, not memories")
        data = next((data[key] for key in LISTS if isinstance(data.get(key), list)), [data])
    if not isinstance(data, list):
        raise broken(
            name,
            f"a list of memories was expected, not {shown(data)}",
            "pass what mem0's get_all or export returns",
        )
    for number, row in enumerate(data, 1):
        location = f"{name}, item {number}"
        yield location, object_of(row, location)


def _is_lines(text: str) -> bool:
    """Say whether a text has several JSON values, one per line, the first of them an object."""
    first, _, following = text.lstrip().partition("\n")
    try:
        return isinstance(json.loads(first), dict) and bool(following.strip())
    except (ValueError, RecursionError):
        return False


def _memory(row: Mapping[str, Any], location: str) -> ForeignMemory | None:
    texts = [row[name] for name in TEXTS if row.get(name) is not None]
    if not texts:
        raise broken(
            location,
            f"there is no text: none of {', '.join(TEXTS)}",
            "pass what mem0's get_all or export returns",
        )
    if not isinstance(texts[0], str):
        raise broken(location, f"the text must be text, not {shown(texts[0])}")
    if not texts[0].strip():
        return None
    metadata = row.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise broken(location, f"metadata must be an object, not {shown(metadata)}")
    key = key_of(" ".join(texts[0].split()[:KEY_WORDS]))
    name = row.get("id")
    tags = (" ".join(tag.split()) for tag in texts_of(row, "categories", location))
    owners = (text_of(row, name, location) for name in ("user_id", "agent_id", "run_id"))
    fields = {
        name: value for name, value in row.items() if name not in NOT_KEPT and value is not None
    }
    return ForeignMemory(
        key if name is None else str(name),
        key,
        texts[0],
        location,
        kind=Kind.PROCEDURAL
        if metadata.get("memory_type") == "procedural_memory"
        else Kind.SEMANTIC,
        tags=tuple(dict.fromkeys(filter(None, tags))),
        created_at=time_of(row, "created_at", location),
        expires_at=time_of(row, "expiration_date", location),
        source_user=next(filter(None, owners), None),
        meta={TOOL: fields},
    )
