"""A plain folder of markdown, cut as `ghost ingest` cuts it: one memory for each section of the
second level.
"""

from pathlib import Path

from ghostmem.model import FileRef, FileRel
from ghostmem.text.sections import sections, slug
from ghostmem.transfer.formats.base import (
    LONGEST_KEY,
    Foreign,
    ForeignMemory,
    capped,
    key_of,
    nothing,
    unique,
)
from ghostmem.transfer.formats.files import markdown_files, read_text

TOOL = "markdown"


def read(path: Path) -> Foreign:
    """Read every section below a folder.

    One whose name another file has already used gets its file's name before it.
    """
    files, notes = markdown_files(path)
    root = path if path.is_dir() else path.parent
    found: list[ForeignMemory] = []
    owners: dict[str, Path] = {}
    for file in files:
        where = file.relative_to(root).as_posix()
        for section in sections(read_text(file), file.name):
            if not section.body.strip():
                continue
            date, colon, name = section.key.rpartition(":")
            key = date + colon + (name if len(name) <= LONGEST_KEY else key_of(name))
            if owners.setdefault(key, file) != file:
                key = f"{slug(where.rpartition('.')[0])}:{key}"
            meta = {"heading": section.heading, "section": section.key}
            refs = (FileRef(str(file.resolve()), FileRel.READ),)
            place = f"{where}, line {section.line}"
            found.append(
                ForeignMemory(
                    f"{where}#{section.key}", key, section.body, place, meta=meta, files=refs
                )
            )
    if not found:
        raise nothing(path, "has no text")
    return Foreign(unique(found, TOOL), notes=capped(notes))
