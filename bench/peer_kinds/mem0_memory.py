"""mem0: Memory with its default vector store (embedded Qdrant) and infer=False (no LLM).

Its own embedders are services or downloads; the given vectors replace them, set on the object as
its embedder."""

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.given_vectors import Given
from bench.peer_kinds.serve import Item

USER = "bench"
BATCHES = False  # each memory has metadata of its own, so there is no adding many at once


class Store:
    """One user's memories; the key travels as metadata."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        given = self._given = Given()
        base = import_module("mem0.embeddings.base").EmbeddingBase

        class Embedder(base):  # type: ignore[misc, valid-type]
            """The vectors that were made before."""

            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return given([text])[0]

            def embed_batch(
                self, texts: list[str], memory_action: str | None = "add"
            ) -> list[list[float]]:
                return given(texts)

        place = {
            "path": str(folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": options["dimension"],
        }
        unused = {"api_key": "unused"}
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"collection_name": "memories", **place},
                },
                "embedder": {"provider": "openai", "config": unused},
                "llm": {"provider": "openai", "config": unused},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Embedder()

    def add(self, items: list[Item]) -> None:
        """Add one by one."""
        for item in items:
            self.put(item)

    def put(self, item: Item) -> None:
        """Add one text as it is."""
        self._given.know([item])
        self._memory.add(item.text, user_id=USER, metadata={"key": item.key}, infer=False)

    def search(self, item: Item, limit: int) -> list[str]:
        """Search as documented, with its own threshold."""
        self._given.know([item])
        found = self._memory.search(item.text, filters={"user_id": USER}, top_k=limit)
        return [row["metadata"]["key"] for row in found["results"]]

    def missing(self, items: list[Item]) -> list[str]:
        """List everything of the user."""
        found = self._memory.get_all(filters={"user_id": USER}, top_k=1_000_000)
        there = {row["metadata"]["key"]: row["memory"] for row in found["results"]}
        return [item.key for item in items if there.get(item.key) != item.text]

    def close(self) -> None:
        """Close its client and its history."""
        self._memory.vector_store.client.close()
        self._memory.close()
