"""Sections of daily notes as units: `## key`, then the text, up to the next heading of that level
outside fenced code.

Lines of a text that would be read as such a heading, or open a fence that nothing closes, get a
backslash in front, and lines that have one already get another; reading takes one off, so that
every text comes back as it was."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.notes.mirrors.base import (
    LF,
    Change,
    Shape,
    Unit,
    Wish,
    eol_of,
    first_eol,
    front_end,
    ink,
    put_in,
    said,
)
from ghostmem.notes.mirrors.names import heading, of_heading
from ghostmem.text.blocks import fence_end

LONG_TERM = "MEMORY.md"
FOLDER = "memory"

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})\.md", re.ASCII)
_MARK = re.compile(r"^(?: {0,3}##[ \t]|[ \t]*(?P<fence>`{3,}|~{3,}))", re.MULTILINE)
_FENCES = re.compile(r"^[ \t]*(?=```|~~~)", re.MULTILINE)
_GUARDED = re.compile(r"^[ \t]*(?=\\+(?:##[ \t]|```|~~~))", re.MULTILINE)
_GUARD = re.compile(r"^([ \t]*)\\(?=\\*(?:##[ \t]|```|~~~))", re.MULTILINE)
_BLANK_END = re.compile(r"(?:\A|\n)[ \t]*\r?\n\Z")


class _Section(NamedTuple):
    """A section: its key, and where its heading, its text and what follows it start."""

    key: str
    start: int
    body: int
    end: int


def _read(path: str, text: str) -> list[Unit]:
    day = _day(path)
    when = None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
    found = []
    for number, one in enumerate(_sections(text)):
        body = _GUARD.sub(r"\1", said(text[one.body : one.end], eol_of(text[one.start : one.body])))
        found.append(Unit(one.key, path, number, body, when=when, lasting=day is None))
    return found


def _edit(_: str, text: str, changes: Sequence[Change], strict: bool) -> str:
    wanted = {change.key: change for change in changes}
    parts: list[str] = []
    end = len(text)
    sections = _sections(text)
    for one in reversed(sections):
        change = wanted.get(one.key)
        if change is None:
            continue
        rest = text[one.end : end]
        if change.text is None:
            parts.append(rest)
        else:
            more = one.end < len(text)
            parts.append(
                _written(
                    text[one.start : one.body], text[one.body : one.end], change.text, strict, more
                )
                + rest
            )
        end = one.start
    done = text[:end] + "".join(reversed(parts))
    known = {one.key for one in sections}
    if sections and sections[-1].key in wanted and wanted[sections[-1].key].text is None:
        done = _without_last_blanks(done)
    for change in changes:
        if change.key not in known and change.text is not None:
            done = _appended(done, change, strict)
    return done if done.strip() else ""


def _rename(text: str, number: int, key: str) -> str:
    one = _sections(text)[number]
    head = text[one.start : one.body]
    words = head.rstrip("\r\n")
    return f"{text[: one.start]}## {heading(key)}{head[len(words) :]}{text[one.body :]}"


def _place(wish: Wish, _: Container[str]) -> str:
    return (
        LONG_TERM if wish.lasting else f"{FOLDER}/{wish.at.astimezone(UTC).date().isoformat()}.md"
    )


def _paths(home: Path) -> Iterator[tuple[str, bool]]:
    with os.scandir(home) as entries:
        own = [entry for entry in entries if entry.name == LONG_TERM]
    yield from ((LONG_TERM, entry.is_file(follow_symlinks=False)) for entry in own)
    if not (home / FOLDER).is_dir():
        return
    with os.scandir(home / FOLDER) as entries:
        dated = sorted(
            (entry for entry in entries if _day(entry.name)), key=lambda entry: entry.name
        )
    yield from ((f"{FOLDER}/{entry.name}", entry.is_file(follow_symlinks=False)) for entry in dated)


def _fits(root: Path) -> bool:
    return (root / LONG_TERM).is_file() or any(
        _day(file.name) for file in (root / FOLDER).glob("????-??-??.md")
    )


def _day(path: str) -> date | None:
    found = _DATED.fullmatch(path.rpartition("/")[2])
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def _sections(text: str) -> list[_Section]:
    heads = [(key, start, stop) for key, start, stop in _marks(text, front_end(text)) if key]
    ends = [*(start for _, start, _ in heads[1:]), len(text)]
    return [
        _Section(key, start, stop, end)
        for (key, start, stop), end in zip(heads, ends, strict=False)
    ]


def _marks(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yield headings with their keys, and fences that nothing closes with none: where each line and
    what follows it starts.
    """
    whole = text if text.endswith("\n") else f"{text}\n"
    unclosed: set[str] = set()
    while (found := _MARK.search(whole, at)) is not None:
        line, end = found.start(), whole.index("\n", found.start())
        fence = found["fence"]
        at = end
        if fence is None:
            key = of_heading(whole[found.end() : end])
            if key:
                yield key, line, min(end + 1, len(text))
            continue
        stop = len(whole) if fence in unclosed else fence_end(whole, line)
        if stop is not None and stop >= len(whole):
            unclosed.add(fence)
            yield "", line, min(end + 1, len(text))
        else:
            at = end if stop is None else stop


def _guarded(text: str, strict: bool) -> str:
    """Return a text that is read as one section wherever it stands."""
    lines = {start for _, start, _ in _marks(text, 0)} | {
        found.start() for found in _GUARDED.finditer(text)
    }
    if strict:  # whatever is around it, no fence of this text opens or closes anything
        lines |= {found.start() for found in _FENCES.finditer(text)}
        lines |= {found.start() for found in _MARK.finditer(text)}
    parts, done = [], 0
    for start in sorted(lines):
        mark = _first_ink(text, start)
        parts.append(text[done:mark] + "\\")
        done = mark
    return "".join([*parts, text[done:]])


def _first_ink(text: str, at: int) -> int:
    while text[at] in " \t":
        at += 1
    return at


def _written(head: str, region: str, text: str, strict: bool, more: bool) -> str:
    head = head if head.endswith("\n") else head + LF
    return put_in(head, region, _guarded(text, strict), more=more)


def _appended(text: str, change: Change, strict: bool) -> str:
    eol = first_eol(text)
    gap = "" if not text or text.endswith("\n") else eol
    gap += "" if not text or _BLANK_END.search(text[text.rstrip().rfind("\n") + 1 :] + gap) else eol
    return (
        text
        + gap
        + put_in(f"## {heading(change.key)}{eol}", "", _guarded(change.text or "", strict))
    )


def _without_last_blanks(text: str) -> str:
    """Return a text that ends with the line end of its last line with ink."""
    _, stop = ink(text, LF)
    return text[: stop + 1]


DAILY = Shape(
    "daily",
    "sections of MEMORY.md and of a note for each day in memory/",
    False,
    False,
    lambda root: root,
    _fits,
    _paths,
    _read,
    _edit,
    _rename,
    _place,
)
