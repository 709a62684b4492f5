"""Write to notes: replace the text of one section, or append to today's note or MEMORY.md.

The rest of the file stays unchanged."""

from collections.abc import Sequence
from pathlib import Path

from ghostmem.errors import (
    InvalidInputError,
    InvalidTargetError,
    NoteConflictError,
    NotFoundError,
)
from ghostmem.frozen import frozen
from ghostmem.memory.redact import redact_content
from ghostmem.model import Folder, Memory, NsFilter, Place, Record, optional
from ghostmem.notes.files import Text, append, digest, inside, read_file, replace_file
from ghostmem.notes.folders import add_notes, note_folders
from ghostmem.notes.index import without_secrets
from ghostmem.notes.layouts import NoteSection, layout_named
from ghostmem.notes.lock import locked
from ghostmem.notes.scan import modified, read_note
from ghostmem.notes.sync import sync_folder
from ghostmem.notes.topic_files import open_fence
from ghostmem.store import Store, find, validate
from ghostmem.text.redact import MARK

DAILY, LONG_TERM = "daily", "long_term"
TARGETS = (DAILY, LONG_TERM)
LAYOUTS = ("daily", "openclaw")  # the layouts that have both


@frozen
class NoteWritten(Record):
    """A section that was written, and the new digest of its file."""

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
    """Replace the text of a section in a note.

    Args:
        ns: Namespace.
        key: Key of the section's memory.
        text: New text.
        base: SHA-256 of the file as the caller read it.

    Raises:
        NoteConflictError: The file changed since; the error contains the current text.
    """
    validate.text(ns, "namespace")
    validate.text(key, "key")
    content, notes = redact_content(
        store.settings, validate.content(text, store.settings.max_content_bytes)
    )
    with store.engine.read(ns) as tx:
        memory = find(tx, ns, key, store.clock())
        place = tx.notes.places([memory.id]).get(memory.id)
        folder = next(
            (
                candidate
                for candidate in tx.notes.folders(NsFilter(ns))
                if place and candidate.id == place.folder_id
            ),
            None,
        )
    if place is None or folder is None:
        raise InvalidInputError(
            f"{ns}/{key} is not a section of a note", "change it with `ghost put`"
        )
    layout = layout_named(folder.layout)
    if not layout.writable:
        raise InvalidInputError(
            f"{place.path} belongs to another program and is only read", "edit the file yourself"
        )
    with locked(Path(folder.root)):
        path = inside(Path(folder.root), place.path)
        if not path.is_file():
            raise NotFoundError(f"{path} is gone", "`ghost notes sync` updates the index")
        read = read_note(path)
        if base is not None and read.text.digest != base:
            raise NoteConflictError(
                f"{path} was changed; nothing was written",
                current=read.text.text,
                digest=read.text.digest,
            )
        if read.text.lossy or "\x00" in read.text.text:
            raise InvalidInputError(
                f"{path} is not plain UTF-8", "convert it first, for example with iconv"
            )
        before = layout.read(place.path, read.text.text, modified(read.stat)).sections
        section = _section(store, place, memory, read.text, before)
        has_secret = without_secrets(store.settings, section).text != section.text
        if has_secret and MARK in content:  # a secret is not overwritten with its placeholder
            raise InvalidInputError(
                f"{path} holds a secret in this section, which its memory and this text do not",
                "edit the file yourself",
            )
        plain = content if "\r" in read.text.text else content.replace("\r\n", "\n")
        edited = _edited(read.text.text, section, plain)
        after = {new.name for new in layout.read(place.path, edited, modified(read.stat)).sections}
        if lost := [
            old.name for old in before if old.name not in after and old.name != section.name
        ]:
            raise InvalidInputError(
                f"this text would swallow the section {lost[0]!r} behind it",
                "begin it with the heading of its section, and close its code fence",
            )
        if section.name not in after and len(after) < len(before):
            notes = (*notes, "the text has no heading: it now belongs to the section before it")
        raw = read.text.encode(edited)
        changed = replace_file(path, raw, read.text.digest)
    sync_folder(store, folder, link=False)
    with store.engine.read() as tx:
        now = tx.memories.by_id(memory.id)
    key = now.key if now is not None and now.deleted_at is None else key
    return NoteWritten(folder.root, place.path, key, section.line, digest(raw), changed, notes)


def _section(
    store: Store, place: Place, memory: Memory, text: Text, sections: tuple[NoteSection, ...]
) -> NoteSection:
    """Return the section of the file, if it still has the text of the memory."""
    name = memory.meta.get("section", "")
    stored = [without_secrets(store.settings, section) for section in sections]
    place_in_file = next(
        (number for number, section in enumerate(stored) if section.name == name), None
    )
    if place_in_file is None or stored[place_in_file].text.strip() != memory.content.strip():
        raise NoteConflictError(
            f"{place.path} was changed in this section; nothing was written",
            current="" if place_in_file is None else stored[place_in_file].text,
            digest=text.digest,
        )
    return sections[place_in_file]


def _edited(text: str, section: NoteSection, content: str) -> str:
    """Return the text of a file with a section replaced; blank lines around it stay."""
    start = sum(len(line) + 1 for line in text.split("\n")[: section.line - 1])
    stop = start + len(section.text)
    # The memory has the indent of the first line too.
    first = section.text.rfind("\n", 0, len(section.text) - len(section.text.lstrip())) + 1
    lead, tail = section.text[:first], section.text[len(section.text.rstrip()) :]
    tail = tail or ("\n" if stop < len(text) else "")
    return text[:start] + lead + content.strip("\n") + tail + text[stop:]


@frozen
class Saved(Record):
    """The file that a text was appended to."""

    root: str
    path: str
    target: str
    notes: tuple[str, ...] = optional(())


def save_note(
    store: Store, content: str, target: str = DAILY, *, folder: str | Path | None = None
) -> Saved:
    """Append a text to the note of today or to MEMORY.md, and index it.

    Secrets are redacted first. Without `folder`, it is GHOST_NOTES_DIR, or else the only folder of
    daily notes that was added, or else `notes` next to the store. A missing folder is created."""
    if target not in TARGETS:
        raise InvalidTargetError(f"invalid target {validate.shown(target)}")
    clean, notes = redact_content(
        store.settings, validate.content(content, store.settings.max_content_bytes)
    )
    text = _with_closed_fence(clean.replace("\r\n", "\n").strip("\n"))
    root = _root(store, folder)
    folders = [added for added in note_folders(store) if added.root == str(root)]
    day = store.clock().astimezone().strftime("%Y-%m-%d")
    with locked(root):
        is_inside = not (root / "MEMORY.md").is_file() and (root / "memory/MEMORY.md").is_file()
        long_term = "memory/MEMORY.md" if is_inside else "MEMORY.md"
        path = _daily(root, day, folders) if target == DAILY else long_term
        file = inside(root, path)
        before = read_file(file).text
        gap = "\n" * (2 - min(2, len(before) - len(before.rstrip("\n")))) if before else ""
        title = day if target == DAILY else "Memory"
        append(file, f"{gap}{text}\n", opening=f"# {title}\n\n")
    fit = [added for added in folders if layout_named(added.layout).wants(path)]
    sync_folder(store, fit[0] if fit else add_notes(store, root, layout="daily").folder, link=False)
    return Saved(str(root), path, target, notes)


def _with_closed_fence(text: str) -> str:
    """Close a code fence that is left open, so that later texts are not part of the code."""
    fence = open_fence(text)
    mark = fence[: len(fence) - len(fence.lstrip(fence[:1]))]
    return f"{text}\n{mark}" if mark else text


def _root(store: Store, folder: str | Path | None) -> Path:
    chosen = folder or store.settings.notes_dir
    if chosen:
        return Path(chosen).expanduser().resolve()
    roots = dict.fromkeys(added.root for added in note_folders(store) if added.layout in LAYOUTS)
    if len(roots) > 1:
        raise InvalidInputError(
            f"there are {len(roots)} folders of daily notes: {', '.join(roots)}",
            "set one with GHOST_NOTES_DIR",
        )
    if roots:
        return Path(next(iter(roots)))
    if store.engine.file is None:
        what = "in memory" if store.engine.location == ":memory:" else "in a database"
        raise InvalidInputError(
            f"a store {what} has no folder of notes next to it", "set one with GHOST_NOTES_DIR"
        )
    return Path(store.engine.file).resolve().parent / "notes"


def _daily(root: Path, day: str, folders: Sequence[Folder]) -> str:
    """Return the path of today's note, in the folder that the workspace uses for daily notes."""
    path = f"daily/{day}.md"
    is_unwanted = folders and not any(layout_named(added.layout).wants(path) for added in folders)
    has_memory = (root / "memory").is_dir() and not (root / "daily").is_dir()
    return f"memory/{day}.md" if is_unwanted or has_memory else path
