"""Read the front matter of a note: the part of YAML that people and tools use there.

A field is a text or a list: in brackets, with hyphens, or between commas (`words`). Nested fields
are ignored. `fields_of` tells the lines of a field, so that a writer changes no others."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

# A blank line after the first line means a horizontal rule.
FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(?![ \t\r]*\n)((?:(?!##[ \t])[^\n]*\n)*?)---[ \t]*\r?(?:\n|\Z)"
)
LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
ITEM = re.compile(r"([ \t]*-[ \t]+)([^\n]*?)\r?\n")
NOTHING = ("", "null", "~")
_SINGLE, _DOUBLE = r"'(?:[^']|'')*+'", r"\"(?:[^\"\\]|\\.)*+\""
_QUOTED = f"{_SINGLE}|{_DOUBLE}"
_LABEL = re.compile(r"([^\W\d][\w -]*?)[ \t]*:(?=\s)")
_CONTINUATION = re.compile(r"[ \t]|-(?=\s)|#|\r?\n")
_EMPTY = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_COMPLETE = re.compile(rf"(?:{_QUOTED}|\[(?!\[)(?:{_QUOTED}|[^\]\"'])*\])(?=[ \t]*(?:\Z|#))")
_COMMENT = re.compile(r"(?:^|[ \t])#(?:[ \t]|\Z)")
_PART = re.compile(rf"(?:{_QUOTED}|[^,])+")

Value = str | list[str]


class ParsedNote(NamedTuple):
    """The fields of a note, its text, and the line numbers of invalid front matter."""

    fields: dict[str, Value]
    body: str
    odd: tuple[int, ...] = ()


class Field(NamedTuple):
    """A field with the number of its first line and of the line behind its last, from 0."""

    name: str
    first: int
    last: int


def front_matter(text: str) -> str:
    """Return the front matter of a note, or an empty text."""
    block = FRONT_MATTER.match(text)
    return block[0] if block else ""


def parse_note(text: str) -> ParsedNote:
    """Return the fields (texts, and lists in both notations) and the text of a note."""
    block = FRONT_MATTER.match(text)
    if block is None:
        return ParsedNote({}, text)
    lines = LINE.findall(block[1].replace("\r\n", "\n"))
    fields, odd = fields_of(lines)
    values = {name: _value(lines[first], lines[first + 1 : last]) for name, first, last in fields}
    return ParsedNote(values, text[block.end() :], tuple(number + 2 for number in odd))


def fields_of(lines: Sequence[str]) -> tuple[list[Field], list[int]]:
    """Return the fields in the lines of front matter, and the numbers of invalid lines."""
    fields: list[Field] = []
    odd: list[int] = []
    for number, line in enumerate(lines):
        if label := _LABEL.match(line):
            fields.append(Field(label[1].lower(), number, number + 1))
        elif not _CONTINUATION.match(line) or (line[0] == "-" and not fields):
            odd.append(number)
        elif fields and not _EMPTY.fullmatch(line):
            fields[-1] = fields[-1]._replace(last=number + 1)
    return fields, odd


def words(value: Value | None) -> list[str]:
    """Return a field as a list; a text is split at its commas."""
    parts = value if isinstance(value, list) else (value or "").split(",")
    return [" ".join(part.split()) for part in parts if part.strip()]


def raw_value(line: str) -> str:
    """Return the value behind the colon as it is written, without a comment."""
    return _without_comment(line.partition(":")[2])


def raw_items(line: str, more: Sequence[str]) -> list[str] | None:
    """Return the items of a list as they are written; None if the value is a text."""
    value = raw_value(line)
    if value in NOTHING:
        return [item[2] for line in more if (item := ITEM.fullmatch(line))] or None
    if not value.startswith("[") or value.startswith("[["):
        return None
    joined = " ".join([value, *map(_without_comment, more)]).strip()
    return [part.strip() for part in _PART.findall(joined[1:].removesuffix("]")) if part.strip()]


def unquoted(value: str) -> str:
    """Return a value as the text that it means."""
    value = _without_comment(value)
    if re.fullmatch(_SINGLE, value):
        return value[1:-1].replace("''", "'")
    if re.fullmatch(_DOUBLE, value):
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value


def _value(line: str, more: Sequence[str]) -> Value:
    items = raw_items(line, more)
    if items is not None:
        return [unquoted(item) for item in items]
    value = raw_value(line)
    return "" if value in NOTHING else unquoted(value)


def _without_comment(value: str) -> str:
    value = value.strip()
    complete = _COMPLETE.match(value)
    return complete[0] if complete else _COMMENT.split(value, maxsplit=1)[0].strip()
