"""Provider `static`: a distilled MiniLM with one 256-d vector per token; numpy only."""

from collections.abc import Sequence

from ghostmem.embed.base import Thresholds
from ghostmem.embed.wordpiece import FOLDER, known_share, manifest, words
from ghostmem.lazy import Vectors, np


class StaticEmbedder:
    """Sum the vectors of the tokens of a text."""

    model = "minilm-static-256-int8"
    dimension = 256
    # the same share of real sentence pairs is above these as above those of MiniLM: see
    # docs/decisions.md
    thresholds = Thresholds(link=0.90, merge=0.96, dedup=0.97, repeat=0.92, answer=0.20)

    def __init__(self) -> None:
        arrays = manifest()["static"]["arrays"]
        file = FOLDER / "static-256-int8.npz"

        def mapped(name: str) -> "np.memmap[tuple[int, ...], np.dtype[np.int8]]":
            part = arrays[name]
            return np.memmap(file, part["dtype"], "r", part["offset"], tuple(part["shape"]))

        self._rows = mapped("e")
        self._scales = mapped("s").astype(np.float32)[:, 0]
        self._words = words()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for number, text in enumerate(texts):
            if ids := self._words.encode(text):
                vectors[number] = self._scales[ids] @ self._rows[ids]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows."""
        return known_share(text)
