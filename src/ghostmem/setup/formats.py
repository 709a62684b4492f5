"""The formats of client files behind one face: read, merge an entry, take one out, and print one to
paste.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ghostmem.setup import jsonc, toml_text, yaml_text

Made = Sequence[Sequence[str]]  # the containers that came with our entry, outermost first


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of file is read and changed; each function takes its text."""

    load: Callable[[str], Any]
    merge: Callable[[str, Sequence[str], Any], str]
    remove: Callable[[str, Sequence[str], Made], str]
    shown: Callable[[Sequence[str], Any], str]
    comments: bool = False


def at(value: Any, path: Sequence[str]) -> Any:
    """Return what is at a path of a document, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _json_remove(text: str, path: Sequence[str], made: Made, comments: bool) -> str:
    return pruned(jsonc.remove(text, path, comments), made, comments)


def pruned(text: str, made: Made, comments: bool) -> str:
    """Take out the containers we made, where nothing is left in them."""
    for path in sorted(made, key=len, reverse=True):
        if at(jsonc.load(text, comments), path) in ({}, []):
            text = jsonc.remove(text, path, comments)
    return text


def _json_shown(path: Sequence[str], value: Any) -> str:
    for key in reversed(path):
        value = {key: value}
    return jsonc.dump(value) + "\n"


def _json(comments: bool) -> Format:
    return Format(
        partial(jsonc.load, comments=comments),
        partial(jsonc.merge, comments=comments),
        partial(_json_remove, comments=comments),
        _json_shown,
        comments,
    )


FORMATS = {
    "json": _json(False),
    "jsonc": _json(True),
    "toml": Format(
        toml_text.load,
        toml_text.merge,
        lambda text, path, _: toml_text.remove(text, path),
        toml_text.block,
    ),
    "yaml": Format(
        yaml_text.load,
        yaml_text.merge,
        lambda text, path, made: yaml_text.remove(
            text, path, any(tuple(one) == tuple(path[:-1]) for one in made)
        ),
        yaml_text.block,
    ),
}
