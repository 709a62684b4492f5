"""The layout of daily notes: each section `## key` in MEMORY.md or a note of a day is a unit.

A section ends at the next heading of its level outside fenced code. Lines that would be read as
such a heading, or that open a fence which is never closed, are escaped with a backslash; lines that
start with one get another. Reading removes one, so that every text comes back unchanged."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from ghostmem.notes.mirrors.units import (
    LF,
    MirrorLayout,
    Unit,
    UnitEdit,
    eol_of,
    first_eol,
    heading,
    of_heading,
    read_region,
    text_span,
    write_region,
)
from ghostmem.text.frontmatter import front_matter
from ghostmem.text.sections import FENCE, Section, SectionStyle

LONG_TERM = "MEMORY.md"
FOLDER = "memory"

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})\.md", re.ASCII)
_STYLE = SectionStyle(
    re.compile(
        rf"^(?: {{0,3}}(?=##)|[ \t]*(?=[\\`~]))(?P<escape>\\*)(?P<mark>##[ \t]|{FENCE})",
        re.MULTILINE,
    ),
    of_heading,
)
_BLANK_END = re.compile(r"(?:\A|\n)[ \t]*\r?\n\Z")


def _read(path: str, text: str) -> list[Unit]:
    day = _day(path)
    when = None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
    units = []
    for number, section in enumerate(_sections(text)):
        eol = eol_of(text[section.start : section.body])
        body = _STYLE.unescape(read_region(text[section.body : section.end], eol))
        units.append(Unit(section.title, path, number, body, when=when, lasting=day is None))
    return units


def _edit(_: str, text: str, edits: Sequence[UnitEdit], strict: bool) -> str:
    by_key = {edit.key: edit for edit in edits}
    sections = _sections(text)
    parts: list[str] = []
    end = len(text)
    for section in reversed(sections):
        edit = by_key.get(section.title)
        if edit is None:
            continue
        parts.append(text[section.end : end])
        if edit.text is not None:
            head, region = text[section.start : section.body], text[section.body : section.end]
            head = head if head.endswith("\n") else head + LF
            more = section.end < len(text)
            parts.append(write_region(head, region, _STYLE.escape(edit.text, strict), more=more))
        end = section.start
    edited = text[:end] + "".join(reversed(parts))
    if sections and sections[-1].title in by_key and by_key[sections[-1].title].text is None:
        edited = edited[: text_span(edited, LF)[1] + 1]
    known = {section.title for section in sections}
    for edit in edits:
        if edit.key not in known and edit.text is not None:
            edited = _append(edited, edit.key, _STYLE.escape(edit.text, strict))
    return edited if edited.strip() else ""


def _rename(text: str, number: int, key: str) -> str:
    section = _sections(text)[number]
    head = text[section.start : section.body]
    line_end = head[len(head.rstrip("\r\n")) :]
    return f"{text[: section.start]}## {heading(key)}{line_end}{text[section.body :]}"


def _place(_: str, at: datetime, lasting: bool, __: Container[str]) -> str:
    return LONG_TERM if lasting else f"{FOLDER}/{at.astimezone(UTC).date().isoformat()}.md"


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
    match = _DATED.fullmatch(path.rpartition("/")[2])
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def _sections(text: str) -> list[Section]:
    return _STYLE.sections(text, len(front_matter(text)))


def _append(text: str, key: str, body: str) -> str:
    eol = first_eol(text)
    gap = "" if not text or text.endswith("\n") else eol
    gap += "" if not text or _BLANK_END.search(text[text.rstrip().rfind("\n") + 1 :] + gap) else eol
    return text + gap + write_region(f"## {heading(key)}{eol}", "", body)


DAILY = MirrorLayout(
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
