"""llm: a collection of embeddings in SQLite, with a model function that returns given vectors."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.given_vectors import Given
from bench.peer_kinds.serve import Item


class Store:
    """One collection; texts are stored with their vectors."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        llm = import_module("llm")
        database = import_module("sqlite_utils").Database(str(folder / "embeddings.db"))
        given = self._given = Given()

        class Model(llm.EmbeddingModel):  # type: ignore[misc, name-defined]
            """The vectors that were made before."""

            model_id = "given"
            batch_size = 1_000

            def embed_batch(self, items: Any) -> Iterator[list[float]]:
                return iter(given(list(items)))

        self._rows, self._db = llm.Collection("memories", database, model=Model()), database

    def add(self, items: list[Item]) -> None:
        """Embed many and keep their texts."""
        self._given.know(items)
        self._rows.embed_multi(
            ((item.key, item.text) for item in items), store=True, batch_size=1_000
        )

    def put(self, item: Item) -> None:
        """Embed one and keep its text."""
        self._given.know([item])
        self._rows.embed(item.key, item.text, store=True)

    def search(self, item: Item, limit: int) -> list[str]:
        """Ask for the most similar."""
        return [
            found.id for found in self._rows.similar_by_vector(item.vector.tolist(), number=limit)
        ]

    def missing(self, items: list[Item]) -> list[str]:
        """Read the rows' texts."""
        there = {row["id"]: row["content"] for row in self._db["embeddings"].rows}
        return [item.key for item in items if there.get(item.key) != item.text]

    def close(self) -> None:
        """Close the file."""
        self._db.close()
