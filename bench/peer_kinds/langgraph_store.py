"""langgraph's SqliteStore: rows with vectors (sqlite-vec), from a function with given vectors."""

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.given_vectors import Given
from bench.peer_kinds.serve import Item

SPACE = ("memories",)


class Store:
    """One namespace of one file."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self._base = import_module("langgraph.store.base")
        self._given = Given()
        # it documents `fields` and reads `text_fields`
        index = {
            "dims": options["dimension"],
            "embed": self._given,
            "fields": ["text"],
            "text_fields": ["text"],
        }
        self._open = import_module("langgraph.store.sqlite").SqliteStore.from_conn_string(
            str(folder / "store.db"), index=index
        )
        self._store = self._open.__enter__()
        self._store.setup()

    def add(self, items: list[Item]) -> None:
        """Put a batch in one call."""
        self._given.know(items)
        self._store.batch(
            [self._base.PutOp(SPACE, item.key, {"text": item.text}) for item in items]
        )

    def put(self, item: Item) -> None:
        """Put one."""
        self._given.know([item])
        self._store.put(SPACE, item.key, {"text": item.text})

    def search(self, item: Item, limit: int) -> list[str]:
        """Search by meaning."""
        self._given.know([item])
        return [found.key for found in self._store.search(SPACE, query=item.text, limit=limit)]

    def missing(self, items: list[Item]) -> list[str]:
        """Get each by its key."""
        found = self._store.batch([self._base.GetOp(SPACE, item.key) for item in items])
        return [
            item.key
            for item, row in zip(items, found, strict=True)
            if row is None or row.value["text"] != item.text
        ]

    def close(self) -> None:
        """Close the file."""
        self._open.__exit__(None, None, None)
