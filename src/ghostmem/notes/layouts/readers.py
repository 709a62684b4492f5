"""Read notes as sections: by their headings, as one section, or by the times of role files."""

import re
from contextlib import suppress
from datetime import UTC, datetime

from ghostmem.clock import parse_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Kind, Tier
from ghostmem.notes.files import note_day
from ghostmem.notes.layouts.base import NoteSection, Reading
from ghostmem.text.frontmatter import ParsedNote, front_matter, parse_note, words
from ghostmem.text.links import inline_tags, observed_tags, prose_lines, relations, wikilinks
from ghostmem.text.sections import Piece, cut

DATED = re.compile(r"(?:.*/)?(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE)
_TIMES = ("created", "date", "created_at", "last_updated", "updated", "modified")
_STAMP = re.compile(r"[^\n]*\n(?:[ \t\r]*\n)*_(\d{4}-\d{2}-\d{2} \d{2}:\d{2})_[ \t\r]*(?:\n|\Z)")


def file_date(path: str) -> datetime | None:
    """Return the day in the name of a file."""
    day = note_day(path)
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None


def front_matter_time(note: ParsedNote) -> datetime | None:
    """Return the time in the front matter of a note."""
    for name in _TIMES:
        value = note.fields.get(name)
        if isinstance(value, str) and value:
            with suppress(InvalidInputError):
                return parse_time(value)
    return None


def read_headed(path: str, text: str, at: datetime) -> Reading:
    """Read a note by its headings; daily notes are episodic and have the time of their day."""
    day = file_date(path)
    when = day or at
    kind, tier = (Kind.EPISODIC, Tier.STM) if day else (Kind.SEMANTIC, Tier.LTM)
    return Reading(
        tuple(NoteSection(p.name, p.text, p.line, when, kind=kind, tier=tier) for p in pieces(text))
    )


def read_vault(path: str, text: str, at: datetime) -> Reading:
    """Read a note by its headings, with the tags and links of its front matter and text."""
    note = parse_note(text)
    day = file_date(path)
    when = day or front_matter_time(note) or at
    kind, tier = (Kind.EPISODIC, Tier.STM) if day else (Kind.SEMANTIC, Tier.LTM)
    shared = [tag.lstrip("#") for tag in words(note.fields.get("tags") or note.fields.get("tag"))]
    sections = []
    for piece in pieces(text):
        lines = list(prose_lines(piece.text))
        tags = tuple(dict.fromkeys([*shared, *inline_tags(lines)]))
        sections.append(
            NoteSection(
                piece.name, piece.text, piece.line, when, tags, tuple(wikilinks(lines)), kind, tier
            )
        )
    names = [
        *words(note.fields.get("aliases") or note.fields.get("alias")),
        *([title] if isinstance(title := note.fields.get("title"), str) and title else []),
    ]
    return Reading(tuple(sections), tuple(names))


def pieces(text: str) -> list[Piece]:
    """Split a note at its headings; a note with front matter only is one piece."""
    filled = [piece for piece in cut(text) if has_body(piece)]
    return filled or [Piece("", "", text, 1)] if text.strip() else []


def has_body(piece: Piece) -> bool:
    """Say whether a piece is more than a heading."""
    body = piece.text.strip()
    return "\n" in body or not (
        not body or (body.startswith("#") and body.lstrip("#")[:1] in ("", " ", "\t"))
    )


def read_whole(_: str, text: str, at: datetime) -> Reading:
    """Read a note as one section."""
    return Reading((NoteSection("", text, 1, at),) if text.strip() else ())


def read_topic(path: str, text: str, at: datetime) -> Reading:
    """Read a topic with its tags and the time of its update; the index by its headings."""
    note = parse_note(text)
    when = front_matter_time(note) or at
    body = _below(text)
    name = path.rpartition("/")[2].rpartition(".")[0]
    if name == "index":
        return Reading(
            tuple(
                NoteSection(p.name, p.text, p.line, when) for p in cut(text, (2, 3)) if has_body(p)
            )
        )
    if not body.text.strip():
        return Reading(())
    return Reading(
        (NoteSection("", body.text, body.line, when, tuple(words(note.fields.get("tags")))),),
        (name,),
    )


def read_basic(_: str, text: str, at: datetime) -> Reading:
    """Read a note of basic-memory with its relations, its tags and those of its observations."""
    note = parse_note(text)
    body = _below(text)
    if not body.text.strip():
        return Reading(())
    lines = list(prose_lines(body.text))
    tags = tuple(
        dict.fromkeys(
            tag.lstrip("#")
            for tag in [*words(note.fields.get("tags")), *observed_tags(lines)]
            if tag.strip("#")
        )
    )
    names = tuple(
        " ".join(value.split())
        for name in ("permalink", "title")
        if isinstance(value := note.fields.get(name), str) and value
    )
    section = NoteSection(
        "",
        body.text,
        body.line,
        front_matter_time(note) or at,
        tags,
        tuple(dict.fromkeys(relations(lines))),
    )
    return Reading((section,), names)


def _below(text: str) -> Piece:
    front = front_matter(text)
    return Piece("", "", text[len(front) :], 1 + front.count("\n"))


def read_roles(path: str, text: str, at: datetime) -> Reading:
    """Read the sections of a role, each with its own time and the role as tag."""
    parts = path.split("/")
    role = (
        parts[-2] if len(parts) > 1 and DATED.fullmatch(parts[-1]) else parts[-1].rpartition(".")[0]
    )
    sections = [
        NoteSection(piece.name, piece.text, piece.line, _stamp(piece.text) or at, (role,))
        for piece in cut(text, (2,))
        if has_body(piece)
    ]
    return Reading(tuple(sections))


def _stamp(text: str) -> datetime | None:
    match = _STAMP.match(text)
    try:
        return datetime.strptime(match[1], "%Y-%m-%d %H:%M").astimezone(UTC) if match else None
    except (ValueError, OverflowError):
        return None
