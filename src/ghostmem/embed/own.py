"""A caller's own function as a provider."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ghostmem.embed.base import Function, Thresholds
from ghostmem.errors import EmbeddingError

if TYPE_CHECKING:
    from ghostmem.embed.base import Vectors


class OwnEmbedder:
    """Call a function that takes texts and returns their vectors; name the model by the function's `model` attribute."""

    thresholds = Thresholds()

    def __init__(self, function: Function) -> None:
        self._function = function
        self.model = f"own:{getattr(function, 'model', getattr(function, '__qualname__', type(function).__name__))}"
        self.dimension = 0

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one unit vector a text."""
        try:
            made = np.array(self._function(list(texts)), np.float32)
        except Exception as error:
            raise EmbeddingError(f"the embedding function failed: {type(error).__name__}: {error}") from error
        if made.ndim != 2 or len(made) != len(texts) or not np.isfinite(made).all():
            raise EmbeddingError(f"the embedding function returned shape {made.shape} for {len(texts)} texts")
        self.dimension = made.shape[1]
        made /= np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
        return made

    def known(self, text: str) -> float:
        """Say that everything is known."""
        return 1.0
