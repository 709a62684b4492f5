"""One table of a TOML file, changed in place: the standard library reads it, and only our table's
text is touched.
"""

import re
import tomllib
from collections.abc import Sequence
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.setup.toml_nodes import KEY, statements

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def load(text: str) -> dict[str, Any]:
    """Return what a file says, or say where it is broken."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rpartition(" (at ")
        where = place.rstrip(")") if what else "the end"
        raise InvalidInputError(
            f"{where}: not valid TOML: {what or error}", "mend the file, then run it again"
        ) from None


def merge(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """Set the keys of a table, which is written behind all else when it is not there.

    Its other keys stay.
    """
    before = load(text)
    expected = _merged(_at(before, path), value)
    if _at(before, path) is None:
        made = _appended(text, path, value)
    else:
        made = text
        for key, part in reversed(
            value.items()
        ):  # what is new goes below the head, one before the other
            made = _set(made, (*path, key), part)
    return _checked(made, before, path, expected)


def remove(text: str, path: Sequence[str]) -> str:
    """Take a table out, with the tables below it and the blank line before it."""
    before = load(text)
    own = tuple(path)
    found = list(statements(text))
    spans: list[tuple[int, int]] = []
    for number, one in enumerate(found):
        if one.path[: len(own)] != own:
            continue
        last = one
        if one.is_head:  # down to the last of its keys
            for other in found[number + 1 :]:
                if other.is_head:
                    break
                last = other
        spans.append((_line_start(text, one.start), _line_end(text, last.end)))
    for start, stop in reversed(_joined(spans)):
        head = text[:start]
        if head.endswith(("\n\n", "\n\r\n")):  # the blank line that set it apart
            head = head[: -2 if head.endswith("\r\n") else -1]
        elif not head.strip() and not text[stop:]:
            head = ""
        text = head + text[stop:]
    return _checked(text, before, path, None)


def dump(value: Any) -> str:
    """Write a value on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict):
        return (
            "{ " + ", ".join(f"{_key(key)} = {dump(part)}" for key, part in value.items()) + " }"
            if value
            else "{}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(dump, value)) + "]"
    return '"' + "".join(_escaped(char) for char in str(value)) + '"'


def block(path: Sequence[str], value: dict[str, Any], line_end: str = "\n") -> str:
    """Write a table with its head."""
    rows = [
        f"[{'.'.join(map(_key, path))}]",
        *(f"{_key(key)} = {dump(part)}" for key, part in value.items()),
    ]
    return "".join(row + line_end for row in rows)


def _appended(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    if not text.strip():
        return block(path, value, end)
    return text + ("" if text.endswith("\n") else end) + end + block(path, value, end)


def _set(text: str, path: tuple[str, ...], value: Any) -> str:
    """Set one key below a table that is there."""
    present = _at(load(text), path)
    if isinstance(value, dict) and isinstance(present, dict):
        value = _merged(present, value)
    if present == value and type(present) is type(value):
        return text
    found = list(statements(text))
    for one in found:
        if one.is_head or path[: len(one.path)] != one.path:
            continue
        below = path[len(one.path) :]  # not empty: an inline table that holds our key
        whole = _nested(_at(load(text), one.path), below, value) if below else value
        return text[: one.value] + dump(whole) + text[one.end :]
    if isinstance(value, dict) and isinstance(present, dict):
        for key, part in value.items():
            text = _set(text, (*path, key), part)
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    for one in reversed(found):
        if one.is_head and one.path == path[:-1]:
            at = _line_end(text, one.end)
            gap = "" if text[:at].endswith("\n") else end
            return text[:at] + gap + f"{_key(path[-1])} = {dump(value)}" + end + text[at:]
    beside = next((one for one in found if not one.is_head and one.path[:-1] == path[:-1]), None)
    if beside is None:
        return _appended(text, path[:-1], {path[-1]: value})
    label = text[beside.start : beside.key_end]
    last = list(KEY.finditer(label))[-1]
    at = _line_start(text, beside.start)
    return text[:at] + f"{label[: last.start()]}{_key(path[-1])} = {dump(value)}" + end + text[at:]


def _checked(
    made: str, before: dict[str, Any], path: Sequence[str], expected: dict[str, Any] | None
) -> str:
    """Return the new text if it says what it should and everything else says what it said.

    Refuse otherwise.
    """
    try:
        after = tomllib.loads(made)
    except tomllib.TOMLDecodeError:
        after = {}
    if _at(after, path) != expected or _without(after, path) != _without(before, path):
        name = ".".join(path[:-1])
        raise InvalidInputError(
            f"{name} is written in a way that cannot be added to",
            f"write it as tables, [{name}.NAME], or paste what --print shows",
        )
    return made


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap."""
    made: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if made and start < made[-1][1]:
            made[-1] = (made[-1][0], max(stop, made[-1][1]))
        else:
            made.append((start, stop))
    return made


# ---------------------------------------------------------------- values


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _merged(old: Any, new: dict[str, Any]) -> dict[str, Any]:
    made = dict(old) if isinstance(old, dict) else {}
    for key, part in new.items():
        made[key] = _merged(made.get(key), part) if isinstance(part, dict) else part
    return made


def _nested(whole: Any, path: tuple[str, ...], value: Any) -> Any:
    made = dict(whole) if isinstance(whole, dict) else {}
    made[path[0]] = _nested(made.get(path[0]), path[1:], value) if path[1:] else value
    return made


def _without(value: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a document without one table, and without what is empty then."""
    if path[0] not in value:
        return value
    rest = {key: part for key, part in value.items() if key != path[0]}
    below = value[path[0]]
    if len(path) > 1 and isinstance(below, dict):
        kept = _without(below, path[1:])
        if kept:
            rest[path[0]] = kept
    return rest


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else dump(key)


def _escaped(char: str) -> str:
    known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return known.get(char) or (
        f"\\u{ord(char):04x}" if ord(char) < 0x20 or ord(char) == 0x7F else char
    )
