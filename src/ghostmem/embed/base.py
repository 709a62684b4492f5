"""The protocol of embedding providers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ghostmem.errors import EmbeddingError
from ghostmem.lazy import Vectors, np


class Thresholds(NamedTuple):
    """The minimum cosines of similar texts for one model; the defaults are those of MiniLM."""

    link: float = 0.80
    merge: float = 0.90
    dedup: float = 0.92
    repeat: float = 0.82
    # with some shared words, one in ten texts with this cosine may answer a question
    answer: float = 0.16


class Embedder(Protocol):
    """Turns texts into unit vectors; vectors of different models are never compared."""

    model: str
    dimension: int
    thresholds: Thresholds

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        ...

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows; 1 where that is unknown.

        Below a half, a cosine alone is not enough for a link."""
        return 1.0


def unit_rows(rows: object, count: int, who: str) -> Vectors:
    """Return external vectors as unit vectors, or raise an error that names the problem."""

    try:
        vectors = np.array(rows, np.float32)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(
            f"{who} failed to send vectors: {error}", "check the model's name"
        ) from None
    if (
        vectors.ndim != 2
        or len(vectors) != count
        or not vectors.shape[1]
        or not np.isfinite(vectors).all()
    ):
        received = len(vectors) if vectors.ndim == 2 else 0
        raise EmbeddingError(
            f"{who} sent {received} vectors for {count} texts (shape {vectors.shape})",
            "check the model's name",
        )
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


Function = Callable[[Sequence[str]], Sequence[Sequence[float]]]
