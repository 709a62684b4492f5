"""The local models that GHOST_EMBED_MODEL can name: those of the package, and folders."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.embed.base import Thresholds
from ghostmem.errors import EmbeddingError, InvalidInputError
from ghostmem.settings import Settings, is_path

FOLDER_PREFIX = "folder:"  # of the ids of models in folders


class LocalModel(NamedTuple):
    """A model that onnxruntime runs: its name, the id of its vectors, and its file or folder."""

    name: str
    id: str
    file: str
    thresholds: Thresholds


SPECIFIED = LocalModel(
    "all-MiniLM-L6-v2", "all-MiniLM-L6-v2-int8", "minilm-l6-v2-int8.onnx", Thresholds()
)
TUNED = LocalModel(
    "ghost-minilm-1",
    "ghost-minilm-1-int8",
    "tuned-int8.onnx",
    # as many pairs of different texts are above these as above those of MiniLM:
    # tools/measure_thresholds.py
    Thresholds(link=0.78, merge=0.89, dedup=0.91, repeat=0.80, answer=0.15),
)
MODELS = {model.name: model for model in (SPECIFIED, TUNED)}
BY_ID = {model.id: model for model in MODELS.values()}


def wanted_model(settings: Settings) -> LocalModel:
    """Return the local model that the settings name; without a name, that of new stores.

    Raises:
        InvalidInputError: There is no model of that name.
        EmbeddingError: A file of the folder that they name cannot be read.
    """
    if settings.embed_model in ("", *MODELS):
        return MODELS.get(settings.embed_model, TUNED)
    folder = Path(settings.embed_model).expanduser().absolute()
    if is_path(settings.embed_model) and folder.is_dir():
        return _folder_model(settings.embed_model, str(folder))
    names = " and ".join(MODELS)
    missing = f", and there is no folder {folder}" if is_path(settings.embed_model) else ""
    raise InvalidInputError(
        f"provider local has no model {settings.embed_model}: its models are {names}{missing}",
        "set GHOST_EMBED_MODEL to one of them or to a folder with model.onnx, or leave it empty",
    )


@cache
def _folder_model(name: str, folder: str) -> LocalModel:
    """Return the model of a folder; a hash in its id tells models of the same name apart."""
    label = folder_config(folder).get("name") or Path(folder).resolve().name
    return LocalModel(name, f"{FOLDER_PREFIX}{label}-{_hash(folder)}", folder, Thresholds())


def _hash(folder: str) -> str:
    """Return the start of the SHA-256 of a model and of its weights in files of their own."""
    model = Path(folder) / "model.onnx"
    weights = {*model.parent.glob("model.onnx?*"), *model.parent.glob("*.data")}
    digest = hashlib.sha256()
    try:
        for file in (model, *sorted(weights)):
            with file.open("rb") as stream:
                hashlib.file_digest(stream, lambda: digest)
    except OSError as error:
        raise EmbeddingError(
            f"{model} cannot be run: {error}",
            "GHOST_EMBED_MODEL must be a folder with model.onnx that can be read",
        ) from None
    return digest.hexdigest()[:8]


@cache
def folder_config(folder: str) -> dict[str, Any]:
    """Return config.json of a folder with a model, which may have `name` and `max_tokens`.

    Raises:
        EmbeddingError: The file is there and cannot be used.
    """
    file = Path(folder) / "config.json"
    try:
        config = json.loads(file.read_bytes()) if file.exists() else {}
        if not isinstance(config, dict):
            raise TypeError("it is not an object")
        if "max_tokens" in config:
            config["max_tokens"] = int(config["max_tokens"])
    except (OSError, TypeError, ValueError) as error:
        raise EmbeddingError(
            f"{file} cannot be read: {error}",
            'remove it, or write JSON such as {"name": "bge-small", "max_tokens": 256}',
        ) from None
    return config
