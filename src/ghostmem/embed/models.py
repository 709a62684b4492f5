"""The local models that GHOST_EMBED_MODEL can name: those of the package, and folders."""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ghostmem.embed.base import Thresholds
from ghostmem.errors import InvalidInputError
from ghostmem.settings import Settings


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
MODELS = (SPECIFIED, TUNED)
BY_ID = {model.id: model for model in MODELS}


def wanted_model(settings: Settings) -> LocalModel:
    """Return the local model that the settings name; without a name, that of new stores.

    Raises:
        InvalidInputError: There is no model of that name.
    """
    if not settings.embed_model:
        return TUNED
    for model in MODELS:
        if settings.embed_model == model.name:
            return model
    folder = Path(settings.embed_model).expanduser()
    if len(folder.parts) > 1 and folder.is_dir():
        name = folder_config(str(folder)).get("name") or folder.resolve().name
        return LocalModel(settings.embed_model, f"folder:{name}", str(folder), Thresholds())
    names = " and ".join(model.name for model in MODELS)
    raise InvalidInputError(
        f"provider local has no model {settings.embed_model}: its models are {names}",
        "set GHOST_EMBED_MODEL to one of them or to a folder with model.onnx, or leave it empty",
    )


@cache
def folder_config(folder: str) -> dict[str, Any]:
    """Return config.json of a folder with a model, which may have `name` and `max_tokens`."""
    try:
        config = json.loads((Path(folder) / "config.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}
