"""Read the knowledge graph of MCP's server-memory: JSON lines of entities and relations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ghostmem.store.validate import shown
from ghostmem.transfer.formats.base import (
    Foreign,
    ForeignMemory,
    ForeignRelation,
    broken,
    capped,
    key_of,
    nothing,
    objects_of,
    read_text,
    unique,
    with_relations,
)

TOOL = "server-memory"


def read(path: Path) -> Foreign:
    """Read a memory.jsonl: entities become memories, one line per observation; relations edges."""
    entities: list[ForeignMemory] = []
    relations: list[tuple[str, str, str]] = []
    notes: list[str] = []
    for where, row in objects_of(read_text(path), path.name):
        match row.get("type"):
            case "entity":
                entities.append(_entity(row, where))
            case "relation":
                start, word = _text(row, "from", where), _text(row, "relationType", where)
                relations.append((start, word, _text(row, "to", where)))
            case kind:
                notes.append(f"{where}: left out a line of type {shown(kind)}")
    if not entities:
        raise nothing(path, "has no entity")
    memories = unique(entities, TOOL)
    keys = {memory.id: memory.key for memory in memories}
    known = [
        ForeignRelation(keys[start], word, to) for start, word, to in relations if start in keys
    ]
    edges = {
        relation.edge(keys[relation.to])
        for relation in known
        if keys.get(relation.to, relation.from_key) != relation.from_key
    }
    notes += [
        f"left out the relation {start} {word} {to}: "
        f"{'it leads to itself' if start == to else 'there is no such entity'}"
        for start, word, to in dict.fromkeys(relations)
        if start == to or start not in keys or to not in keys
    ]
    return Foreign(with_relations(memories, known), tuple(sorted(edges)), capped(notes))


def _entity(row: Mapping[str, Any], where: str) -> ForeignMemory:
    name = _text(row, "name", where)
    observations = row.get("observations") or []
    if not isinstance(observations, list) or not all(
        isinstance(line, str) for line in observations
    ):
        raise broken(where, f"observations must be a list of texts, not {shown(observations)}")
    kind = row.get("entityType") or ""
    if not isinstance(kind, str):
        raise broken(where, f"entityType must be text, not {shown(kind)}")
    tag = " ".join(kind.split())
    content = "\n".join(line for line in observations if line.strip())
    meta = {TOOL: {"entityType": kind}} if kind else {}
    return ForeignMemory(
        name, key_of(name), content or name, where, tags=(tag,) if tag else (), meta=meta
    )


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise broken(where, f"{name} must be a text, not {shown(value)}")
    return value
