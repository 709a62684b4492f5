"""A folder of basic-memory notes: markdown with front matter, observations, and relations written
as links.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ghostmem.clock import parse_time
from ghostmem.errors import InvalidInputError
from ghostmem.text.frontmatter import Note, take_apart, words
from ghostmem.text.links import link_name, observed_tags, prose_lines, relations
from ghostmem.text.sections import slug
from ghostmem.transfer.formats.base import (
    LONGEST_KEY,
    Foreign,
    ForeignMemory,
    broken,
    capped,
    nothing,
    unique,
)
from ghostmem.transfer.formats.files import markdown_files, read_text
from ghostmem.transfer.formats.relations import Said, edge_of, words_of

TOOL = "basic-memory"
CREATED = ("created", "created_at", "date")


class _Read(NamedTuple):
    """A note as a memory, before its links are looked up."""

    memory: ForeignMemory
    names: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def read(path: Path) -> Foreign:
    """Read a folder of notes: a note is a memory, a relation whose target is there an edge."""
    files, notes = markdown_files(path)
    root = path if path.is_dir() else path.parent
    found = [one for file in files if (one := _note(file, root, notes)) is not None]
    if not found:
        raise nothing(path, "has no note with text")
    memories = unique([one.memory for one in found], TOOL)
    targets = _targets(found, memories)
    said = {
        Said(memory.key, word, to): memory.where
        for one, memory in zip(found, memories, strict=True)
        for word, to in one.links
    }
    ends = [(one, targets.get(link_name(one.to))) for one in said]
    edges = {edge_of(one, to) for one, to in ends if to is not None and to != one.from_key}
    notes += [
        f"{said[one]}: the note [[{one.to}]] does not exist (yet)" for one, to in ends if to is None
    ]
    own_words = words_of(said)
    kept = tuple(
        replace(memory, meta={**memory.meta, "relations": own_words[memory.key]})
        if memory.key in own_words
        else memory
        for memory in memories
    )
    return Foreign(kept, tuple(sorted(edges)), capped(notes))


def _note(file: Path, root: Path, notes: list[str]) -> _Read | None:
    where = file.relative_to(root).as_posix()
    note = take_apart(read_text(file).replace("\r\n", "\n"))
    notes += [
        f"{where}, line {line}: this line of the front matter was not understood"
        for line in note.odd
    ]
    if not note.body.strip():
        notes.append(f"{where}: left out a note without text")
        return None
    path = where.rpartition(".")[0]
    title, permalink = _one(note, "title"), _one(note, "permalink")
    lines = list(prose_lines(note.body))
    tags = [*words(note.fields.get("tags")), *observed_tags(lines)]
    key = permalink or "/".join(slug(part) for part in path.split("/"))
    meta = {TOOL: {name: value for name, value in note.fields.items() if value and name != "tags"}}
    memory = ForeignMemory(
        permalink or path,
        key if len(key) <= LONGEST_KEY * 2 else key[-LONGEST_KEY * 2 :],
        note.body.strip(),
        where,
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in tags if tag.strip("#"))),
        created_at=_created(note, where),
        meta=meta,
    )
    return _Read(
        memory, tuple(filter(None, (permalink, title, path, file.stem))), tuple(relations(lines))
    )


def _one(note: Note, name: str) -> str:
    value = note.fields.get(name, "")
    return " ".join((value if isinstance(value, str) else " ".join(value)).split())


def _created(note: Note, where: str) -> datetime | None:
    text = next((_one(note, name) for name in CREATED if note.fields.get(name)), "")
    try:
        return parse_time(text, "created") if text else None
    except InvalidInputError as error:
        raise broken(where, error.message, error.hint) from None


def _targets(found: Iterable[_Read], memories: Iterable[ForeignMemory]) -> dict[str, str]:
    """Return every name a link may use, the surest first: permalink, title, path, file name.

    Then without the project.
    """
    names: dict[str, str] = {}
    pairs = [(one.names, memory.key) for one, memory in zip(found, memories, strict=True)]
    for place in range(max(len(known) for known, _ in pairs)):
        for known, key in pairs:
            if place < len(known):
                names.setdefault(link_name(known[place]), key)
    for name, key in list(names.items()):
        names.setdefault(name.partition("/")[2] or name, key)
    return names
