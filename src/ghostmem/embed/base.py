"""What every provider of vectors offers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ghostmem.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Thresholds:
    """From which cosine on two texts are alike, in the terms of one model.

    The specification's numbers are MiniLM's.
    """

    link: float = 0.80
    merge: float = 0.90
    dedup: float = 0.92
    repeat: float = 0.82
    # the cosine, with part of the wording, from which one of ten texts may answer a question
    answer: float = 0.16


class Embedder(Protocol):
    """Texts to unit vectors; `model` names what made them, and vectors of different models are
    never compared.
    """

    model: str
    dimension: int
    thresholds: Thresholds

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one unit vector a text."""
        ...

    def known(self, text: str) -> float:
        """Return the share of a text that the model has words for.

        Cosine alone is no ground for a link below a half.
        """
        ...


def unit_rows(rows: object, count: int, who: str) -> "Vectors":
    """Make unit vectors of what somebody else sent, or say what is wrong with it."""
    import numpy as np

    try:
        made = np.array(rows, np.float32)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(
            f"{who} failed to send vectors: {error}", "check the model's name"
        ) from None
    if made.ndim != 2 or len(made) != count or not made.shape[1] or not np.isfinite(made).all():
        found = len(made) if made.ndim == 2 else 0
        raise EmbeddingError(
            f"{who} sent {found} vectors for {count} texts (shape {made.shape})",
            "check the model's name",
        )
    made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
    return made


Function = Callable[[Sequence[str]], Sequence[Sequence[float]]]
