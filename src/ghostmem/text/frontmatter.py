"""The few lines of YAML that open a note, as far as people and tools write them there."""

import re
from typing import NamedTuple

_BLOCK = re.compile(
    r"---[ \t]*\r?\n(?![ \t\r]*\n)((?:(?!##)[^\n]*\n)*?)---[ \t]*\r?(?:\n|\Z)"
)  # else it is a line across
_PART = re.compile(r"""\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)\s*""")  # of a list in brackets
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=[ \t]*(?:\Z|#))""")
_BRACKETS = re.compile(
    r"""\[(?!\[)(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\]"'])*\](?=[ \t]*(?:\Z|#))"""
)
_COMMENT = re.compile(r"(?:^|[ \t])#[ \t]")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")

Value = str | list[str]


class Note(NamedTuple):
    """A note taken apart: its fields, its text, and the lines of the front matter that were not
    understood.
    """

    fields: dict[str, Value]
    body: str
    odd: tuple[int, ...] = ()


def take_apart(text: str) -> Note:
    """Read the fields in front of a note: words, and lists of words in either way of
    writing them.
    """
    found = _BLOCK.match(text)
    if found is None:
        return Note({}, text)
    fields: dict[str, Value] = {}
    odd: list[int] = []
    name = ""
    for number, line in enumerate(found[1].replace("\r\n", "\n").split("\n"), 2):
        item = _ITEM.fullmatch(line)
        label, colon, rest = line.partition(":")
        if item is not None and name:
            before = fields[name]
            fields[name] = [
                *(before if isinstance(before, list) else [before] if before else []),
                _word(_said(item[1])),
            ]
        elif line[:1] in " \t" and line.strip():
            continue  # a field of a field
        elif (
            colon
            and rest[:1].strip() == ""
            and label.rstrip().replace(" ", "_").replace("-", "_").isidentifier()
        ):
            name = label.strip().lower()
            fields[name] = _value(_said(rest))
        elif line.strip() and not line.lstrip().startswith("#"):
            odd.append(number)
    return Note(fields, text[found.end() :], tuple(odd))


def words(value: Value | None) -> list[str]:
    """Return a field as a list: one that is a text is split at its commas."""
    parts = value if isinstance(value, list) else (value or "").split(",")
    return [" ".join(part.split()) for part in parts if part.strip()]


def _said(text: str) -> str:
    """Return a value without the comment behind it."""
    text = text.strip()
    found = _QUOTED.match(text) or _BRACKETS.match(text)
    return found[0] if found else _COMMENT.split(text, maxsplit=1)[0].strip()


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_word(part) for part in _PART.findall(text[1:-1]) if part.strip()]
    return _word(text)


def _word(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"')
    return text
