"""Read and edit the file of a topic, front matter and markdown, line by line."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

_SINGLE, _DOUBLE = r"'(?:[^']|'')*+'", r"\"(?:[^\"\\]|\\.)*+\""
_QUOTED = f"{_SINGLE}|{_DOUBLE}"
_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n")
_GOES_ON = re.compile(r"[ \t]|-(?=\s)|#|\r?\n")
_EMPTY = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n")
_ITEM = re.compile(r"([ \t]*-[ \t]+)([^\n]*?)\r?\n")
_WHOLE = re.compile(rf"(?:{_QUOTED})|\[(?:{_QUOTED}|[^\]'\"])*\]")
_COMMENT = re.compile(r"(?:\A|(?<=\s))#")
_PLAIN = re.compile(r"[^\W\d_][\w./+@-]*(?: [\w./+@-]+)*")
_NOTHING = ("", "null", "~")
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
    front = _FRONT.match(text)
    lines = _LINE.findall(front[1]) if front else []
    span = _field(lines, "last_updated")
    updated = _unquoted(_value(lines[span[0]])[1]) if span else ""
    return Topic(_tags(lines), updated, trimmed(text[front.end() :] if front else text))


def refined_topic(
    text: str,
    topic: str,
    at: datetime,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    content: str | None = None,
) -> str:
    """Return a topic file with changed tags, a new time and optionally a new content."""
    front = _FRONT.match(text)
    if front is None:
        return _front(topic, add, at) + (text if content is None else f"{content}\n")
    lines = _dated(_retagged(_LINE.findall(front[1]), add, {folded(tag) for tag in remove}), at)
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


def _field(lines: Sequence[str], name: str) -> tuple[int, int] | None:
    """Return the first line of a field and the line behind its last."""
    key = re.compile(rf"{name}[ \t]*:(?=\s)", re.IGNORECASE)
    first = next(
        (number for number in reversed(range(len(lines))) if key.match(lines[number])), None
    )
    if first is None:
        return None
    last = first + 1
    while last < len(lines) and _GOES_ON.match(lines[last]):
        last += 1
    while last > first + 1 and _EMPTY.fullmatch(lines[last - 1]):
        last -= 1
    return first, last


def _tags(lines: Sequence[str]) -> list[str]:
    span = _field(lines, "tags")
    parts = _parts(lines[span[0]], lines[span[0] + 1 : span[1]]) if span else []
    return [tag for part in parts if (tag := " ".join(_unquoted(part).split()))]


def _parts(own: str, more: Sequence[str]) -> list[str]:
    """Return the written tags of a list on one line, on several lines, or between commas."""
    value = _value(own)[1]
    if value in _NOTHING:
        return [item[2] for line in more if (item := _ITEM.fullmatch(line))]
    if not value.startswith("["):
        return value.split(",")
    inside = (
        " ".join([value, *map(_without_comment, more)]).strip().removeprefix("[").removesuffix("]")
    )
    return re.findall(rf"(?:{_QUOTED}|[^,])+", inside)


def _retagged(lines: list[str], add: Sequence[str], remove: set[str]) -> list[str]:
    """Return front matter with tags added and removed; lines of other tags stay unchanged."""
    had = _tags(lines)
    known = {folded(tag) for tag in had}
    add = [tag for tag in add if folded(tag) not in known]
    kept = [tag for tag in had if folded(tag) not in remove]
    if len(kept) == len(had) and not add:
        return lines
    span = _field(lines, "tags")
    if span is None:
        topic = _field(lines, "topic")
        at = topic[1] if topic else 0
        return [*lines[:at], _tag_field(add), *lines[at:]]
    own, *more = lines[span[0] : span[1]]
    return [*lines[: span[0]], *_retagged_field(own, more, add, remove), *lines[span[1] :]]


def _retagged_field(own: str, more: list[str], add: Sequence[str], remove: set[str]) -> list[str]:
    """Return the lines of the field of tags; a list keeps its form, on one line or several."""
    key, value, rest = _value(own)
    had = [part.strip() for part in _parts(own, more) if part.strip()]
    kept = [part for part in had if folded(_unquoted(part)) not in remove]
    if had and value not in _NOTHING:
        return [f"{key} [{', '.join([*kept, *map(scalar, add)])}]{rest}"]
    if not kept and not add:
        own = f"{key} []{rest}"
    elif value:
        own = f"{key}{rest}"
    items = [(line, _ITEM.fullmatch(line)) for line in more] if value in _NOTHING else []
    dash = next((item[1] for _, item in items if item), "  - ")
    left = [line for line, item in items if not (item and folded(_unquoted(item[2])) in remove)]
    return [own, *left, *_items(dash, add)]


def _dated(lines: list[str], at: datetime) -> list[str]:
    span = _field(lines, "last_updated")
    if span is None:
        return [*lines, f"last_updated: {stamp(at)}\n"]
    key, _, rest = _value(lines[span[0]])
    return [*lines[: span[0]], f"{key} {stamp(at)}{rest}", *lines[span[0] + 1 :]]


def _value(line: str) -> tuple[str, str, str]:
    """Return the key with the colon, the value, and the rest of a line of front matter."""
    key, colon, rest = line.partition(":")
    value = _without_comment(rest)
    return key + colon, value, rest[rest.find(value) + len(value) :]


def _without_comment(value: str) -> str:
    value = value.strip()
    whole = _WHOLE.match(value)
    comment = _COMMENT.search(value, whole.end() if whole else 0)
    return value[: comment.start()].strip() if comment else value


def _unquoted(value: str) -> str:
    value = _without_comment(value)
    if re.fullmatch(_SINGLE, value):
        return value[1:-1].replace("''", "'")
    if re.fullmatch(_DOUBLE, value):
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value
