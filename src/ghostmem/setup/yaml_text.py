"""Edit one entry of a YAML file in block style and keep every other byte.

ruamel.yaml reads the file and tells the position of every key and value. It does not write the
file: its writer keeps comments, but it changes the indentation and the quotes of other lines. So
the lines of our entry are written here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ghostmem.errors import InvalidInputError
from ghostmem.setup.values import value_at

Pair = tuple[Any, Any]  # the nodes of a key and of its value; ruamel.yaml does not type them

_PLAIN = re.compile(r"[A-Za-z_/.][\w/.\\+@%:-]*(?<!:)")
_RESERVED = {"true", "false", "null", "~", "", "yes", "no", "on", "off", "y", "n"}
_EMPTY_VALUE = re.compile(r":[ \t]*(?:\{\s*\}|\[\s*\]|null|~)")


def load(text: str) -> Any:
    """Return the values of a YAML file, or raise an error that names the broken line."""
    return _read(text, "rt", "load")


def merge(text: str, path: Sequence[str], value: dict[str, Any], listed: bool = False) -> str:
    """Set keys of an entry below a top-level mapping; its other keys and lines stay.

    With `listed` the entry is an item of a top-level list, and `value` has its `name`.
    """
    edited = _merged(text, path, value, value_at(load(text), path) or {}, listed)
    entry = value_at(load(edited), path)
    if (
        _others(text, path[0]) != _others(edited, path[0])
        or not isinstance(entry, dict)
        or any(entry.get(key) is None for key in value)
    ):
        raise InvalidInputError(
            f"{path[0]} is written in a way that cannot be added to", "paste what --print shows"
        )
    return edited


def remove(text: str, path: Sequence[str], made: bool = False) -> str:
    """Remove the lines of an entry; with `made`, also the container around it if it is empty."""
    top = _pair(_read(text, "safe", "compose"), path[0])
    entry = _entry_of(top, path[1])
    if top is None or entry is None:
        return text
    is_item = top[1].id == "sequence"
    first = _dash(text, entry) if is_item else _start(entry)
    start, stop = _line_start(text, first), _end(text, entry)
    head = text[:start]
    if len(top[1].value) == 1 and made:
        head = text[: _line_start(text, _start(top))]
    elif len(top[1].value) == 1:
        colon = text.index(":", top[0].end_mark.index) + 1
        head = f"{text[:colon]} {'[]' if is_item else '{}'}{text[colon:start]}"
    return head + text[stop:]


def block(
    path: Sequence[str], value: dict[str, Any], line_end: str = "\n", listed: bool = False
) -> str:
    """Return an entry with the container that holds it."""
    return f"{path[0]}:{line_end}" + _item_or_entry(path[1], value, "  ", line_end, listed)


def lines(values: Mapping[str, Any], line_end: str) -> str:
    """Return top-level keys with their values."""
    return "".join(_entry(key, value, "", line_end) for key, value in values.items())


def _read(text: str, kind: str, method: Literal["load", "compose"]) -> Any:
    from ruamel.yaml import YAML  # imported late: it takes 80 ms, and few clients need it
    from ruamel.yaml.error import MarkedYAMLError

    try:
        return getattr(YAML(typ=kind, pure=True), method)(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _refused(text, mark.index, f"not valid YAML: {error.problem}") from None
    except (RecursionError, ValueError, IndexError) as error:
        # too deeply nested, or a scalar like `-_` that ruamel.yaml takes for a number
        raise _refused(text, 0, f"the file cannot be read: {error}") from None


def _merged(
    text: str, path: Sequence[str], value: dict[str, Any], present: Any, listed: bool
) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    root = _read(text, "safe", "compose")
    if root is not None and (root.id != "mapping" or root.flow_style):
        raise _refused(text, root.start_mark.index, "the file is not a mapping in block style")
    top = _pair(root, path[0])
    if top is None:
        return _spliced(text, len(text), len(text), block(path, value, line_end, listed), line_end)
    if not top[1].value or top[1].value in ("null", "~"):
        start, stop = _start(top), _end(text, top)
        head = _EMPTY_VALUE.sub(":", text[start:stop], count=1)
        return _spliced(
            text[:start] + head + text[stop:],
            start + len(head),
            start + len(head),
            _item_or_entry(path[1], value, "  ", line_end, listed),
            line_end,
        )
    _check_container(text, path[0], top, listed)
    entry = _entry_of(top, path[1])
    if entry is None:
        last = _end(text, top)
        first = top[1].start_mark.index if listed else _start(top[1].value[0])
        indent = " " * _column(text, first)
        lines = _item_or_entry(path[1], value, indent, line_end, listed)
        return _spliced(text, last, last, lines, line_end)
    is_block = entry[1].id == "mapping" and not entry[1].flow_style
    if _is_alias(entry) or (entry[1].value and not is_block):
        raise _refused(text, _start(entry), f"{'.'.join(path)} is written on one line")
    return _updated(text, entry, value, present, line_end)


def _check_container(text: str, name: str, top: Pair, listed: bool) -> None:
    """Refuse a container of the other kind, and one that is written on one line."""
    if top[1].id == "scalar" or top[1].flow_style:
        raise _refused(text, _start(top), f"{name} is written on one line")
    if (top[1].id == "sequence") != listed:
        kinds = "a mapping, not a list" if listed else "a list, not a mapping"
        raise _refused(text, top[1].start_mark.index, f"{name} is {kinds}")


def _updated(text: str, entry: Pair, value: dict[str, Any], present: Any, line_end: str) -> str:
    """Return the text with the keys of an existing entry set, each in its own lines."""
    own = entry[1].value or []
    indent = " " * _column(text, _start(own[0]) if own else _start(entry) + 2)
    last = _end(text, entry)
    changes: list[tuple[int, int, str]] = []
    for key, part in value.items():
        old = present.get(key)
        new = {**old, **part} if isinstance(part, dict) and isinstance(old, dict) else part
        if key in present and old == new:
            continue
        pair = _pair(entry[1], key)
        lines = _entry(key, new, indent, line_end)
        if pair is None:
            changes.append((last, last, lines))
            continue
        start = _line_start(text, _start(pair))
        if text[start : _start(pair)].strip():  # the dash of a list item is before the key
            lines = text[start : _start(pair)] + lines.lstrip(" ")
        changes.append((start, _end(text, pair), lines))
    # From the last position to the first; new keys have one position and go in last to first too.
    changes.reverse()
    for start, stop, lines in sorted(changes, key=lambda change: -change[0]):
        text = _spliced(text, start, stop, lines, line_end)
    return text


def _spliced(text: str, start: int, stop: int, lines: str, line_end: str) -> str:
    """Replace a part of the text by whole lines; they begin on a line of their own."""
    gap = line_end if start and not text[:start].endswith("\n") else ""
    return text[:start] + gap + lines + text[stop:]


# ---------------------------------------------------------------- positions


def _pair(mapping: Any, key: str) -> Pair | None:
    """Return the nodes of a key and its value, or None."""
    pairs = mapping.value if mapping is not None and mapping.id == "mapping" else ()
    return next((pair for pair in pairs if pair[0].value == key), None)


def _entry_of(top: Pair | None, key: str) -> Pair | None:
    """Return the entry of a container; the key of a list's item is the item itself."""
    if top is None or top[1].id != "sequence":
        return _pair(top[1] if top else None, key)
    found, last = None, top[1].start_mark.index
    for item in top[1].value:
        name = _pair(item, "name")
        is_alias = item.start_mark.index <= last  # its node is the one at the anchor
        if name is not None and name[1].value == key and not is_alias:
            found = (item, item)
        last = max(last, item.start_mark.index)
    return found


def _dash(text: str, item: Pair) -> int:
    """Return the position of the dash before an item of a list."""
    start = _start(item)
    at = len(text[:start].rstrip()) - 1
    if text[at] != "-":
        raise _refused(text, start, "the dash of the item is not before it")
    return at


def _start(pair: Pair) -> int:
    return int(pair[0].start_mark.index)


def _is_alias(pair: Pair) -> bool:
    """Say whether the value is `*name`: its node is then the one at the anchor."""
    return bool(pair[1].start_mark.index < pair[0].start_mark.index)


def _end(text: str, pair: Pair) -> int:
    """Return the end of the last line of a key and its value."""
    key, node = pair
    while node.id != "scalar" and not node.flow_style and not _is_alias((key, node)):
        last = node.value[-1]
        if node.id == "sequence" and last.start_mark.index < node.start_mark.index:
            raise _refused(text, node.start_mark.index, "the list ends with an alias")
        key, node = last if node.id == "mapping" else (last, last)
    # The position of an empty value and of an alias is elsewhere; those end with their key.
    is_empty = node.start_mark.index == node.end_mark.index
    at = min((key if is_empty or _is_alias((key, node)) else node).end_mark.index, len(text))
    if text[at - 1] == "\n":  # a block text ends at the start of the next line
        return int(at)
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _column(text: str, at: int) -> int:
    return at - _line_start(text, at)


# ---------------------------------------------------------------- values


def _others(text: str, key: str) -> list[str]:
    """Return the other top-level keys with their values, for a comparison."""
    root = _read(text, "safe", "compose")
    return [repr(pair) for pair in (root.value if root else ()) if pair[0].value != key]


def _item_or_entry(
    key: str, value: dict[str, Any], indent: str, line_end: str, listed: bool
) -> str:
    """Return the lines of an entry: a key with a mapping, or an item of a list."""
    if not listed:
        return _entry(key, value, indent, line_end)
    below = "".join(_entry(name, part, indent + "  ", line_end) for name, part in value.items())
    return f"{indent}- {below.removeprefix(indent + '  ')}"


def _entry(key: str, value: Any, indent: str, line_end: str) -> str:
    """Return the lines of a key and its value."""
    if isinstance(value, dict) and value:
        below = (_entry(name, part, indent + "  ", line_end) for name, part in value.items())
        return f"{indent}{key}:{line_end}" + "".join(below)
    if isinstance(value, list) and value:
        items = (f"{indent}- {_scalar(part)}{line_end}" for part in value)
        return f"{indent}{key}:{line_end}" + "".join(items)
    return f"{indent}{key}: {_scalar(value)}{line_end}"


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)  # every JSON value is a YAML value


def _refused(text: str, at: int, reason: str) -> InvalidInputError:
    line, column = text.count("\n", 0, at) + 1, _column(text, at) + 1
    return InvalidInputError(
        f"line {line}, column {column}: {reason}",
        "write it in block style, or paste what --print shows",
    )
