"""Read the knowledge graph of MCP's server-memory: JSON lines of entities and relations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ghostmem.store.validate import shown
from ghostmem.transfer.formats.base import (
    Foreign,
    ForeignMemory,
    ForeignRelation,
    capped,
    key_of,
    nothing,
    objects_of,
    read_text,
    text_of,
    texts_of,
    unique,
    with_relations,
)

TOOL = "server-memory"


def read(path: Path) -> Foreign:
    """Read a memory.jsonl: entities become memories, one line per observation; relations edges."""
    entities: list[ForeignMemory] = []
    relations: list[tuple[str, str, str]] = []
    notes: list[str] = []
    for location, row in objects_of(read_text(path), path.name):
        match row.get("type"):
            case "entity":
                entities.append(_entity(row, location))
            case "relation":
                start, word, to = (
                    text_of(row, name, location, required=True)
                    for name in ("from", "relationType", "to")
                )
                relations.append((start, word, to))
            case kind:
                notes.append(f"{location}: left out a line of type {shown(kind)}")
    if not entities:
        raise nothing(path, "has no entity")
    memories = unique(entities, TOOL)
    keys = {memory.id: memory.key for memory in memories}
    outgoing = [
        ForeignRelation(keys[start], word, to) for start, word, to in relations if start in keys
    ]
    edges = {
        relation.edge(keys[relation.to])
        for relation in outgoing
        if keys.get(relation.to, relation.from_key) != relation.from_key
    }
    notes += [
        f"left out the relation {start} {word} {to}: "
        f"{'it leads to itself' if start == to else 'there is no such entity'}"
        for start, word, to in dict.fromkeys(relations)
        if start == to or start not in keys or to not in keys
    ]
    return Foreign(with_relations(memories, outgoing), tuple(sorted(edges)), capped(notes))


def _entity(row: Mapping[str, Any], location: str) -> ForeignMemory:
    name, kind = text_of(row, "name", location, required=True), text_of(row, "entityType", location)
    tag = " ".join(kind.split())
    return ForeignMemory(
        name,
        key_of(name),
        "\n".join(line for line in texts_of(row, "observations", location) if line.strip()) or name,
        location,
        tags=(tag,) if tag else (),
        meta={TOOL: {"entityType": kind}} if kind else {},
    )
