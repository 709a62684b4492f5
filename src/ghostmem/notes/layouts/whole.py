"""Read notes as one section: topics, guides of other programs, notes of basic-memory."""

from datetime import datetime

from ghostmem.notes.layouts.base import NoteSection, Reading
from ghostmem.notes.layouts.headed import front_matter_time, has_body
from ghostmem.text.cut import Piece, cut, front_matter
from ghostmem.text.frontmatter import take_apart, words
from ghostmem.text.links import observed_tags, prose_lines, relations


def read_whole(_: str, text: str, at: datetime) -> Reading:
    """Read a note as one section."""
    return Reading((NoteSection("", text, 1, at),) if text.strip() else ())


def read_topic(path: str, text: str, at: datetime) -> Reading:
    """Read a topic with its tags and the time of its update; the index by its headings."""
    note = take_apart(text)
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
    note = take_apart(text)
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
