"""Provider `local`, the default: a model of the package in int8, run by onnxruntime."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ghostmem.embed.models import TUNED, LocalModel
from ghostmem.embed.wordpiece import FOLDER, known_share, words
from ghostmem.errors import EmbeddingError

if TYPE_CHECKING:
    from ghostmem.embed.base import Vectors

_START, _END = 101, 102  # the tokens [CLS] and [SEP]
_MAX_TOKENS = 254


class LocalEmbedder:
    """Run the model on one text at a time, because batches are slower on a CPU."""

    dimension = 384

    def __init__(self, model: LocalModel = TUNED) -> None:
        self.model, self.thresholds = model.id, model.thresholds
        self._session = open_session(FOLDER / model.file)
        self._words = words()

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one unit vector per text."""
        made = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            ids = np.array([[_START, *self._words.encode(text)[:_MAX_TOKENS], _END]], np.int64)
            made[at] = self._session.run(
                None, {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            )[0][0]
        return made

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows."""
        return known_share(text)


def open_session(file: Path) -> Any:
    """Open a model of the package in onnxruntime, for one thread.

    Raises:
        EmbeddingError: onnxruntime is not installed or cannot be loaded.
    """
    # without this, it records its runs in ~/.cache and sends them to its vendor
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        hint = "install onnxruntime, or choose GHOST_EMBED_PROVIDER=static"
        raise EmbeddingError(f"the local model cannot run: {error}", hint) from None
    onnxruntime.disable_telemetry_events()  # for a program that imported it before
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_reuse = False  # planning takes half of the start and saves nothing here
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
