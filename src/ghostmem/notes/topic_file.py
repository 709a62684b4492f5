"""Read and edit the file of a topic, front matter and markdown, line by line."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ghostmem.text.frontmatter import (
    FRONT_MATTER,
    ITEM,
    LINE,
    NOTHING,
    Field,
    fields_of,
    parse_note,
    raw_items,
    raw_value,
    unquoted,
    words,
)

_PLAIN = re.compile(r"[^\W\d_][\w./+@-]*(?: [\w./+@-]+)*")
_YAML_WORDS = frozenset("true false yes no on off y n null".split())


class Topic(NamedTuple):
    """The parts of a topic file."""

    tags: list[str]
    updated: str
    body: str


def stamp(at: datetime) -> str:
    """Return a time in the format of topic files."""
    return at.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


def new_topic(topic: str, tags: Sequence[str], at: datetime, content: str) -> str:
    """Return the text of a new topic file."""
    return f"{_front(topic, tags, at)}{content}\n"


def read_topic(text: str) -> Topic:
    """Return the parts of a topic file."""
    note = parse_note(text)
    updated = note.fields.get("last_updated", "")
    tags = words(note.fields.get("tags"))
    return Topic(tags, updated if isinstance(updated, str) else "", trimmed(note.body))


def refined_topic(
    text: str,
    topic: str,
    at: datetime,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    content: str | None = None,
) -> str:
    """Return a topic file with changed tags, a new time and optionally a new content."""
    front = FRONT_MATTER.match(text)
    if front is None:
        return _front(topic, add, at) + (text if content is None else f"{content}\n")
    lines = _dated(_retagged(LINE.findall(front[1]), add, {folded(tag) for tag in remove}), at)
    head = text[: front.start(1)] + "".join(lines) + text[front.end(1) : front.end()]
    body = text[front.end() :]
    if content is not None:
        gap = re.match(r"(?:[ \t\r]*\n)*", body)
        body = (gap[0] if gap and gap[0] else "\n") + f"{content}\n"
    return (head if head.endswith("\n") or not body else f"{head}\n") + body


def trimmed(content: str) -> str:
    """Return a text without empty lines at its start and white space at its end."""
    return re.sub(r"\A(?:[^\S\n]*\n)+", "", content).rstrip()


def folded(tag: str) -> str:
    """Return a tag in the form in which tags are compared."""
    return " ".join(tag.split()).casefold()


def scalar(text: str) -> str:
    """Return a text as a YAML value, quoted if necessary."""
    if _PLAIN.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return text
    return "'" + text.replace("'", "''") + "'"


def _front(topic: str, tags: Sequence[str], at: datetime) -> str:
    return f"---\ntopic: {scalar(topic)}\n{_tag_field(tags)}last_updated: {stamp(at)}\n---\n\n"


def _tag_field(tags: Sequence[str]) -> str:
    return "".join(["tags:\n", *_items("  - ", tags)]) if tags else "tags: []\n"


def _items(dash: str, tags: Sequence[str]) -> list[str]:
    return [f"{dash}{scalar(tag)}\n" for tag in tags]


def last_field(lines: Sequence[str], name: str) -> Field | None:
    """Return the field with a name that counts, which is the last."""
    return next((field for field in reversed(fields_of(lines)[0]) if field.name == name), None)


def _retagged(lines: list[str], add: Sequence[str], remove: set[str]) -> list[str]:
    """Return front matter with tags added and removed; lines of other tags stay unchanged."""
    field = last_field(lines, "tags")
    if field is None:
        topic = last_field(lines, "topic")
        place = topic.last if topic else 0
        return [*lines[:place], *([_tag_field(add)] if add else []), *lines[place:]]
    first, *more = lines[field.first : field.last]
    value, items = raw_value(first), raw_items(first, more)
    parts = [part.strip() for part in value.split(",")] if items is None else items
    tags = {folded(unquoted(part)): part for part in parts}
    add = [tag for tag in add if folded(tag) not in tags]
    if not add and not remove & tags.keys():
        return lines
    stay = [part for part in parts if part and folded(unquoted(part)) not in remove]
    key, behind = _around(first, value)
    if value not in NOTHING and any(parts):
        field_lines = [f"{key} [{', '.join([*stay, *map(scalar, add)])}]{behind}"]
    else:
        own = f"{key} []{behind}" if not stay and not add else f"{key}{behind}"
        dash = next((item[1] for line in more if (item := ITEM.fullmatch(line))), "  - ")
        left = [line for line in more if value in NOTHING and not _is_item_of(line, remove)]
        field_lines = [own, *left, *_items(dash, add)]
    return [*lines[: field.first], *field_lines, *lines[field.last :]]


def _is_item_of(line: str, tags: set[str]) -> bool:
    item = ITEM.fullmatch(line)
    return item is not None and folded(unquoted(item[2])) in tags


def _dated(lines: list[str], at: datetime) -> list[str]:
    field = last_field(lines, "last_updated")
    if field is None:
        return [*lines, f"last_updated: {stamp(at)}\n"]
    line = lines[field.first]
    key, behind = _around(line, raw_value(line))
    return [*lines[: field.first], f"{key} {stamp(at)}{behind}", *lines[field.first + 1 :]]


def _around(line: str, value: str) -> tuple[str, str]:
    """Return the key with its colon, and the text behind the value of a line of front matter."""
    key, colon, text = line.partition(":")
    return key + colon, text[text.find(value) + len(value) :]
