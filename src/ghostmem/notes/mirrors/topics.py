"""The layout of topics: each file `.ai-knowledge/<topic>.mdk` is a unit, listed in an index."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from ghostmem.clock import as_time
from ghostmem.errors import InvalidInputError
from ghostmem.notes import topic_files
from ghostmem.notes.files import inside
from ghostmem.notes.knowledge import FOLDER, INDEX, SUFFIX
from ghostmem.notes.layouts import read_topic
from ghostmem.notes.mirrors.units import (
    CRLF,
    LF,
    UNSAFE,
    MirrorLayout,
    Unit,
    UnitEdit,
    eol_of,
    first_eol,
    line,
    of_line,
    read_region,
    stem,
    write_region,
)
from ghostmem.text.frontmatter import LINE, front_matter, raw_value, unquoted

INDEX_FILE = f"{INDEX}{SUFFIX}"
_NOT_PLAIN = tuple(">|[{&*!")


class IndexEntry(NamedTuple):
    """The wanted entry of a topic in the index, and the summary that the mirror wrote last."""

    name: str
    summary: str
    about: str


def stem_of(path: str) -> str:
    """Return the name of a topic's file, which is also its name in the index."""
    return path.removesuffix(SUFFIX)


def update_index(
    text: str, entries: Iterable[IndexEntry], gone: Iterable[str]
) -> tuple[str, dict[str, str]]:
    """Return an index with these topics and without the `gone` ones, and the mirror's summaries.

    Summaries that a person wrote stay, and so does everything else.

    Raises:
        InvalidInputError: the new text would not be read back correctly."""
    entries = list(entries)
    for name in set(gone) - {entry.name for entry in entries}:
        text = topic_files.without_entry(text, name)
    summaries, written = _summaries(text), dict[str, str]()
    for entry in entries:
        summary = summaries.get(entry.name)
        if summary in (None, entry.summary, entry.about):
            written[entry.name] = entry.summary
        if summary == entry.about != entry.summary:
            listed = next(topic for topic in topic_files.entries(text) if topic.topic == entry.name)
            text = topic_files.with_summary(text, listed, entry.summary)
    new = {entry.name: entry.summary for entry in entries if entry.name not in summaries}
    text = topic_files.with_entries(text, new) if new else text
    if _summaries(text) != {**summaries, **written}:
        raise InvalidInputError(UNSAFE)
    return text, written


def _summaries(text: str) -> dict[str, str]:
    return {
        entry.topic: " ".join(text[entry.after : entry.end].split())
        for entry in topic_files.entries(text)
    }


def _read(path: str, text: str) -> list[Unit]:
    head, region = _split(text)
    topic = topic_files.read_topic(head.replace(CRLF, LF))
    key = _key_in(head) or of_line(stem_of(path))
    if key is None:
        return []
    body = read_region(region, _eol(head, text))
    return [Unit(key, path, 0, body, tuple(topic.tags), _time(topic.updated))]


def _edit(_: str, text: str, edits: Sequence[UnitEdit], strict: bool) -> str:
    (edit,) = edits
    if edit.text is None:
        return ""
    head, region = _split(text)
    name = line(edit.key)
    if not text or (strict and not head):
        return topic_files.new_topic(name, edit.tags, edit.at, edit.text)
    new_head = head.replace(CRLF, LF)
    old_tags = {topic_files.folded(tag): tag for tag in topic_files.read_topic(new_head).tags}
    wanted = {topic_files.folded(tag) for tag in edit.tags}
    add = [tag for tag in edit.tags if topic_files.folded(tag) not in old_tags]
    remove = [tag for folded, tag in old_tags.items() if folded not in wanted]
    eol = _eol(head, text)
    if head or add:
        new_head = topic_files.refined_topic(new_head, name, edit.at, add, remove)
        new_head = new_head if new_head.endswith("\n") else f"{new_head}\n"
    if new_head and not head:  # new front matter ends with an empty line
        new_head, region = new_head.removesuffix("\n"), eol + region
    return (
        write_region(new_head.replace(LF, eol), region, edit.text)
        if new_head
        else write_region(eol, text, edit.text).removeprefix(eol)
    )


def _rename(text: str, _: int, key: str) -> str:
    head, region = _split(text)
    eol = _eol(head, text)
    field = f"topic: {topic_files.scalar(line(key))}"
    if not head:
        return f"---{eol}{field}{eol}---{eol}{eol}{text}"
    lines = LINE.findall(head)
    topic = topic_files.last_field(lines[1:-1], "topic")
    if topic is None:
        lines.insert(1, f"{field}{eol}")
    else:
        lines[1 + topic.first] = field + eol_of(lines[1 + topic.first])
    return "".join(lines) + region


def _split(text: str) -> tuple[str, str]:
    head = front_matter(text)
    return head, text[len(head) :]


def _eol(head: str, text: str) -> str:
    return eol_of(head) if head else first_eol(text)


def _key_in(head: str) -> str | None:
    lines = LINE.findall(head)[1:-1]
    field = topic_files.last_field(lines, "topic")
    value = raw_value(lines[field.first]) if field else ""
    return None if value.startswith(_NOT_PLAIN) else of_line(unquoted(value))


def _time(text: str) -> datetime | None:
    with suppress(InvalidInputError):
        return as_time(text) if text else None
    return None


TOPICS = MirrorLayout(
    "topics",
    "a topic file for each memory in .ai-knowledge/, and their index",
    lambda root: root.name == FOLDER or (root / FOLDER).is_dir(),
    lambda path: path.endswith(SUFFIX) and stem_of(path).casefold() != INDEX,
    read_topic,
    lambda _: False,
    home=lambda root: root if root.name == FOLDER else inside(root, FOLDER),
    is_single=True,
    units=_read,
    edit=_edit,
    rename=_rename,
    place=lambda key, _, __, taken: f"{stem(key, taken)}{SUFFIX}",
)
