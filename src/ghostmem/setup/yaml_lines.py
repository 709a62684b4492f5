"""The lines of a YAML file in block style: which key each belongs to, and what stands behind it.

This is no reader of YAML: what cannot be told from the lines is refused, with the place.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ghostmem.errors import InvalidInputError

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>'"%@`\[\]{},:-][^#]*?|-[^\s#][^#]*?)(?<!\s)\s*:(?=\s|$)"""
)
_SCALAR = re.compile(r"(?:^|\s)[|>][+-]?\d?[+-]?\s*(?:#.*)?$")
_COMMENT = re.compile(r"(?<!\s)\s+#")
ITEM = re.compile(r"-(?:\s|$)")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True, slots=True)
class Line:
    """A line that means something: its number, its indentation, its text without either."""

    number: int
    indent: int
    text: str


def all_rows(text: str) -> list[str]:
    """Return the lines with their ends; only the line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def lines_of(text: str) -> list[Line]:
    """Return the lines that mean something.

    The insides of block texts count as lines of their key.
    """
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
            refuse(Line(number, indent, body), "a tab stands where spaces must", column=indent + 1)
        if indent == 0 and (body in ("---", "...") or body[0] in "[{%"):
            refuse(Line(number, 0, body), "this is more than one plain mapping")
        line = Line(number, indent, body)
        levels = [level for level in levels if level <= indent]
        if indent != levels[-1]:
            previous = found[-1] if found else None
            if previous is None or (indent < previous.indent and indent not in levels):
                refuse(line, "this line is indented like none before it")
            levels.append(indent)
        _check(line, bool(found))
        found.append(line)
        if _SCALAR.search(body):
            scalar = indent
    return found


def _check(line: Line, follows: bool) -> None:
    """Refuse a top-level line that is no key, and brackets or quotes that stay open."""
    if line.indent == 0 and key_of(line) is None and not (follows and ITEM.match(line.text)):
        refuse(line, "a key and a colon were expected")
    value = behind_key(line)
    if (
        value[:1] in "\"'"
        and value[:1]
        and not re.match(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(#.*)?$""", value)
    ):
        refuse(
            line,
            "a quoted text does not end on its line",
            column=line.indent + len(line.text) - len(value) + 1,
        )
    if value[:1] in "[{" and value[:1]:
        bare = re.sub(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", "", value)
        if bare.count("[") != bare.count("]") or bare.count("{") != bare.count("}"):
            refuse(
                line,
                "a bracket does not close on its line",
                column=line.indent + len(line.text) - len(value) + 1,
            )


def value_at(value: Any, path: Sequence[str]) -> Any:
    """Return what lies below some keys, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def key_of(line: Line) -> str | None:
    """Return the key a line begins with, or None."""
    found = _KEY.match(line.text)
    return None if found is None else str(_value(found[1]))


def behind_key(line: Line) -> str:
    """Return what stands behind a key on its line, without a comment."""
    found = _KEY.match(line.text)
    rest = line.text[found.end() :].strip() if found else ""
    quoted = max(rest.rfind('"'), rest.rfind("'")) + 1
    comment = _COMMENT.search(rest, quoted)
    return "" if rest.startswith("#") else rest[: comment.start()] if comment else rest


def head_named(lines: list[Line], key: str) -> Line | None:
    """Return the line of a key of the file itself, not of one of its parts."""
    return next((line for line in lines if line.indent == 0 and key_of(line) == key), None)


def lines_below(lines: list[Line], head: Line, lists: bool = True) -> list[Line]:
    """Return the lines that belong to a key: those indented further, and a list as far in as the
    key itself.
    """
    made: list[Line] = []
    for line in lines[lines.index(head) + 1 :]:
        listed = lists and line.indent == head.indent and ITEM.match(line.text)
        if line.indent <= head.indent and not listed:
            break
        made.append(line)
    return made


def mapping_of(lines: list[Line], indent: int) -> dict[str, Any]:
    """Read the keys at one indent, with all that stands below them."""
    made: dict[str, Any] = {}
    for line in lines:
        key = key_of(line)
        if line.indent != indent or key is None:
            continue
        inline, below = behind_key(line), lines_below(lines, line)
        if inline or not below:
            made[key] = _value(inline)
        elif ITEM.match(below[0].text):
            made[key] = [_value(one.text[1:].strip()) for one in below if ITEM.match(one.text)]
        else:
            made[key] = mapping_of(below, below[0].indent)
    return made


def _value(text: str) -> Any:
    """Read a value that stands on one line; what is not understood stays the text it is."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith("[") and text.endswith("]") and '"' not in text and "{" not in text:
        return [_value(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    try:
        return WORDS[text.lower()] if text.lower() in WORDS else json.loads(text)
    except ValueError:
        return text


def refuse(line: Line, what: str, column: int = 0) -> NoReturn:
    """Say where a file has something that is not understood."""
    place = f"line {line.number + 1}, column {column or line.indent + 1}"
    raise InvalidInputError(
        f"{place}: {what}", "write it in block style, or paste what --print shows"
    )
