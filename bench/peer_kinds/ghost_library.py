"""Ghost as a library: one file, the provider of vectors as the options say."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.serve import Item

NS = "bench:peers"


class Store:
    """One namespace of one file, opened with default settings but for the provider."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self._ghost = import_module("ghostmem").Ghost.open(
            folder / "memory.db", embedder=options["provider"]
        )

    def add(self, items: list[Item]) -> None:
        """Import a batch."""
        rows = [
            {"ns": NS, "key": item.key, "content": item.text, "kind": "semantic", "version": 1}
            for item in items
        ]
        self._ghost.import_([json.dumps(rows)])

    def put(self, item: Item) -> None:
        """Put one."""
        self._ghost.put(NS, item.key, item.text)

    def search(self, item: Item, limit: int) -> list[str]:
        """Search the namespace."""
        return [
            hit.memory.key if hasattr(hit, "memory") else hit.key
            for hit in self._ghost.search(item.text, NS, limit=limit)
        ]

    def missing(self, items: list[Item]) -> list[str]:
        """List everything of the namespace."""
        there = {memory.key: memory.content for memory in self._ghost.list(NS, limit=1_000_000)}
        return [item.key for item in items if there.get(item.key) != item.text]

    def close(self) -> None:
        """Close the file."""
        self._ghost.close()
