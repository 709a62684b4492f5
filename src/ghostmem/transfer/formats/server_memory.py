"""The knowledge graph of MCP's server-memory: JSON lines of entities and relations."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ghostmem.transfer.formats.base import (
    Foreign,
    ForeignMemory,
    broken,
    capped,
    key_of,
    nothing,
    shown,
    unique,
)
from ghostmem.transfer.formats.files import objects_of, read_text
from ghostmem.transfer.formats.relations import Said, edge_of, words_of

TOOL = "server-memory"


def read(path: Path) -> Foreign:
    """Read a memory.jsonl: an entity is a memory with an observation a line, a relation an edge."""
    entities: list[ForeignMemory] = []
    relations: list[tuple[str, str, str]] = []
    notes: list[str] = []
    for where, row in objects_of(read_text(path), path.name):
        match row.get("type"):
            case "entity":
                entities.append(_entity(row, where))
            case "relation":
                relations.append(
                    (
                        _text(row, "from", where),
                        _text(row, "relationType", where),
                        _text(row, "to", where),
                    )
                )
            case other:
                notes.append(f"{where}: left out a line of type {shown(other)}")
    if not entities:
        raise nothing(path, "has no entity")
    memories = unique(entities, TOOL)
    keys = {memory.id: memory.key for memory in memories}
    known = [Said(keys[start], word, to) for start, word, to in relations if start in keys]
    edges = {
        edge_of(said, keys[said.to])
        for said in known
        if keys.get(said.to, said.from_key) != said.from_key
    }
    notes += [
        f"left out the relation {start} {word} {to}: "
        f"{'it leads to itself' if start == to else 'there is no such entity'}"
        for start, word, to in dict.fromkeys(relations)
        if start == to or start not in keys or to not in keys
    ]
    words = words_of(known)
    return Foreign(
        tuple(_with(memory, words.get(memory.key)) for memory in memories),
        tuple(sorted(edges)),
        capped(notes),
    )


def _entity(row: Mapping[str, Any], where: str) -> ForeignMemory:
    name = _text(row, "name", where)
    observations = row.get("observations") or []
    if not isinstance(observations, list) or not all(isinstance(one, str) for one in observations):
        raise broken(where, f"observations must be a list of texts, not {shown(observations)}")
    kind = row.get("entityType") or ""
    if not isinstance(kind, str):
        raise broken(where, f"entityType must be text, not {shown(kind)}")
    tag = " ".join(kind.split())
    said = "\n".join(one for one in observations if one.strip())
    meta = {TOOL: {"entityType": kind}} if kind else {}
    return ForeignMemory(
        name, key_of(name), said or name, where, tags=(tag,) if tag else (), meta=meta
    )


def _with(memory: ForeignMemory, said: Mapping[str, list[str]] | None) -> ForeignMemory:
    return memory if said is None else replace(memory, meta={**memory.meta, "relations": said})


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise broken(where, f"{name} must be a text, not {shown(value)}")
    return value
