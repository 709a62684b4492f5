"""Read and edit the files of clients in every format through one interface.

An edit changes one value of the parsed document; `pieces` carries the change into the text of the
file, so that every other byte stays. An edit that the reader does not find in the new text, or that
would change another value too, is refused.
"""

import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.setup import json_text
from ghostmem.setup.pieces import Piece, Splice, lines, splice_lines, transplanted

Path = Sequence[str | int]
Made = Sequence[Sequence[str]]  # paths of the containers that setup created, outermost first


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The functions that read and write one format, and the edits that all formats share."""

    load: Callable[[str], Any]  # plain values; None for a document without any
    parse: Callable[[str], Any]  # the document for an edit
    render: Callable[[Any, str, Any], str]  # in the style of a text, and one of `styles`
    cut: Callable[[str], list[Piece]] = lines
    splice: Splice = splice_lines
    item: Callable[[Any, int], Any] = lambda value, _: value  # a value for a parsed document
    styles: Sequence[Any] = (None,)
    listed: bool = False  # entries are items of a list, with their name

    def merge(self, text: str, path: Path, value: Any) -> str:
        """Set the value at a path and create missing containers; other keys of a mapping stay."""
        present = value_at(self.load(text), path)
        if isinstance(value, dict) and isinstance(present, dict) and value:
            for key, part in value.items():
                text = self.merge(text, (*path, key), part)
            return text
        return text if _same(present, value) else self.replace(text, path, value)

    def append(self, text: str, path: Path, value: Any) -> str:
        """Append an item to the list at a path; a missing list is created."""
        present = value_at(self.load(text), path)
        if present is None:
            return self.replace(text, path, [value])
        if not isinstance(present, list):
            raise _refused(f"{_named(path)} is not an array")
        return self.replace(text, (*path, len(present)), value)

    def remove(self, text: str, path: Path, made: Made = ()) -> str:
        """Remove the value at a path, then created containers that are empty."""
        if value_at(self.load(text), path) is not None:
            text = self.replace(text, path, None)
        return self.pruned(text, made)

    def pruned(self, text: str, made: Made) -> str:
        """Remove the containers that setup created and that are empty now."""
        for container in sorted(made, key=len, reverse=True):
            if value_at(self.load(text), container) in ({}, []):
                text = self.replace(text, container, None)
        return text

    def replace(self, text: str, path: Path, value: Any) -> str:
        """Set the whole value at a path; None removes it."""
        if self.cut is lines and not text.endswith("\n"):
            text += "\n" if text else ""
        expected = _changed(_plain(self.load(text)), path, value, self.listed)
        for style in self.styles:
            with suppress(ValueError, InvalidInputError):  # tomlkit refuses some edits
                document = self.parse(text)
                before = self.render(document, text, style)
                document = _changed(document, path, value, self.listed, self.item)
                edited = transplanted(
                    text, before, self.render(document, text, style), self.cut, self.splice
                )
                if edited is not None and _same(self.load(edited) or {}, expected):
                    return edited
        raise _refused(f"{_named(path[:-1])} is written in a way that cannot be added to")


def value_at(document: Any, path: Path) -> Any:
    """Return the value at a path of keys and positions, or None.

    In a list of objects, a key is the `name` of an object.
    """
    for key in path:
        if isinstance(document, list):
            place = _place(document, key)
            document = document[place] if place < len(document) else None
        else:
            document = document.get(key) if isinstance(document, dict) else None
    return document


def _place(items: list[Any], key: str | int) -> int:
    """Return the position of an item; a new one goes to the end."""
    if isinstance(key, int):
        return key
    names = [item.get("name") if isinstance(item, dict) else None for item in items]
    return names.index(key) if key in names else len(items)


def _changed(
    document: Any,
    path: Path,
    value: Any,
    listed: bool,
    item: Callable[[Any, int], Any] = lambda value, _: value,
) -> Any:
    """Return a document with the value at a path set, or removed if it is None."""
    document = {} if document is None else document
    holder, depth = document, 0
    while (
        depth < len(path) - 1 and (below := value_at(holder, path[depth : depth + 1])) is not None
    ):
        holder, depth = below, depth + 1
    key = path[depth]
    is_list = isinstance(holder, list) and (listed or isinstance(key, int))
    if not is_list and not isinstance(holder, dict):
        raise _refused(f"{_named(path[:depth])} is not an object")
    for name in reversed(path[depth + 1 :]) if value is not None else ():
        value = [value] if listed else {name: value}
    place = _place(holder, key) if is_list else key
    if value is None and is_list:
        del holder[place]
    elif value is None:
        holder.pop(place, None)
    elif is_list and place == len(holder):
        holder.append(item(value, depth))
    else:
        holder[place] = item(value, depth)
    return document


def _plain(value: Any) -> Any:
    """Return a copy without aliases, order, and empty mappings, which TOML does not write."""
    if isinstance(value, dict):
        copies = {key: _plain(value[key]) for key in sorted(value, key=str)}
        return {key: part for key, part in copies.items() if part != {}}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _same(left: Any, right: Any) -> bool:
    return repr(_plain(left)) == repr(_plain(right))  # 1 is not True


def _named(path: Path) -> str:
    return ".".join(map(str, path)) or "the document"


def _refused(reason: str) -> InvalidInputError:
    return InvalidInputError(reason, "fix it by hand, or paste what --print shows")


# ---------------------------------------------------------------- TOML


def _load_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).rpartition(" (at ")
        raise InvalidInputError(
            f"{place.rstrip(')')}: not valid TOML: {reason}", "fix the file, then run it again"
        ) from None


def _parse_toml(text: str) -> Any:
    import tomlkit  # 70 ms, and only Codex has a TOML file
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise _refused(f"the file cannot be read: {error}") from None


def _toml_item(value: Any, depth: int) -> Any:
    """Return a value for tomlkit: an entry is a table with a header, its values are inline."""
    import tomlkit

    if not isinstance(value, dict):
        return tomlkit.item(value)
    table = tomlkit.inline_table() if depth > 1 else tomlkit.table(is_super_table=depth == 0)
    for key, part in value.items():
        table.add(key, _toml_item(part, depth + 1))
    return table


# ---------------------------------------------------------------- YAML


def _load_yaml(text: str) -> Any:
    from ruamel.yaml import YAML  # 80 ms, and few clients need it
    from ruamel.yaml.error import MarkedYAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    try:
        return yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place, reason = f"line {mark.line + 1}, column {mark.column + 1}", error.problem
    except (RecursionError, ValueError, IndexError) as error:
        # too deeply nested, or a scalar like `-_` that ruamel.yaml takes for a number
        place, reason = "line 1, column 1", str(error)
    raise InvalidInputError(
        f"{place}: not valid YAML: {reason}", "fix the file, or paste what --print shows"
    )


# the indentation of mappings and of the dashes of lists; a file may mix them
_YAML_STYLES = [(2, 0), (2, 2), (4, 0), (4, 2), (4, 4), (1, 0), (3, 0), (8, 0)]


def _render_yaml(document: Any, _: str, style: tuple[int, int]) -> str:
    from ruamel.yaml import YAML

    yaml, stream = YAML(), StringIO()
    yaml.width = 1 << 20
    indent, offset = style
    yaml.indent(mapping=indent, sequence=offset + 2, offset=offset)
    yaml.dump(document or None, stream)
    return stream.getvalue() if document else ""


def _yaml(listed: bool) -> FileFormat:
    return FileFormat(_load_yaml, _load_yaml, _render_yaml, styles=_YAML_STYLES, listed=listed)


def _json(comments: bool) -> FileFormat:
    load = partial(json_text.load, comments=comments)
    return FileFormat(load, load, json_text.render, json_text.tokens, json_text.splice)


FORMATS = {
    "json": _json(comments=False),
    "jsonc": _json(comments=True),
    "toml": FileFormat(
        _load_toml, _parse_toml, lambda document, *_: document.as_string(), item=_toml_item
    ),
    "yaml": _yaml(listed=False),
    "yaml-list": _yaml(listed=True),
}
