"""A model in a file, run by onnxruntime in one thread."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ghostmem.errors import EmbeddingError


class ModelSession:
    """A session of onnxruntime that a forked child opens again.

    In an inherited session another thread of the parent may have held a lock during the fork. It
    is kept, because removing it may take that lock too."""

    def __init__(self, file: Path, alternative: str = "choose GHOST_EMBED_PROVIDER=static") -> None:
        """Open a file; `alternative` says in errors how to do without this model.

        Raises:
            EmbeddingError: There is no onnxruntime, or it cannot load the file.
        """
        self._file, self._alternative = file, alternative
        self._session, self._process = _open(file, alternative), os.getpid()
        self._inherited: list[Any] = []
        self.inputs = {entry.name for entry in self._session.get_inputs()}

    def run(self, inputs: Mapping[str, Any]) -> Any:
        """Return the model's output for a batch."""
        if self._process != os.getpid():
            self._inherited.append(self._session)
            self._session, self._process = _open(self._file, self._alternative), os.getpid()
        return self._session.run(None, inputs)[0]


def _open(file: Path, alternative: str) -> Any:
    # without this, it records its runs in ~/.cache and sends them to its vendor
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbeddingError(
            f"the local model cannot run: {error}", f"install onnxruntime, or {alternative}"
        ) from None
    try:
        return _session(onnxruntime, file)
    except Exception as error:  # onnxruntime has an exception for every kind of failure
        raise EmbeddingError(
            f"{file} cannot be run: {error}",
            f"replace this file (install Ghost again, if it is its own), or {alternative}",
        ) from error


def _session(onnxruntime: Any, file: Path) -> Any:
    onnxruntime.disable_telemetry_events()  # for a program that imported it before
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.enable_mem_reuse = False  # planning takes half of the start and saves nothing here
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
