"""The layout of daily notes: each section `## key` in MEMORY.md or a note of a day is a unit.

A section ends at the next heading of its level outside fenced code. Lines that would be read as
such a heading, or that open a fence which is never closed, are escaped with a backslash; lines that
start with one get another. Reading removes one, so that every text comes back unchanged."""

import re
from collections.abc import Sequence
from datetime import UTC

from ghostmem.notes.files import note_day
from ghostmem.notes.layouts import file_date, read_headed
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

_STYLE = SectionStyle(
    re.compile(
        rf"^(?: {{0,3}}(?=##)|[ \t]*(?=[\\`~]))(?P<escape>\\*)(?P<mark>##[ \t]|{FENCE})",
        re.MULTILINE,
    ),
    of_heading,
)
_BLANK_END = re.compile(r"(?:\A|\n)[ \t]*\r?\n\Z")


def _read(path: str, text: str) -> list[Unit]:
    when = file_date(path)
    regions = [
        (section.title, text[section.body : section.end], text[section.start : section.body])
        for section in _sections(text)
    ]
    return [
        Unit(
            title,
            path,
            number,
            _STYLE.unescape(read_region(region, eol_of(head))),
            (),
            when,
            when is None,
        )
        for number, (title, region, head) in enumerate(regions)
    ]


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
    titles = {section.title for section in sections}
    for edit in edits:
        if edit.key not in titles and edit.text is not None:
            edited = _append(edited, edit.key, _STYLE.escape(edit.text, strict))
    return edited if edited.strip() else ""


def _rename(text: str, number: int, key: str) -> str:
    section = _sections(text)[number]
    head = text[section.start : section.body]
    line_end = head[len(head.rstrip("\r\n")) :]
    return f"{text[: section.start]}## {heading(key)}{line_end}{text[section.body :]}"


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
    lambda root: (
        (root / LONG_TERM).is_file()
        or any(note_day(file.name) for file in (root / FOLDER).glob("????-??-??.md"))
    ),
    lambda path: (
        path == LONG_TERM or ("/" in path and path.endswith(".md") and note_day(path) is not None)
    ),
    read_headed,
    lambda folder: folder == FOLDER,
    follows_links=True,
    is_single=False,
    units=_read,
    edit=_edit,
    rename=_rename,
    place=lambda _, created, lasting, __: (
        LONG_TERM if lasting else f"{FOLDER}/{created.astimezone(UTC).date().isoformat()}.md"
    ),
)
