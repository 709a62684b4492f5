"""Append a text to the note of today or to MEMORY.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ghostmem.errors import InvalidInputError, InvalidTargetError
from ghostmem.memory.redact import redact_content
from ghostmem.model import Folder, Record, optional
from ghostmem.notes.files import append, inside, read_file
from ghostmem.notes.folders import add_notes, note_folders
from ghostmem.notes.layouts.table import layout_named
from ghostmem.notes.lock import locked
from ghostmem.notes.sync import sync_folder
from ghostmem.store import Store, validate

DAILY, LONG_TERM = "daily", "long_term"
TARGETS = (DAILY, LONG_TERM)
LAYOUTS = ("daily", "openclaw")  # the layouts that have both


@dataclass(frozen=True, eq=False, repr=False)
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
    text = clean.replace("\r\n", "\n").strip("\n")
    root = _root(store, folder)
    known = [added for added in note_folders(store) if added.root == str(root)]
    day = store.clock().astimezone().strftime("%Y-%m-%d")
    with locked(root):
        path = _daily(root, day, known) if target == DAILY else _long_term(root)
        file = inside(root, path)
        before = read_file(file).text
        missing = 2 - min(2, len(before) - len(before.rstrip("\n")))
        gap = "\n" * missing if before else ""
        title = day if target == DAILY else "Memory"
        append(file, f"{gap}{text}\n", opening=f"# {title}\n\n")
    fit = [added for added in known if layout_named(added.layout).wants(path)]
    sync_folder(store, fit[0] if fit else add_notes(store, root, layout="daily").folder, link=False)
    return Saved(str(root), path, target, notes)


def _root(store: Store, folder: str | Path | None) -> Path:
    named = folder or store.settings.notes_dir
    if named:
        return Path(named).expanduser().resolve()
    roots = dict.fromkeys(added.root for added in note_folders(store) if added.layout in LAYOUTS)
    if len(roots) > 1:
        raise InvalidInputError(
            f"there are {len(roots)} folders of daily notes: {', '.join(roots)}",
            "name one with GHOST_NOTES_DIR",
        )
    if roots:
        return Path(next(iter(roots)))
    if store.engine.file is None:
        what = "in memory" if store.engine.location == ":memory:" else "in a database"
        raise InvalidInputError(
            f"a store {what} has no folder of notes beside it", "name one with GHOST_NOTES_DIR"
        )
    return Path(store.engine.file).resolve().parent / "notes"


def _daily(root: Path, day: str, known: Sequence[Folder]) -> str:
    """Return the path of today's note, in the folder that the workspace uses for daily notes."""
    only = bool(known) and not any(
        layout_named(added.layout).wants(f"daily/{day}.md") for added in known
    )
    place = (
        "memory"
        if only or ((root / "memory").is_dir() and not (root / "daily").is_dir())
        else "daily"
    )
    return f"{place}/{day}.md"


def _long_term(root: Path) -> str:
    is_in_memory = (root / "memory" / "MEMORY.md").is_file() and not (root / "MEMORY.md").is_file()
    return "memory/MEMORY.md" if is_in_memory else "MEMORY.md"
