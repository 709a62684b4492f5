"""chromadb: a persistent client and one collection; documents with the vectors given to it."""

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.serve import Item


class Store:
    """One collection by cosine distance."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        chromadb = import_module("chromadb")
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)
        found = self._client.get_or_create_collection(
            "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        self._rows, self._most = found, self._client.get_max_batch_size()

    def add(self, items: list[Item]) -> None:
        """Add in batches as large as the client allows."""
        for start in range(0, len(items), self._most):
            part = items[start : start + self._most]
            self._rows.add(
                ids=[item.key for item in part],
                documents=[item.text for item in part],
                embeddings=[item.vector.tolist() for item in part],
            )

    def put(self, item: Item) -> None:
        """Add one."""
        self.add([item])

    def search(self, item: Item, limit: int) -> list[str]:
        """Ask for the nearest."""
        found = self._rows.query(
            query_embeddings=[item.vector.tolist()], n_results=limit, include=["documents"]
        )
        return list(found["ids"][0])

    def missing(self, items: list[Item]) -> list[str]:
        """Get them by id."""
        there: dict[str, str] = {}
        for start in range(0, len(items), 500):
            found = self._rows.get(
                ids=[item.key for item in items[start : start + 500]], include=["documents"]
            )
            there |= dict(zip(found["ids"], found["documents"], strict=True))
        return [item.key for item in items if there.get(item.key) != item.text]

    def close(self) -> None:
        """Close the client."""
        if close := getattr(self._client, "close", None):
            close()
