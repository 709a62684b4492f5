"""Read and edit the client files of every format through one interface."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ghostmem.setup import jsonc, toml_text, yaml_text
from ghostmem.setup.values import value_at

Made = Sequence[Sequence[str]]  # paths of the containers that setup created, outermost first


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The functions that read and edit one format; each takes the text of the file."""

    load: Callable[[str], Any]
    merge: Callable[[str, Sequence[str], Any], str]
    remove: Callable[[str, Sequence[str], Made], str]
    comments: bool = False


def _json_remove(text: str, path: Sequence[str], made: Made, comments: bool) -> str:
    return pruned(jsonc.remove(text, path, comments), made, comments)


def pruned(text: str, made: Made, comments: bool) -> str:
    """Remove the containers that setup created and that are empty now."""
    for path in sorted(made, key=len, reverse=True):
        if value_at(jsonc.load(text, comments), path) in ({}, []):
            text = jsonc.remove(text, path, comments)
    return text


def _json(comments: bool) -> FileFormat:
    return FileFormat(
        partial(jsonc.load, comments=comments),
        partial(jsonc.merge, comments=comments),
        partial(_json_remove, comments=comments),
        comments,
    )


def _yaml(listed: bool) -> FileFormat:
    return FileFormat(
        yaml_text.load,
        partial(yaml_text.merge, listed=listed),
        lambda text, path, made: yaml_text.remove(
            text, path, any(tuple(container) == tuple(path[:-1]) for container in made)
        ),
    )


FORMATS = {
    "json": _json(False),
    "jsonc": _json(True),
    "toml": FileFormat(
        toml_text.load, toml_text.merge, lambda text, path, _: toml_text.remove(text, path)
    ),
    "yaml": _yaml(listed=False),
    "yaml-list": _yaml(listed=True),  # the entries are items of a list, with their name
}
