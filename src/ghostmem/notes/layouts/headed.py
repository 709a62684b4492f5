"""Read notes by their headings: daily notes, workspaces, guides, vaults, plain markdown."""

import re
from contextlib import suppress
from datetime import UTC, datetime

from ghostmem.clock import parse_time
from ghostmem.errors import InvalidInputError
from ghostmem.model import Kind, Tier
from ghostmem.notes.layouts.base import NoteSection, Reading
from ghostmem.text.cut import Piece, cut
from ghostmem.text.frontmatter import Note, take_apart, words
from ghostmem.text.links import inline_tags, prose_lines, wikilinks

DATED = re.compile(r"(?:.*/)?(\d{4}-\d{2}-\d{2})\.md", re.IGNORECASE)
_TIMES = ("created", "date", "created_at", "last_updated", "updated", "modified")


def file_date(path: str) -> datetime | None:
    """Return the day in the name of a file."""
    match = DATED.fullmatch(path)
    try:
        return datetime.strptime(match[1], "%Y-%m-%d").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None


def front_matter_time(note: Note) -> datetime | None:
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
    note = take_apart(text)
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
