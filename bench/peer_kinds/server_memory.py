"""The reference server `@modelcontextprotocol/server-memory`: JSONL graph, substring search."""

import json
from pathlib import Path
from typing import Any

from bench.peer_kinds.mcp import Server
from bench.peer_kinds.serve import Item
from bench.peer_kinds.served import telling


def command(folder: Path, options: dict[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Return the command that starts the server on a file in this folder."""
    return [str(Path(options["bin"]) / "mcp-server-memory")], {
        "MEMORY_FILE_PATH": str(folder / "memory.jsonl")
    }


def add(server: Server, items: list[Item]) -> None:
    """Create entities, a batch in one call."""
    entities = [
        {"name": item.key, "entityType": "memory", "observations": [item.text]} for item in items
    ]
    server.call("create_entities", {"entities": entities})


def put(server: Server, item: Item) -> None:
    """Create one entity."""
    add(server, [item])


def search(server: Server, item: Item, limit: int) -> list[str]:
    """Search for the whole question, and if that finds nothing, for its rarest word."""
    for asked in (item.text, telling(item.text)):
        if found := [
            entity["name"]
            for entity in json.loads(server.call("search_nodes", {"query": asked}))["entities"]
        ]:
            return found[:limit]
    return []


def missing(server: Server, items: list[Item]) -> list[str]:
    """Open the nodes by name."""
    found = json.loads(server.call("open_nodes", {"names": [item.key for item in items]}))[
        "entities"
    ]
    there = {entity["name"]: entity["observations"] for entity in found}
    return [item.key for item in items if item.text not in there.get(item.key, [])]
