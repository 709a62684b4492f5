"""Read the front matter of a note: the part of YAML that people and tools use there."""

import re
from typing import NamedTuple

# a blank line after the first line means a horizontal rule
_BLOCK = re.compile(r"---[ \t]*\r?\n(?![ \t\r]*\n)((?:(?!##)[^\n]*\n)*?)---[ \t]*\r?(?:\n|\Z)")
_PART = re.compile(r"""\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)\s*""")  # of a list in brackets
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=[ \t]*(?:\Z|#))""")
_BRACKETS = re.compile(
    r"""\[(?!\[)(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\]"'])*\](?=[ \t]*(?:\Z|#))"""
)
_COMMENT = re.compile(r"(?:^|[ \t])#[ \t]")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")

Value = str | list[str]


class ParsedNote(NamedTuple):
    """The fields of a note, its text, and the line numbers of invalid front matter."""

    fields: dict[str, Value]
    body: str
    odd: tuple[int, ...] = ()


def parse_note(text: str) -> ParsedNote:
    """Return the fields (texts, and lists in both notations) and the text of a note."""
    block = _BLOCK.match(text)
    if block is None:
        return ParsedNote({}, text)
    fields: dict[str, Value] = {}
    odd: list[int] = []
    name = ""
    for number, line in enumerate(block[1].replace("\r\n", "\n").split("\n"), 2):
        item = _ITEM.fullmatch(line)
        label, colon, rest = line.partition(":")
        if item is not None and name:
            before = fields[name]
            fields[name] = [
                *(before if isinstance(before, list) else [before] if before else []),
                _word(_without_comment(item[1])),
            ]
        elif line[:1] in " \t" and line.strip():
            continue  # a nested field
        elif (
            colon
            and rest[:1].strip() == ""
            and label.rstrip().replace(" ", "_").replace("-", "_").isidentifier()
        ):
            name = label.strip().lower()
            fields[name] = _value(_without_comment(rest))
        elif line.strip() and not line.lstrip().startswith("#"):
            odd.append(number)
    return ParsedNote(fields, text[block.end() :], tuple(odd))


def words(value: Value | None) -> list[str]:
    """Return a field as a list; a text is split at its commas."""
    parts = value if isinstance(value, list) else (value or "").split(",")
    return [" ".join(part.split()) for part in parts if part.strip()]


def _without_comment(text: str) -> str:
    """Return a value without the comment after it."""
    text = text.strip()
    value = _QUOTED.match(text) or _BRACKETS.match(text)
    return value[0] if value else _COMMENT.split(text, maxsplit=1)[0].strip()


def _value(text: str) -> Value:
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [_word(part) for part in _PART.findall(text[1:-1]) if part.strip()]
    return _word(text)


def _word(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'") if text[0] == "'" else text[1:-1].replace('\\"', '"')
    return text
