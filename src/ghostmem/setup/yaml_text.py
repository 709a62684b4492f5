"""One entry of a block mapping in a YAML file, changed in place by lines; no YAML is parsed beyond what that takes.

The file must be block style down to our entry, as Goose writes it. What is not, or is broken where we can see it, is refused.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ghostmem.errors import InvalidInputError

_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>'"%@`\[\]{},:-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)""")
_SCALAR = re.compile(r"(?:^|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$")
_ITEM = re.compile(r"-(?:\s|$)")
_PLAIN = re.compile(r"[A-Za-z_/.][\w/.\\+@%:-]*(?<!:)")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_SPOKEN = {*_WORDS, "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line that means something: its number, its indentation, its text without either."""

    number: int
    indent: int
    text: str


def load(text: str) -> dict[str, Any]:
    """Return the mappings of a file as far as lines tell them, or say where it is broken."""
    return _mapping(_lines(text), 0)


def merge(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """Set the keys of an entry below a top-level mapping; its other keys, and all other lines, stay."""
    made = _merged(text, path, value)
    before, after = load(text), load(made)
    entry = _at(after, path)
    kept = {key: part for key, part in before.items() if key != path[0]} == {k: v for k, v in after.items() if k != path[0]}
    if not kept or not isinstance(entry, dict) or any(_at(entry, (key,)) is None for key in value):
        raise InvalidInputError(f"{path[0]} is written in a way that cannot be added to", "paste what --print shows")
    return made


def _merged(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    top, name = path
    end = "\r\n" if "\r\n" in text else "\n"
    rows = _rows(text)
    lines = _lines(text)
    head = _head(lines, top, -1)
    if head is None:
        made = [f"{top}:{end}", *_entry(name, value, "  ", end)]
        return text + ("" if not text or text.endswith("\n") else end) + "".join(made)
    inline = _after_key(head)
    if inline in ("{}", "null", "~"):
        rows[head.number] = re.sub(r":\s*(?:\{\s*\}|null|~)", ":", rows[head.number], count=1)
    elif inline:
        _refuse(head, f"{top} is written on one line")
    below = _below(lines, head)
    if below and _ITEM.match(below[0].text):
        _refuse(below[0], f"{top} is a list, not a mapping")
    entry = next((line for line in below if line.indent == below[0].indent and _key(line) == name), None)
    if entry is None:
        at = (below[-1] if below else head).number + 1
        if not rows[at - 1].endswith("\n"):
            rows[at - 1] += end
        return "".join([*rows[:at], *_entry(name, value, " " * (below[0].indent if below else 2), end), *rows[at:]])
    if _after_key(entry):
        _refuse(entry, f"{top}.{name} is written on one line")
    return _set(rows, lines, entry, value, end)


def remove(text: str, path: Sequence[str], made: bool = False) -> str:
    """Take an entry's lines out, and with `made` the mapping it was in when nothing is left in that."""
    top, name = path
    lines = _lines(text)
    head = _head(lines, top, -1)
    below = _below(lines, head) if head else []
    entry = next((line for line in below if line.indent == below[0].indent and _key(line) == name), None)
    if head is None or entry is None:
        return text
    rows = _rows(text)
    own = _below(lines, entry)
    alone = len(below) == len(own) + 1
    start, stop = entry.number, (own[-1] if own else entry).number + 1
    if alone and made:
        start = head.number
    elif alone:
        rows[head.number] = re.sub(r":(\s*)$", r": {}\1", rows[head.number])
    return "".join([*rows[:start], *rows[stop:]])


def block(path: Sequence[str], value: dict[str, Any]) -> str:
    """Write an entry with the mapping it stands in."""
    return f"{path[0]}:\n" + "".join(_entry(path[1], value, "  ", "\n"))


def _set(rows: list[str], lines: list[Line], entry: Line, value: dict[str, Any], end: str) -> str:
    """Set the keys of an entry that is there, each in its own lines."""
    own = _below(lines, entry)
    indent = " " * (own[0].indent if own else entry.indent + 2)
    present = _mapping(own, own[0].indent) if own else {}
    changes: list[tuple[int, int, list[str]]] = []
    for key, part in value.items():
        new = {**present[key], **part} if isinstance(part, dict) and isinstance(present.get(key), dict) else part
        if key in present and present[key] == new:
            continue
        made = _entry(key, new, indent, end)
        line = next((one for one in own if one.indent == own[0].indent and _key(one) == key), None)
        at = (own[-1] if own else entry).number + 1 if line is None else line.number
        stop = at if line is None else ([line, *_below(lines, line, lists=True)][-1]).number + 1
        changes.append((at, stop, made))
    for at, stop, made in reversed(sorted(changes, key=lambda change: change[0])):  # noqa: C413 - those of one place stay in order
        if at and not rows[at - 1].endswith("\n"):
            rows[at - 1] += end
        rows[at:stop] = made
    return "".join(rows)


def _entry(key: str, value: Any, indent: str, end: str) -> list[str]:
    if isinstance(value, dict) and value:
        return [f"{indent}{key}:{end}", *(row for name, part in value.items() for row in _entry(name, part, indent + "  ", end))]
    if isinstance(value, list) and value:
        return [f"{indent}{key}:{end}", *(f"{indent}- {_scalar(part)}{end}" for part in value)]
    return [f"{indent}{key}: {_scalar(value)}{end}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _SPOKEN:
        return value
    return json.dumps(value, ensure_ascii=False)  # every JSON value is a YAML value


# ---------------------------------------------------------------- reading


def _rows(text: str) -> list[str]:
    """Return the lines with their ends; only the line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _lines(text: str) -> list[Line]:
    """Return the lines that mean something; the insides of block texts count as lines of their key."""
    rows = text.split("\n")
    found: list[Line] = []
    scalar = -1  # the indentation of the key whose block text we are in
    levels = [0]
    for number, row in enumerate(rows):
        body = row.rstrip("\r").strip(" ")
        indent = len(row) - len(row.lstrip(" "))
        if scalar >= 0 and (not body or indent > scalar):
            if body:
                found.append(Line(number, max(indent, scalar + 1), "|"))
            continue
        scalar = -1
        if not body or body.startswith("#") or (body == "---" and not found):
            continue
        if body.startswith("\t"):
            _refuse(Line(number, indent, body), "a tab stands where spaces must", column=indent + 1)
        if indent == 0 and (body in ("---", "...") or body[0] in "[{%"):
            _refuse(Line(number, 0, body), "this is more than one plain mapping")
        line = Line(number, indent, body)
        levels = [level for level in levels if level <= indent]
        if indent != levels[-1]:
            previous = found[-1] if found else None
            if previous is None or (indent < previous.indent and indent not in levels):
                _refuse(line, "this line is indented like none before it")
            levels.append(indent)
        _check(line, bool(found))
        found.append(line)
        if _SCALAR.search(body):
            scalar = indent
    return found


def _check(line: Line, follows: bool) -> None:
    """Refuse a top-level line that is no key, and brackets or quotes that stay open."""
    if line.indent == 0 and _key(line) is None and not (follows and _ITEM.match(line.text)):
        _refuse(line, "a key and a colon were expected")
    value = _after_key(line)
    if value[:1] in "\"'" and value[:1] and not re.match(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(#.*)?$""", value):
        _refuse(line, "a quoted text does not end on its line", column=line.indent + len(line.text) - len(value) + 1)
    if value[:1] in "[{" and value[:1]:
        bare = re.sub(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", "", value)
        if bare.count("[") != bare.count("]") or bare.count("{") != bare.count("}"):
            _refuse(line, "a bracket does not close on its line", column=line.indent + len(line.text) - len(value) + 1)


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _key(line: Line) -> str | None:
    found = _KEY.match(line.text)
    return None if found is None else str(_value(found[1]))


def _after_key(line: Line) -> str:
    """Return what stands behind a key on its line, without a comment."""
    found = _KEY.match(line.text)
    rest = line.text[found.end() :].strip() if found else ""
    return "" if rest.startswith("#") else re.sub(r"\s+#[^\"']*$", "", rest)


def _head(lines: list[Line], key: str, above: int) -> Line | None:
    return next((line for line in lines if line.indent == above + 1 and _key(line) == key), None)


def _below(lines: list[Line], head: Line, lists: bool = True) -> list[Line]:
    """Return the lines that belong to a key: those indented further, and a list as far in as the key itself."""
    made: list[Line] = []
    for line in lines[lines.index(head) + 1 :]:
        listed = lists and line.indent == head.indent and _ITEM.match(line.text)
        if line.indent <= head.indent and not listed:
            break
        made.append(line)
    return made


def _mapping(lines: list[Line], indent: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for line in lines:
        key = _key(line)
        if line.indent != indent or key is None:
            continue
        inline, below = _after_key(line), _below(lines, line)
        if inline or not below:
            made[key] = _value(inline)
        elif _ITEM.match(below[0].text):
            made[key] = [_value(one.text[1:].strip()) for one in below if _ITEM.match(one.text)]
        else:
            made[key] = _mapping(below, below[0].indent)
    return made


def _value(text: str) -> Any:
    """Read a value that stands on one line; what is not understood stays the text it is."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith("[") and text.endswith("]") and '"' not in text and "{" not in text:
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    try:
        return _WORDS[text.lower()] if text.lower() in _WORDS else json.loads(text)
    except ValueError:
        return text


def _refuse(line: Line, what: str, column: int = 0) -> NoReturn:
    place = f"line {line.number + 1}, column {column or line.indent + 1}"
    raise InvalidInputError(f"{place}: {what}", "write it in block style, or paste what --print shows")
