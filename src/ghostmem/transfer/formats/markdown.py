"""Read a folder of markdown: each section of the second level is a memory, as in an ingest."""

from pathlib import Path

from ghostmem.model import FileRef, FileRel
from ghostmem.text.sections import sections, slug
from ghostmem.transfer.formats.base import (
    MAX_KEY,
    Foreign,
    ForeignMemory,
    capped,
    key_of,
    markdown_files,
    nothing,
    read_text,
    unique,
)

TOOL = "markdown"


def read(path: Path) -> Foreign:
    """Read every section below a folder; a duplicate name gets the name of its file in front."""
    files, notes = markdown_files(path)
    root = path if path.is_dir() else path.parent
    memories: list[ForeignMemory] = []
    owners: dict[str, Path] = {}
    for file in files:
        location = file.relative_to(root).as_posix()
        for section in sections(read_text(file), file.name):
            if not section.body.strip():
                continue
            date, colon, name = section.key.rpartition(":")
            key = date + colon + (name if len(name) <= MAX_KEY else key_of(name))
            if owners.setdefault(key, file) != file:
                key = f"{slug(location.rpartition('.')[0])}:{key}"
            memories.append(
                ForeignMemory(
                    f"{location}#{section.key}",
                    key,
                    section.body,
                    f"{location}, line {section.line}",
                    meta={"heading": section.heading, "section": section.key},
                    files=(FileRef(str(file.resolve()), FileRel.READ),),
                )
            )
    if not memories:
        raise nothing(path, "has no text")
    return Foreign(unique(memories, TOOL), notes=capped(notes))
