"""notes write: another text for one section of a note, and nothing else of its file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ghostmem.errors import InvalidInputError, NoteConflictError, NotFoundError
from ghostmem.memory.screen import screen
from ghostmem.model import Folder, Memory, NsFilter, Place, Record, optional
from ghostmem.notes.index import without_secrets
from ghostmem.notes.layouts.base import Section
from ghostmem.notes.layouts.table import layout_named
from ghostmem.notes.lock import locked
from ghostmem.notes.scan import modified, read_note
from ghostmem.notes.sync import sync_folder
from ghostmem.notes.write import Text, digest, inside, replace_file
from ghostmem.store import validate
from ghostmem.store.lookup import find
from ghostmem.store.store import Store
from ghostmem.text.redact import MARK


@dataclass(frozen=True, eq=False, repr=False)
class NoteWritten(Record):
    """A section that was written: where, and what the file is known by now."""

    root: str
    path: str
    key: str
    line: int
    digest: str
    changed: bool
    notes: tuple[str, ...] = optional(())


def write_note(
    store: Store, ns: str, key: str, text: str, *, base: str | None = None
) -> NoteWritten:
    """Put a text in the place of the section that a memory is, heading included.

    If the section, or with `base` the file, is not what it was when it was indexed, nothing is
    written and the error carries the present text. Front matter, line ends, every other section
    keep their bytes. Secrets in the new text are redacted; one that stands in the file, and in the
    memory only as a placeholder, is not overwritten with that."""
    content, notes = screen(
        store.settings, validate.content(text, store.settings.max_content_bytes)
    )
    with store.engine.read() as tx:
        memory = find(tx, ns, key, store.clock())
        place = tx.notes.places([memory.id]).get(memory.id)
        folder = next(
            (one for one in tx.notes.folders(NsFilter(ns)) if place and one.id == place.folder_id),
            None,
        )
    if place is None or folder is None:
        raise InvalidInputError(f"{ns}/{key} is no section of a note", "change it with `ghost put`")
    layout = layout_named(folder.layout)
    if not layout.writable:
        raise InvalidInputError(
            f"{place.path} belongs to another program and is only read", "edit the file yourself"
        )
    with locked(Path(folder.root)):
        path = inside(Path(folder.root), place.path)
        if not path.is_file():
            raise NotFoundError(f"{path} is gone", "`ghost notes sync` brings the index in step")
        read = read_note(path)
        if base is not None and read.text.digest != base:
            raise NoteConflictError(
                f"{path} was changed; nothing was written",
                current=read.text.text,
                digest=read.text.digest,
            )
        if read.text.lossy or "\x00" in read.text.text:
            raise InvalidInputError(
                f"{path} is not plain UTF-8", "convert it first, for instance with iconv"
            )
        before = layout.read(place.path, read.text.text, modified(read.stat)).sections
        section = _section(store, place, memory, read.text, before)
        _keep_secrets(store, path, section, content)
        plain = content if "\r" in read.text.text else content.replace("\r\n", "\n")
        edited = _edited(read.text.text, section, plain)
        after = {one.name for one in layout.read(place.path, edited, modified(read.stat)).sections}
        if lost := [
            one.name for one in before if one.name not in after and one.name != section.name
        ]:
            raise InvalidInputError(
                f"this text would swallow the section {lost[0]!r} behind it", "close its code fence"
            )
        raw = read.text.encode(edited)
        changed = replace_file(path, raw, read.text.digest)
    sync_folder(store, _fresh(store, folder), link=False)
    with store.engine.read() as tx:
        now = tx.memories.by_id(memory.id)
    key = now.key if now is not None and now.deleted_at is None else key
    return NoteWritten(folder.root, place.path, key, section.line, digest(raw), changed, notes)


def _fresh(store: Store, folder: Folder) -> Folder:
    with store.engine.read() as tx:
        return next(one for one in tx.notes.folders(NsFilter(folder.ns)) if one.id == folder.id)


def _keep_secrets(store: Store, path: Path, section: Section, content: str) -> None:
    """Refuse to write a placeholder over the secret that it stands for."""
    if MARK in content and without_secrets(store.settings, section).text != section.text:
        raise InvalidInputError(
            f"{path} holds a secret in this section, which its memory and this text do not",
            "edit the file yourself",
        )


def _section(
    store: Store, place: Place, memory: Memory, text: Text, sections: tuple[Section, ...]
) -> Section:
    """Return the section as it stands in the file, if it still says what the memory does."""
    name = memory.meta.get("section", "")
    stored = [without_secrets(store.settings, one) for one in sections]
    at = next((number for number, one in enumerate(stored) if one.name == name), None)
    found = None if at is None else sections[at]
    current = "" if at is None else stored[at].text
    if found is None or at is None or _same(stored[at].text) != _same(memory.content):
        raise NoteConflictError(
            f"{place.path} was changed in this section; nothing was written",
            current=current,
            digest=text.digest,
        )
    return found


def _same(text: str) -> str:
    return hashlib.sha256(text.strip().encode()).hexdigest()


def _edited(text: str, section: Section, content: str) -> str:
    """Return a file's text with a section replaced; the blank lines around it stay."""
    start = 0
    for _ in range(section.line - 1):
        start = text.index("\n", start) + 1
    stop = start + len(section.text)
    body = section.text.strip()
    first = (
        section.text.rfind("\n", 0, section.text.index(body)) + 1
    )  # the first line has its indent in the memory too
    body = section.text[first:].rstrip()
    lead, tail = section.text[:first], section.text[first + len(body) :]
    return (
        text[:start]
        + lead
        + content.strip("\n")
        + (tail or ("\n" if stop < len(text) else ""))
        + text[stop:]
    )
