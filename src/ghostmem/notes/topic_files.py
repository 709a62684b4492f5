"""Read and edit the files of a knowledge folder: a topic (front matter and text), and the index.

The section of general knowledge ends at the next heading of its level or, if its text has such
headings, at a mark behind it. The text below `### topic` up to the next heading or rule is the
summary of the topic."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ghostmem.text.blocks import BlockKind, blocks, line_end
from ghostmem.text.frontmatter import (
    FRONT_MATTER,
    ITEM,
    LINE,
    NOTHING,
    Field,
    fields_of,
    front_matter,
    parse_note,
    raw_items,
    raw_value,
    unquoted,
    words,
)
from ghostmem.text.sections import marked_lines

_PLAIN = re.compile(r"[^\W\d_][\w./+@-]*(?: [\w./+@-]+)*")
_YAML_WORDS = frozenset("true false yes no on off y n null".split())


class Topic(NamedTuple):
    """The parts of a topic file."""

    tags: list[str]
    updated: str
    body: str


def stamp(updated: datetime) -> str:
    """Return a time in the format of topic files."""
    return updated.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


def new_topic(topic: str, tags: Sequence[str], updated: datetime, content: str) -> str:
    """Return the text of a new topic file."""
    return f"{_front(topic, tags, updated)}{content}\n"


def read_topic(text: str) -> Topic:
    """Return the parts of a topic file."""
    note = parse_note(text)
    updated = note.fields.get("last_updated", "")
    tags = words(note.fields.get("tags"))
    return Topic(tags, updated if isinstance(updated, str) else "", trimmed(note.body))


def refined_topic(
    text: str,
    topic: str,
    updated: datetime,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    content: str | None = None,
) -> str:
    """Return a topic file with changed tags, a new time and optionally a new content."""
    front = FRONT_MATTER.match(text)
    if front is None:
        return _front(topic, add, updated) + (text if content is None else f"{content}\n")
    lines = _dated(_retagged(LINE.findall(front[1]), add, {folded(tag) for tag in remove}), updated)
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
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _YAML_WORDS
    return text if is_plain else "'" + text.replace("'", "''") + "'"


def _front(topic: str, tags: Sequence[str], updated: datetime) -> str:
    return f"---\ntopic: {scalar(topic)}\n{_tag_field(tags)}last_updated: {stamp(updated)}\n---\n\n"


def _tag_field(tags: Sequence[str]) -> str:
    items = "".join(f"  - {scalar(tag)}\n" for tag in tags)
    return f"tags:\n{items}" if tags else "tags: []\n"


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
        first_line = f"{key} []{behind}" if not stay and not add else f"{key}{behind}"
        dash = next((item[1] for line in more if (item := ITEM.fullmatch(line))), "  - ")
        unchanged = [line for line in more if value in NOTHING and not _is_item_of(line, remove)]
        field_lines = [first_line, *unchanged, *(f"{dash}{scalar(tag)}\n" for tag in add)]
    return [*lines[: field.first], *field_lines, *lines[field.last :]]


def _is_item_of(line: str, tags: set[str]) -> bool:
    item = ITEM.fullmatch(line)
    return item is not None and folded(unquoted(item[2])) in tags


def _dated(lines: list[str], updated: datetime) -> list[str]:
    field = last_field(lines, "last_updated")
    if field is None:
        return [*lines, f"last_updated: {stamp(updated)}\n"]
    line = lines[field.first]
    key, behind = _around(line, raw_value(line))
    return [*lines[: field.first], f"{key} {stamp(updated)}{behind}", *lines[field.first + 1 :]]


def _around(line: str, value: str) -> tuple[str, str]:
    """Return the key with its colon, and the text behind the value of a line of front matter."""
    key, colon, text = line.partition(":")
    return key + colon, text[text.find(value) + len(value) :]


GENERAL = "General Project Knowledge"
SPECIAL = "Specialized Knowledge"
MARK = f"<!-- end of {GENERAL} -->"
_GENERAL, _SPECIAL = GENERAL.casefold(), SPECIAL.casefold()
_MAX_SUMMARY = 200  # characters of a generated summary
# A heading, a fence or the mark has one of these.
_CANDIDATE = re.compile(r"^[^\n]*?(?:#|`{3}|~{3}|knowledge)", re.IGNORECASE | re.MULTILINE)
_TOP = re.compile(r"^ {0,3}#{1,2}(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_ENTRY = re.compile(r"^ {0,3}###(?:[ \t]([^\n]*))?\r?$", re.MULTILINE)
_RULE = re.compile(r"(?<=\n\n) {0,3}([-*_])(?:[ \t]*\1){2,}[ \t\r]*$", re.MULTILINE)
_ANY_HEADING = re.compile(r"[ \t>*+-]*+(?:\d++[.)][ \t]*+)?#+(.*)")
_UNDERLINE = re.compile(r"[ \t>]*(?:=+|-+)[ \t\r]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"(?:\A|(?<=[ \t]))#+\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MISREAD = re.compile(r"((?:(?:[-*+>]|\d{1,9}[.)]) )*)(#|`{3}|~{3}|([-*_=])(?: ?\3)*\Z)")
_SENTENCE = re.compile(r".+?(?:[.!?…](?=\s|\Z)|[。！？])", re.DOTALL)


class Heading(NamedTuple):
    """A heading of the first two levels or the mark: its offset, the next line, and its words."""

    start: int
    after: int
    name: str


class TopicEntry(NamedTuple):
    """A topic in the index, with the offsets of its heading, its summary and the text behind."""

    topic: str
    start: int
    after: int
    end: int


def entries(text: str) -> list[TopicEntry]:
    """Return the topics of an index in order."""
    topics = []
    for _, after, end in _special_sections(text):
        starts = list(_ENTRY.finditer(text, after, end))
        ends = [*(entry.start() for entry in starts[1:]), end]
        for entry, stop in zip(starts, ends, strict=False):
            rule = _RULE.search(text, entry.end(), stop)
            words = _CLOSING_HASHES.sub("", (entry[1] or "").strip()).strip()
            name, body = _ESCAPED.sub(r"\1", words), line_end(text, entry.start()) + 1
            topics.append(TopicEntry(name, entry.start(), body, rule.start() if rule else stop))
    return topics


def with_entries(text: str, summaries: Mapping[str, str]) -> str:
    """Return an index with topics added behind the others, each with its summary."""
    escaped = {_CLOSING_HASHES.sub(r"\\\g<0>", topic): topic for topic in summaries}
    new = "\n".join(f"### {name}\n\n{summaries[topic]}\n" for name, topic in escaped.items())
    sections = _special_sections(text)
    if not sections:
        return f"{_spaced(text)}## {SPECIAL}\n\n{new}"
    end = sections[-1][2]
    return _spaced(text[:end]) + new + ("\n" if text[end:] else "") + text[end:]


def with_summary(text: str, entry: TopicEntry, summary: str) -> str:
    """Return an index with a new summary for a topic."""
    following = text[entry.end :]
    return f"{_ended(text[: entry.after])}\n{summary}\n" + ("\n" if following else "") + following


def without_entry(text: str, topic: str) -> str:
    """Return an index without a topic."""
    for entry in reversed(entries(text)):
        if entry.topic == topic:
            before, following = text[: entry.start], text[entry.end :]
            # At the end, the line before the entry is the last, with its own white space.
            last = before.find("\n", len(before.rstrip())) + 1
            text = before + following if following else before[:last]
    return text


def with_general(text: str, content: str) -> str:
    """Return an index with new general knowledge, ended by a mark if it could be misread."""
    plain = _with_general(text, f"{content}\n")
    return (
        plain
        if general_text(plain) == content and not has_special_heading(content, fenced=True)
        else _with_general(text, f"{content}\n\n{MARK}\n")
    )


def general_text(text: str) -> str:
    """Return the general knowledge of an index."""
    section = _general_section(text)
    return trimmed(text[slice(*section)].rstrip().removesuffix(MARK)) if section else ""


def is_marked(text: str) -> bool:
    """Say whether the general knowledge of an index ends with a mark."""
    section = _general_section(text)
    return section is not None and text[: section[1]].rstrip().endswith(MARK)


def without_own_heading(content: str) -> str:
    """Return general knowledge without the heading of its section, if it has one."""
    first = next(_headings(content), None)
    is_own = first and first.name == _GENERAL and not content[: first.start].strip()
    return content[first.after :] if first and is_own else content


def open_fence(text: str) -> str:
    """Return the line of a code fence that is never closed, or an empty text."""
    lines = marked_lines(text, _CANDIDATE)
    return next((text[mark.start : mark.end].strip() for mark in lines if mark.is_open), "")


def has_special_heading(text: str, fenced: bool = False) -> bool:
    """Say whether a text has a heading `Specialized Knowledge`; `fenced` includes code fences."""
    starts = (match.start() for match in _CANDIDATE.finditer(text))
    unfenced = (mark.start for mark in marked_lines(text, _CANDIDATE))
    return any(_is_special(text, line) for line in (starts if fenced else unfenced))


def summary_line(summary: str) -> str:
    """Return a summary as one line that markdown reads as a paragraph."""
    line = " ".join(summary.split())
    misread = _MISREAD.match(line)
    return f"{misread[1]}\\{line[misread.end(1) :]}" if misread else line


def first_sentence(body: str, topic: str) -> str:
    """Return the first sentence of a topic's text, or its name."""
    prose = next(
        (
            body[block.start : block.stop]
            for block in blocks(body)
            if block.kind in (BlockKind.PROSE, BlockKind.LIST)
        ),
        topic,
    )
    prose = " ".join(prose.split())
    sentence = _SENTENCE.match(prose)
    return summary_line((sentence[0] if sentence else prose)[:_MAX_SUMMARY])


def _with_general(text: str, body: str) -> str:
    section = _general_section(text)
    if section is None:
        front = front_matter(text)
        head, below = f"{_spaced(front)}## {GENERAL}\n", text[len(front) :]
    else:
        head, below = _ended(text[: section[0]]), text[section[1] :]
    blank = "\n" if below.partition("\n")[0].strip() else ""
    return f"{head}\n{body}{blank}{below}"


def _general_section(text: str) -> tuple[int, int] | None:
    """Return the offsets of the general knowledge and of the text behind it."""
    headings = list(_headings(text))
    first = next((heading for heading in headings if heading.name == _GENERAL), None)
    if first is None:
        return None
    later = [heading for heading in headings if heading.start > first.start]
    special = next((heading.start for heading in later if heading.name == _SPECIAL), len(text))
    ends = [mark.after for mark in later if mark.name == MARK and mark.start < special]
    following = next((heading.start for heading in later if heading.name != MARK), len(text))
    return first.after, ends[-1] if ends else following


def _headings(text: str) -> Iterator[Heading]:
    """Yield headings and marks outside code fences.

    Among the topics a fence hides nothing, so that no topic gets lost."""
    start: int | None = 0
    while start is not None:
        following = None
        for mark in marked_lines(text, _CANDIDATE, start):
            heading = _heading(text, mark.start, mark.end)
            if heading is not None:
                yield heading
            if heading is not None and heading.name == _SPECIAL:
                following = _TOP.search(text, heading.after)
                break
        start = following.start() if following else None


def _heading(text: str, line: int, end: int) -> Heading | None:
    heading = _TOP.match(text, line)
    if heading is not None:
        return Heading(line, end + 1, _words(_CLOSING_HASHES.sub("", (heading[1] or "").strip())))
    words = _words(text[line:end])
    if words in (_GENERAL, _SPECIAL) and _UNDERLINE.match(text, end + 1):
        return Heading(line, line_end(text, end + 1) + 1, words)
    return Heading(line, end + 1, MARK) if text[line:end].strip() == MARK else None


def _special_sections(text: str) -> list[tuple[int, int, int]]:
    headings = [heading for heading in _headings(text) if heading.name != MARK]
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    return [
        (heading.start, heading.after, end)
        for heading, end in zip(headings, ends, strict=False)
        if heading.name == _SPECIAL
    ]


def _is_special(text: str, line: int) -> bool:
    end = line_end(text, line)
    line_text = text[line:end]
    heading = _ANY_HEADING.match(line_text)
    if heading and _words(heading[1].rstrip("# \t\r")) == _SPECIAL:
        return True
    return (
        _words(line_text.lstrip(" \t>*+-")) == _SPECIAL
        and _UNDERLINE.match(text, end + 1) is not None
    )


def _words(heading: str) -> str:
    return " ".join(heading.strip(" \t\r*_`:").split()).casefold()


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _spaced(text: str) -> str:
    """Return a text that ends with an empty line, unless it is empty."""
    text = _ended(text)
    return text if not text or re.search(r"(?:\A|\n)[ \t\r]*\n\Z", text) else f"{text}\n"
