"""Read role files: sections with `## Title` and a line `_YYYY-MM-DD HH:MM_`."""

import re
from datetime import UTC, datetime

from ghostmem.notes.layouts.base import NoteSection, Reading
from ghostmem.notes.layouts.headed import DATED, has_body
from ghostmem.text.cut import cut

_STAMP = re.compile(r"[^\n]*\n(?:[ \t\r]*\n)*_(\d{4}-\d{2}-\d{2} \d{2}:\d{2})_[ \t\r]*(?:\n|\Z)")


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
