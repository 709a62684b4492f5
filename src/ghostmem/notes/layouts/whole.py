"""Notes that are one piece each: a topic, a guide of another program, a note of basic-memory."""

from datetime import datetime

from ghostmem.notes.layouts.base import Reading, Section
from ghostmem.notes.layouts.headed import has_body, told_time
from ghostmem.text.cut import Piece, cut, front_matter
from ghostmem.text.frontmatter import take_apart, words
from ghostmem.text.links import observed_tags, prose_lines, relations


def read_whole(_: str, text: str, at: datetime) -> Reading:
    """Read a note as one piece."""
    return Reading((Section("", text, 1, at),) if text.strip() else ())


def read_topic(path: str, text: str, at: datetime) -> Reading:
    """Read a topic: its text below the fields, its tags, and when it was last updated.

    The index by its headings.
    """
    note = take_apart(text)
    when = told_time(note) or at
    body = _below(text)
    name = path.rpartition("/")[2].rpartition(".")[0]
    if name == "index":
        return Reading(
            tuple(Section(p.name, p.text, p.line, when) for p in cut(text, (2, 3)) if has_body(p))
        )
    if not body.text.strip():
        return Reading(())
    return Reading(
        (Section("", body.text, body.line, when, tuple(words(note.fields.get("tags")))),), (name,)
    )


def read_basic(_: str, text: str, at: datetime) -> Reading:
    """Read a note of basic-memory: its text, its tags and those of its observations, and its
    relations.
    """
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
    section = Section(
        "",
        body.text,
        body.line,
        told_time(note) or at,
        tags,
        tuple(dict.fromkeys(relations(lines))),
    )
    return Reading((section,), names)


def _below(text: str) -> Piece:
    front = front_matter(text)
    return Piece("", "", text[len(front) :], 1 + front.count("\n"))
