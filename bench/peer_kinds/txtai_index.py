"""txtai: a hybrid index (given vectors and BM25) with content, written by save()."""

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.peer_kinds.given_vectors import Given
from bench.peer_kinds.serve import Item


class Store:
    """One index in memory; a put saves, because only saved data is stored."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        txtai = import_module("txtai")
        numpy = import_module("numpy")
        self._given, self._path = Given(), str(folder / "index")

        def vectors(texts: list[str]) -> Any:
            return numpy.array(self._given(texts), dtype=numpy.float32)

        self._index = txtai.Embeddings(
            method="external", transform=vectors, content=True, hybrid=True
        )
        if self._index.exists(self._path):
            self._index.load(self._path, config={"transform": vectors})
        self._is_new = not self._index.count() if self._index.ann else True

    def _write(self, items: list[Item]) -> None:
        self._given.know(items)
        rows = ((item.key, item.text, None) for item in items)
        if self._is_new:
            self._index.index(rows)
            self._is_new = False
        else:
            self._index.upsert(rows)

    def add(self, items: list[Item]) -> None:
        """Index a batch, then save."""
        self._write(items)
        self._index.save(self._path)

    def put(self, item: Item) -> None:
        """Upsert one, then save."""
        self.add([item])

    def search(self, item: Item, limit: int) -> list[str]:
        """Search by vector and words."""
        self._given.know([item])
        return [found["id"] for found in self._index.search(item.text, limit)]

    def missing(self, items: list[Item]) -> list[str]:
        """Ask its database for each id."""
        found = {}
        for item in items:
            rows = self._index.search(
                "select id, text from txtai where id = :key", 1, parameters={"key": item.key}
            )
            found[item.key] = rows[0]["text"] if rows else None
        return [item.key for item in items if found[item.key] != item.text]

    def close(self) -> None:
        """Close the index."""
        self._index.close()
