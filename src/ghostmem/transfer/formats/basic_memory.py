"""Read a folder of basic-memory: notes with front matter, observations and relations."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ghostmem.text.frontmatter import ParsedNote, parse_note, words
from ghostmem.text.links import link_name, observed_tags, prose_lines, relations
from ghostmem.text.sections import slug
from ghostmem.transfer.formats.base import (
    MAX_KEY,
    Foreign,
    ForeignMemory,
    ForeignRelation,
    capped,
    markdown_files,
    nothing,
    read_text,
    time_of,
    unique,
    with_relations,
)

TOOL = "basic-memory"
CREATED = ("created", "created_at", "date")


class _ParsedNote(NamedTuple):
    """A note as a memory, with its names and unresolved links."""

    memory: ForeignMemory
    names: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def read(path: Path) -> Foreign:
    """Read a folder of notes: a note is a memory, a relation to an existing note is an edge."""
    files, notes = markdown_files(path)
    root = path if path.is_dir() else path.parent
    parsed = [note for file in files if (note := _note(file, root, notes)) is not None]
    if not parsed:
        raise nothing(path, "has no note with text")
    memories = unique([note.memory for note in parsed], TOOL)
    targets = _targets(parsed, memories)
    places = {
        ForeignRelation(memory.key, word, to): memory.location
        for note, memory in zip(parsed, memories, strict=True)
        for word, to in note.links
    }
    edges = set()
    for relation, location in places.items():
        if (to_key := targets.get(link_name(relation.to))) is None:
            notes.append(f"{location}: the note [[{relation.to}]] does not exist (yet)")
        elif to_key != relation.from_key:
            edges.add(relation.edge(to_key))
    return Foreign(with_relations(memories, places), tuple(sorted(edges)), capped(notes))


def _note(file: Path, root: Path, notes: list[str]) -> _ParsedNote | None:
    location = file.relative_to(root).as_posix()
    note = parse_note(read_text(file).replace("\r\n", "\n"))
    notes += [
        f"{location}, line {line}: this line of the front matter was not understood"
        for line in note.odd
    ]
    if not note.body.strip():
        notes.append(f"{location}: left out a note without text")
        return None
    path = location.rpartition(".")[0]
    title, permalink = _field(note, "title"), _field(note, "permalink")
    lines = list(prose_lines(note.body))
    tags = [*words(note.fields.get("tags")), *observed_tags(lines)]
    key = permalink or "/".join(slug(part) for part in path.split("/"))
    created = next((_field(note, name) for name in CREATED if note.fields.get(name)), "")
    memory = ForeignMemory(
        permalink or path,
        key if len(key) <= MAX_KEY * 2 else key[-MAX_KEY * 2 :],
        note.body.strip(),
        location,
        tags=tuple(dict.fromkeys(tag.lstrip("#") for tag in tags if tag.strip("#"))),
        created_at=time_of({"created": created}, "created", location),
        meta={
            TOOL: {name: value for name, value in note.fields.items() if value and name != "tags"}
        },
    )
    return _ParsedNote(
        memory, tuple(filter(None, (permalink, title, path, file.stem))), tuple(relations(lines))
    )


def _field(note: ParsedNote, name: str) -> str:
    value = note.fields.get(name, "")
    return " ".join((value if isinstance(value, str) else " ".join(value)).split())


def _targets(parsed: Iterable[_ParsedNote], memories: Iterable[ForeignMemory]) -> dict[str, str]:
    """Return the key for every name in a link; the first of two equal names wins.

    Permalinks come first, then titles, paths and file names, then all without the project."""
    names: dict[str, str] = {}
    pairs = [(note.names, memory.key) for note, memory in zip(parsed, memories, strict=True)]
    for place in range(max(len(of_note) for of_note, _ in pairs)):
        for of_note, key in pairs:
            if place < len(of_note):
                names.setdefault(link_name(of_note[place]), key)
    for name, key in list(names.items()):
        names.setdefault(name.partition("/")[2] or name, key)
    return names
