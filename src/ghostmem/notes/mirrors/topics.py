"""Topic files as units: `.ai-knowledge/<topic>.mdk` with its key and tags in the fields that it
opens with, and their index.
"""

import json
import os
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.clock import parse_time
from ghostmem.errors import InvalidInputError
from ghostmem.notes import index_file, topic_file
from ghostmem.notes.knowledge import FOLDER, INDEX, SUFFIX
from ghostmem.notes.mirrors.base import (
    CRLF,
    LF,
    Change,
    Shape,
    Unit,
    Wish,
    eol_of,
    first_eol,
    front_end,
    put_in,
    said,
)
from ghostmem.notes.mirrors.names import line, of_line, stem
from ghostmem.notes.write import inside

INDEX_FILE = f"{INDEX}{SUFFIX}"
_TOPIC = re.compile(r"^topic[ \t]*:[ \t]*([^\n]*?)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"(?:\A|[ \t])#.*")
_MORE_THAN_A_LINE = tuple(">|[{&*!")


class Listed(NamedTuple):
    """A topic as the index should have it: its name there, a summary, and the summary that the
    mirror wrote last.
    """

    name: str
    summary: str
    about: str


def stem_of(path: str) -> str:
    """Return the name of a topic's file, which is also its name in the index."""
    return path.removesuffix(SUFFIX)


def carried(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of some tags that come back from a topic file."""
    back = topic_file.read_topic(
        topic_file.new_topic("x", tags, datetime(1970, 1, 1, tzinfo=UTC), "")
    ).tags
    known = {topic_file.folded(tag) for tag in back}
    return tuple(tag for tag in tags if topic_file.folded(tag) in known)


def listed(unit: Unit, about: str) -> Listed:
    """Return a unit as the index should have it."""
    name = stem_of(unit.path)
    return Listed(name, index_file.first_sentence(unit.text, name), about)


def is_out_of_step(text: str, topics: Iterable[Listed]) -> bool:
    """Say whether an index lacks a topic, or has a summary of the mirror that is not that of the
    text any more.
    """
    has = _summaries(text)
    return any(one.name not in has or (has[one.name] == one.about != one.summary) for one in topics)


def in_step(
    text: str, topics: Iterable[Listed], gone: Iterable[str] = ()
) -> tuple[str, dict[str, str]]:
    """Return an index with these topics and without those, and what of its summaries is the
    mirror's own.

    A summary that a person wrote stays; so does everything else. A text that would not be read back
    so is not returned."""
    topics, names = list(topics), {one.name for one in topics}
    done = text
    for name in set(gone) - names:
        done = index_file.without_entry(done, name)
    has, own = _summaries(done), dict[str, str]()
    fresh = [one for one in topics if one.name not in has]
    for one in topics:
        if one.name not in has or has[one.name] in (one.summary, one.about):
            own[one.name] = one.summary
        if one.name in has and has[one.name] == one.about != one.summary:
            entry = next(entry for entry in index_file.entries(done) if entry.topic == one.name)
            done = index_file.with_summary(done, entry, one.summary)
    if fresh:
        done = _with_entries(done, fresh)
    wanted = {**has, **own}
    return (done, own) if _summaries(done) == wanted else (text, {})


def _with_entries(text: str, topics: Sequence[Listed]) -> str:
    """Add topics behind the others, all at once because finding the place takes a look at the whole
    index.
    """
    first, *rest = topics
    more = [
        index_file.with_entry("", one.name, one.summary).partition("\n\n")[2].removesuffix("\n")
        for one in rest
    ]
    return index_file.with_entry(text, first.name, "\n\n".join([first.summary, *more]))


def _summaries(text: str) -> dict[str, str]:
    return {
        entry.topic: " ".join(text[entry.after : entry.end].split())
        for entry in index_file.entries(text)
    }


def _read(path: str, text: str) -> list[Unit]:
    head, region = _apart(text)
    known = topic_file.read_topic(head.replace(CRLF, LF))
    key = _topic_in(head) or of_line(stem_of(path))
    if key is None:
        return []
    body = said(region, eol_of(head) if head else first_eol(text))
    return [Unit(key, path, 0, body, tuple(known.tags), _time(known.updated))]


def _edit(_: str, text: str, changes: Sequence[Change], strict: bool) -> str:
    (change,) = changes
    if change.text is None:
        return ""
    head, region = _apart(text)
    name = line(change.key)
    if not text or (strict and not head):
        return topic_file.new_topic(name, change.tags, change.at, change.text)
    plain = head.replace(CRLF, LF)
    had, wanted = topic_file.read_topic(plain).tags, {topic_file.folded(tag) for tag in change.tags}
    add = [
        tag
        for tag in change.tags
        if topic_file.folded(tag) not in {topic_file.folded(old) for old in had}
    ]
    remove = [tag for tag in had if topic_file.folded(tag) not in wanted]
    eol = eol_of(head) if head else first_eol(text)
    if head or add:
        plain = topic_file.refined_topic(plain, name, change.at, add, remove)
        plain = plain if plain.endswith("\n") else f"{plain}\n"
    if plain and not head:  # these fields come with an empty line behind them
        plain, region = plain.removesuffix("\n"), eol + region
    new = plain.replace(LF, CRLF) if eol == CRLF else plain
    return put_in(new, region, change.text) if new else _bare(text, change.text)


def _bare(text: str, content: str) -> str:
    """Return a file without fields with another text."""
    eol = first_eol(text)
    return put_in(eol, text, content).removeprefix(eol)


def _rename(text: str, _: int, key: str) -> str:
    head, _region = _apart(text)
    eol = eol_of(head) if head else first_eol(text)
    field = f"topic: {topic_file.scalar(line(key))}"
    if not head:
        return f"---{eol}{field}{eol}---{eol}{eol}{text}"
    found = list(_TOPIC.finditer(head))
    if not found:
        start = head.index("\n") + 1
        return f"{text[:start]}{field}{eol}{text[start:]}"
    start, stop = found[-1].span()
    return text[:start] + field + ("\r" if text[:stop].endswith("\r") else "") + text[stop:]


def _place(wish: Wish, taken: Container[str]) -> str:
    return f"{stem(wish.key, taken)}{SUFFIX}"


def _paths(home: Path) -> Iterator[tuple[str, bool]]:
    if not home.is_dir():
        return
    with os.scandir(home) as entries:
        found = sorted(
            (entry.name, entry.is_file(follow_symlinks=False))
            for entry in entries
            if _is_topic(entry.name)
        )
    yield from found


def _is_topic(name: str) -> bool:
    return (
        name.endswith(SUFFIX)
        and not name.startswith(".")
        and stem_of(name).casefold() != INDEX
        and _is_unicode(name)
    )


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _home(root: Path) -> Path:
    return root if root.name == FOLDER else inside(root, FOLDER)


def _fits(root: Path) -> bool:
    return root.name == FOLDER or (root / FOLDER).is_dir()


def _apart(text: str) -> tuple[str, str]:
    end = front_end(text)
    return text[:end], text[end:]


def _topic_in(head: str) -> str | None:
    """Return the key that a file's fields name."""
    found = _TOPIC.findall(head)
    value = found[-1] if found else ""
    if value[:1] == "'" and value[-1:] == "'" and len(value) > 1:
        return of_line(value[1:-1].replace("''", "'"))
    if value[:1] == '"':
        try:
            return of_line(str(json.loads(value)))
        except ValueError:
            return None
    return None if value.startswith(_MORE_THAN_A_LINE) else of_line(_COMMENT.sub("", value))


def _time(text: str) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidInputError:
        return None


TOPICS = Shape(
    "topics",
    "a topic file for each memory in .ai-knowledge/, and their index",
    True,
    True,
    _home,
    _fits,
    _paths,
    _read,
    _edit,
    _rename,
    _place,
)
