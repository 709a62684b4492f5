"""A model of the user's own in a folder: model.onnx and its tokenizer, run by onnxruntime."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ghostmem.embed.base import Embedder, unit_rows
from ghostmem.embed.models import LocalModel, folder_config
from ghostmem.embed.session import ModelSession
from ghostmem.embed.wordpiece import WordPiece
from ghostmem.errors import EmbeddingError
from ghostmem.lazy import Vectors, np

_MAX_TOKENS = 256  # with those at the ends, unless config.json has `max_tokens`


class FolderEmbedder(Embedder):
    """Run a model on one text at a time; an output for every token is averaged."""

    def __init__(self, model: LocalModel) -> None:
        """Load the model and its tokenizer.

        Raises:
            EmbeddingError: A file is missing or cannot be used.
        """
        folder = Path(model.file)
        self.model, self.thresholds = model.id, model.thresholds
        self._encode = _tokenizer(folder)
        self._max_tokens: int = folder_config(model.file).get("max_tokens", _MAX_TOKENS)
        try:
            self._session = ModelSession(folder / "model.onnx")
            self._inputs = self._session.inputs
            self.dimension = len(self._vector("how long are your vectors?"))
        except EmbeddingError:
            raise
        except Exception as error:  # onnxruntime has an exception for every kind of failure
            raise EmbeddingError(
                f"{folder / 'model.onnx'} cannot be run: {error}",
                "its inputs are input_ids, attention_mask and token_type_ids, its first output "
                "sentence_embedding or last_hidden_state",
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return unit_rows([self._vector(text) for text in texts], len(texts), self.model)

    def _vector(self, text: str) -> Any:
        tokens = self._encode(text)
        tokens = [*tokens[: self._max_tokens - 1], tokens[-1]][: len(tokens)]
        ids = np.array([tokens], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        output = self._session.run(
            {name: value for name, value in inputs.items() if name in self._inputs}
        )[0]
        return output if output.ndim == 1 else output.mean(0)


def _tokenizer(folder: Path) -> Callable[[str], list[int]]:
    """Return the function from a text to the ids of its tokens, those at the ends included."""
    if (folder / "tokenizer.json").exists():
        try:
            return _any_tokenizer(folder / "tokenizer.json")
        except ImportError:
            pass  # a WordPiece vocabulary can be read without the package
    try:
        words = WordPiece.load(folder / "vocab.txt")
        start, end = words.encode("[CLS] [SEP]")
    except (OSError, KeyError, ValueError):
        raise EmbeddingError(
            f"{folder} has no tokenizer that can be read",
            "add vocab.txt of an uncased BERT, or tokenizer.json and `pip install tokenizers`",
        ) from None
    return lambda text: [start, *words.encode(text), end]


def _any_tokenizer(file: Path) -> Callable[[str], list[int]]:
    """Return the function of a tokenizer.json, without the padding that the file may ask for.

    A text is cut to the length of config.json."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # the package raises nothing more special
        raise EmbeddingError(
            f"{file} cannot be read: {error}",
            "copy it again, or remove it and add vocab.txt of an uncased BERT",
        ) from error
    return lambda text: list(tokenizer.encode(text).ids)
