"""Provider `local`, the default: a model of the package in int8, run by onnxruntime."""

from collections.abc import Sequence

from ghostmem.embed.models import TUNED, LocalModel
from ghostmem.embed.session import ModelSession
from ghostmem.embed.wordpiece import FOLDER, known_share, words
from ghostmem.lazy import Vectors, np

_START, _END = 101, 102  # the tokens [CLS] and [SEP]
_MAX_TOKENS = 254


class LocalEmbedder:
    """Run the model on one text at a time, because batches are slower on a CPU."""

    dimension = 384

    def __init__(self, model: LocalModel = TUNED) -> None:
        self.model, self.thresholds = model.id, model.thresholds
        self._session = ModelSession(FOLDER / model.file)
        self._words = words()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for number, text in enumerate(texts):
            ids = np.array([[_START, *self._words.encode(text)[:_MAX_TOKENS], _END]], np.int64)
            vectors[number] = self._session.run(
                {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            )[0]
        return vectors

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows."""
        return known_share(text)
