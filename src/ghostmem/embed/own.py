"""Use a function of the caller as a provider."""

from collections.abc import Sequence

from ghostmem.embed.base import Embedder, Function, Thresholds, unit_rows
from ghostmem.errors import EmbeddingError
from ghostmem.lazy import Vectors


class OwnEmbedder(Embedder):
    """Call a function from texts to vectors; its attribute `model` names the model."""

    thresholds = Thresholds()

    def __init__(self, function: Function) -> None:
        self._function = function
        name = getattr(function, "__qualname__", type(function).__name__)
        self.model = f"own:{getattr(function, 'model', name)}"
        self.dimension = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        try:
            rows = self._function(list(texts))
        except Exception as error:
            raise EmbeddingError(
                f"the embedding function failed: {type(error).__name__}: {error}"
            ) from error
        vectors = unit_rows(rows, len(texts), "the embedding function")
        self.dimension = vectors.shape[1]
        return vectors
