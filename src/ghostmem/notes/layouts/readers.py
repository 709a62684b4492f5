"""Read notes as sections: by their headings, as one section, or by the times of role files."""

import re
from collections.abc import Iterable
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
    when = file_date(path)
    kind, tier = (Kind.EPISODIC, Tier.STM) if when else (Kind.SEMANTIC, Tier.LTM)
    filled = [piece for piece in cut(text) if has_body(piece)]
    # A note with front matter only is one piece.
    pieces = filled or [Piece("", "", text, 1)] if text.strip() else []
    return Reading(
        tuple(
            NoteSection(piece.name, piece.text, piece.line, when or at, kind=kind, tier=tier)
            for piece in pieces
        )
    )


def read_vault(path: str, text: str, at: datetime) -> Reading:
    """Read a note by its headings, with the tags and links of its front matter and text."""
    note = parse_note(text)
    shared = [tag.lstrip("#") for tag in words(note.fields.get("tags") or note.fields.get("tag"))]
    sections = []
    for section in read_headed(path, text, front_matter_time(note) or at).sections:
        lines = list(prose_lines(section.text))
        tags = tuple(dict.fromkeys([*shared, *inline_tags(lines)]))
        sections.append(section._replace(tags=tags, links=tuple(wikilinks(lines))))
    aliases = words(note.fields.get("aliases") or note.fields.get("alias"))
    return Reading(tuple(sections), (*aliases, *_texts(note, "title")))


def _texts(note: ParsedNote, *names: str) -> tuple[str, ...]:
    values = [note.fields.get(name) for name in names]
    return tuple(value for value in values if isinstance(value, str) and value)


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
    when, name = front_matter_time(note) or at, path.rpartition("/")[2].rpartition(".")[0]
    if name == "index":
        pieces = [piece for piece in cut(text, (2, 3)) if has_body(piece)]
        return Reading(tuple(NoteSection(p.name, p.text, p.line, when) for p in pieces))
    return _read_body(text, when, words(note.fields.get("tags")), names=(name,))


def read_basic(_: str, text: str, at: datetime) -> Reading:
    """Read a note of basic-memory with its relations, its tags and those of its observations."""
    note = parse_note(text)
    lines = list(prose_lines(note.body))
    tags = [*words(note.fields.get("tags")), *observed_tags(lines)]
    names = tuple(" ".join(value.split()) for value in _texts(note, "permalink", "title"))
    plain = [tag.lstrip("#") for tag in tags if tag.strip("#")]
    return _read_body(text, front_matter_time(note) or at, plain, relations(lines), names)


def _read_body(
    text: str,
    when: datetime,
    tags: Iterable[str],
    links: Iterable[tuple[str, str]] = (),
    names: tuple[str, ...] = (),
) -> Reading:
    """Read the text below the front matter as one section."""
    front = front_matter(text)
    body, line = text[len(front) :], 1 + front.count("\n")
    if not body.strip():
        return Reading(())
    section = NoteSection(
        "", body, line, when, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(links))
    )
    return Reading((section,), names)


def read_roles(path: str, text: str, at: datetime) -> Reading:
    """Read the sections of a role, each with its own time and the role as tag."""
    *folders, name = path.split("/")
    role = folders[-1] if folders and DATED.fullmatch(name) else name.rpartition(".")[0]
    return Reading(
        tuple(
            NoteSection(piece.name, piece.text, piece.line, _stamp(piece.text) or at, (role,))
            for piece in cut(text, (2,))
            if has_body(piece)
        )
    )


def _stamp(text: str) -> datetime | None:
    match = _STAMP.match(text)
    try:
        return datetime.strptime(match[1], "%Y-%m-%d %H:%M").astimezone(UTC) if match else None
    except (ValueError, OverflowError):
        return None
