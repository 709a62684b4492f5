"""Vectors that were made before, for peers that ask for a function from texts to vectors."""

from collections.abc import Iterable, Sequence

from bench.peer_kinds.serve import Item


class Given:
    """Remember the vectors of the items at hand and answer with them.

    An unknown text is an error.
    """

    def __init__(self) -> None:
        self._known: dict[str, Item] = {}

    def know(self, items: Iterable[Item]) -> None:
        """Replace the known vectors."""
        self._known = {item.text: item for item in items}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self._known[text].vector.tolist() for text in texts]
