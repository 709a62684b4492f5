"""Provider `local`, the default: all-MiniLM-L6-v2 in int8, run by onnxruntime."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ghostmem.embed.base import Thresholds
from ghostmem.embed.wordpiece import FOLDER, known_share, words
from ghostmem.errors import EmbeddingError

if TYPE_CHECKING:
    from ghostmem.embed.base import Vectors

_START, _END = 101, 102  # the tokens [CLS] and [SEP]
_MAX_TOKENS = 254


class LocalEmbedder:
    """Run the model on one text at a time, because batches are slower on a CPU."""

    model = "all-MiniLM-L6-v2-int8"
    dimension = 384
    thresholds = Thresholds()

    def __init__(self) -> None:
        self._session, self._process = _load(), os.getpid()
        self._inherited: list[Any] = []
        self._words = words()

    def _own_session(self) -> Any:
        """Return the session of this process.

        In an inherited one another thread of the parent may have held a lock during the fork. It
        is kept, because removing it may take that lock too."""
        if self._process != os.getpid():
            self._inherited.append(self._session)
            self._session, self._process = _load(), os.getpid()
        return self._session

    def embed(self, texts: Sequence[str]) -> "Vectors":
        """Return one unit vector per text."""
        session = self._own_session()
        made = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            ids = np.array([[_START, *self._words.encode(text)[:_MAX_TOKENS], _END]], np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            made[at] = session.run(None, inputs)[0][0]
        return made

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the model knows."""
        return known_share(text)


def _load() -> Any:
    """Return a new session of onnxruntime with the model."""
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
    file = str(FOLDER / "minilm-l6-v2-int8.onnx")
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
