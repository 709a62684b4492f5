"""Edit one table of a TOML file and keep every other byte.

The standard library checks the file and names the place of an error; tomlkit edits it.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ghostmem.errors import InvalidInputError
from ghostmem.setup.values import value_at

if TYPE_CHECKING:  # tomlkit takes 70 ms to import, and only Codex has a TOML file
    from tomlkit import TOMLDocument
    from tomlkit.container import Container
    from tomlkit.items import Item

# tomlkit keeps no positions. These characters, which valid TOML cannot contain, are written into
# the space around its items, so that the positions are known in the rendered text.
_START, _END = "\x01", "\x02"
_MARKED = re.compile(rf"(?:(?<=\n)\r?\n)?{_START}[^{_START}]*{_END}\r?\n?")


def load(text: str) -> dict[str, Any]:
    """Return the values of a TOML file, or raise an error that names the broken line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).rpartition(" (at ")
        where = place.rstrip(")") if reason else "the end"
        raise InvalidInputError(
            f"{where}: not valid TOML: {reason or error}", "fix the file, then run it again"
        ) from None


def merge(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """Set keys of a table and keep its other keys; a new table goes to the end of the file."""
    before = load(text)
    present = value_at(before, path)
    expected = _merged(present, value)
    line_end = "\r\n" if "\r\n" in text else "\n"
    if present is None:
        table = block(path, value, line_end)
        gap = (line_end if text.endswith("\n") else line_end * 2) if text.strip() else ""
        edited = (text if gap else "") + gap + table
    else:
        edited = text if present == expected else _updated(text, path, value, line_end)
    return _checked(edited, before, path, expected)


def remove(text: str, path: Sequence[str]) -> str:
    """Remove a table with its subtables and the blank line before it."""
    before = load(text)
    head, document = _parsed(text, path)
    for item in _items_at(document, path):
        _mark(item)
    edited = _MARKED.sub("", head + document.as_string())
    return _checked(edited if edited.strip() else "", before, path, None)


def dump(value: Any) -> str:
    """Return a value as TOML on one line."""
    return str(_item(value).as_string())


def block(path: Sequence[str], value: dict[str, Any], line_end: str = "\n") -> str:
    """Return a table with its header."""
    import tomlkit

    header = ".".join(tomlkit.key(key).as_string() for key in path)
    return f"[{header}]{line_end}{_lines(value, line_end)}"


def _lines(value: dict[str, Any], line_end: str) -> str:
    """Return each key with its value on one line."""
    import tomlkit

    return "".join(
        f"{tomlkit.key(key).as_string()} = {dump(part)}{line_end}" for key, part in value.items()
    )


def _item(value: Any) -> Any:
    """Return a value for tomlkit; a mapping becomes an inline table, not one with a header."""
    import tomlkit

    if not isinstance(value, dict):
        return tomlkit.item(value)
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _updated(text: str, path: Sequence[str], value: dict[str, Any], line_end: str) -> str:
    """Return the text with keys set in a table that exists; new keys go below its header."""
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import Table

    head, document = _parsed(text, path)
    table = value_at(document, path)
    if not isinstance(table, dict):
        raise _refused(path)
    new = {key: part for key, part in value.items() if key not in table}
    try:
        for key in value.keys() - new.keys():
            _set(table, key, value[key])
        # an inline table, or dotted keys without a header
        if not isinstance(table, Table) or table.is_super_table():
            table.update({key: _item(part) for key, part in new.items()})
        else:
            trail = table.trivia.trail or line_end
            table.trivia.trail = trail + _START
    except TOMLKitError:
        raise _refused(path) from None
    return head + document.as_string().replace(_START, _lines(new, line_end))


def _parsed(text: str, path: Sequence[str]) -> tuple[str, "TOMLDocument"]:
    """Return the parsed file, or only the part from our header on with the text before it.

    tomlkit reorders arrays of tables that are interleaved; such a part stays unparsed.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        if document.as_string() == text:
            return "", document
        start = text.rindex(f"[{'.'.join(path)}]")
        document = tomlkit.parse(text[start:])
    except (TOMLKitError, ValueError):
        raise _refused(path) from None
    if document.as_string() != text[start:]:
        raise _refused(path)
    return text[:start], document


def _set(table: Any, key: str, value: Any) -> None:
    """Set a key, or the keys below it when both values are tables."""
    if isinstance(value, dict) and isinstance(table.get(key), dict):
        for below, part in value.items():
            _set(table[key], below, part)
    elif table.get(key) != value:
        table[key] = _item(value)


def _items_at(container: "Container", path: Sequence[str]) -> Iterator["Item"]:
    """Yield the items at a path; tables that are written in several places are several items."""
    from tomlkit.items import Table

    for key, item in container.body:
        if key is None or key.key != path[0]:
            continue
        if len(path) == 1:
            yield item
        elif isinstance(item, Table):
            yield from _items_at(item.value, path[1:])


def _mark(item: "Item", below_header: bool = False) -> None:
    """Mark an item from its first character to the end of its last line."""
    from tomlkit.items import AoT, Table

    if isinstance(item, AoT):
        for table in item.body:
            _mark(table)
        return
    has_header = isinstance(item, Table) and not item.is_super_table()
    if has_header or (not isinstance(item, Table) and not below_header):
        item.trivia.indent = _START + item.trivia.indent
    if has_header or not isinstance(item, Table):
        item.trivia.trail = _END + item.trivia.trail
    if isinstance(item, Table):
        for key, part in item.value.body:
            if key is not None:
                _mark(part, below_header or has_header)


def _checked(
    edited: str, before: dict[str, Any], path: Sequence[str], expected: dict[str, Any] | None
) -> str:
    """Return the new text if it has the expected table and every other value is unchanged."""
    try:
        after = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        after = {}
    if value_at(after, path) != expected or _without(after, path) != _without(before, path):
        raise _refused(path)
    return edited


def _refused(path: Sequence[str]) -> InvalidInputError:
    name = ".".join(path[:-1])
    return InvalidInputError(
        f"{name} is written in a way that cannot be added to",
        f"write it as tables, [{name}.NAME], or paste what --print shows",
    )


def _merged(old: Any, new: dict[str, Any]) -> dict[str, Any]:
    made = dict(old) if isinstance(old, dict) else {}
    for key, part in new.items():
        made[key] = _merged(made.get(key), part) if isinstance(part, dict) else part
    return made


def _without(value: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a document without one table and without the tables that are empty then."""
    rest = {key: part for key, part in value.items() if key != path[0]}
    below = value.get(path[0])
    if len(path) > 1 and isinstance(below, dict):
        below = _without(below, path[1:])
    return {**rest, path[0]: below} if len(path) > 1 and below else rest
