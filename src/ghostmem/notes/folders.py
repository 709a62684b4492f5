"""notes: markdown folders that are searched where they lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.model import Folder, Note, NsFilter, Record, SourceKind, optional
from ghostmem.notes.index import forget_note
from ghostmem.notes.layouts.table import fitting, layout_named
from ghostmem.notes.project import named_namespace
from ghostmem.notes.scan import Sight, scan
from ghostmem.notes.sync import SETTLE, Problem, SyncReport, known_as, sync_folder
from ghostmem.notes.watch import watcher
from ghostmem.store import validate
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

PREFIX = "notes"


@dataclass(frozen=True, eq=False, repr=False)
class FolderStatus(Record):
    """How a folder and what is known of it compare, as the disk says now."""

    root: str
    ns: str
    layout: str
    on_disk: int
    indexed: int
    pending: int
    orphans: int
    failed: tuple[Problem, ...]
    watcher: str
    last_reconcile: datetime | None = optional()
    unavailable: str = optional("")

    @property
    def is_clean(self) -> bool:
        """Say whether a search would find all that lies there."""
        return not (self.pending or self.orphans or self.unavailable)


@dataclass(eq=False, repr=False)
class FolderRemoval(Record):
    """A folder that is no longer searched; its files are as they were."""

    root: str
    ns: str
    notes: int
    memories: int
    dry_run: bool = False


@dataclass(eq=False, repr=False)
class Added(Record):
    """A folder that is now searched, what came of the first look, and how it could be read
    as well.
    """

    folder: Folder
    report: SyncReport
    detected: bool = False
    others: tuple[str, ...] = field(default_factory=tuple)


def add_notes(
    store: Store,
    path: str | Path,
    ns: str | None = None,
    *,
    layout: str | None = None,
    source_kind: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Added:
    """Search a markdown folder from now on; nothing in it is changed.

    Adding it again looks at it again.

    Its notes are found in `ns`, else in the default namespace, else in one named after the folder.
    They count as the user's own unless `source_kind` is another than "stated": then sections that
    look like instructions are held in quarantine."""
    kind = validate.choice(source_kind, SourceKind, "source_kind")
    root = Path(path).expanduser()
    if root.is_file():
        raise InvalidInputError(
            f"{root} is a file, not a folder",
            "name the folder, or take the file over with `ghost ingest`",
        )
    if not root.is_dir():
        raise NotFoundError(f"there is no folder {root}", "name a folder of markdown files")
    root = root.resolve()
    validate.text(str(root), "folder")
    fit = fitting(root)
    chosen = fit[0] if layout is None else layout_named(layout)
    space = validate.namespace(ns or store.settings.ns or named_namespace(PREFIX, root.name))
    root = chosen.home(root)
    with store.engine.write() as tx:
        known = [
            folder
            for folder in tx.notes.folders(NsFilter())
            if folder.root == str(root) and folder.layout == chosen.name
        ]
        if known and ns and known[0].ns != space:
            raise InvalidInputError(
                f"{root} is already searched in {known[0].ns}",
                f"remove it first: `ghost notes rm {root}`, then add it to {space}",
            )
        for mirror in tx.mirrors.all():
            if mirror.ns == space and (
                Path(mirror.root).is_relative_to(root) or root.is_relative_to(mirror.root)
            ):
                raise InvalidInputError(
                    f"{mirror.root} is a mirror of {space}, so that everything in it would "
                    "be found twice",
                    "search it in another namespace: -n",
                )
        folder = tx.notes.add_folder(str(root), chosen.name, space, store.clock(), kind)
        if (
            known and known[0].source_kind is not folder.source_kind
        ):  # all its notes are read and judged anew
            for note in tx.notes.known(folder.id).values():
                forget_note(store, tx, known[0], note)
    report = sync_folder(store, folder, settle=SETTLE if known else 0.0, progress=progress)
    others = [one.name for one in fit[:-1] if one is not chosen]
    return Added(folder, report, layout is None, tuple(others))


def note_folders(store: Store, ns: str | None = None) -> list[Folder]:
    """Return the folders that are searched."""
    with store.engine.read() as tx:
        return tx.notes.folders(validate.ns_filter(ns))


def sync_notes(
    store: Store,
    folder: str | Path | None = None,
    *,
    full: bool = False,
    accept_deletes: bool = False,
    progress: Callable[[int], None] | None = None,
) -> list[SyncReport]:
    """Bring folders in step with their files, vectors and links included.

    `full` reads every file anew.
    """
    chosen = chosen_folders(store, folder)
    return [
        sync_folder(
            store, one, full=full, settle=SETTLE, accept_deletes=accept_deletes, progress=progress
        )
        for one in chosen
    ]


def notes_status(store: Store, folder: str | Path | None = None) -> list[FolderStatus]:
    """Compare folders with what is known of them, looking at the disk and changing nothing."""
    found = []
    for one in chosen_folders(store, folder):
        with store.engine.read() as tx:
            known = tx.notes.known(one.id)
        try:
            sight, away = scan(Path(one.root), layout_named(one.layout)), one.unavailable
        except NotFoundError as error:
            sight, away = Sight(), error.message
        found.append(_status(store, one, known, sight, away))
    return found


def _status(
    store: Store, folder: Folder, known: dict[str, Note], sight: Sight, away: str
) -> FolderStatus:
    found = [(path, stat, known_as(path, known, sight.files)) for path, stat in sight.files.items()]
    pending = [
        path for path, stat, note in found if note is None or note.stat != stat or note.path != path
    ]
    there = {note.id for _, _, note in found if note is not None}
    failed = [Problem(note.path, note.problem) for note in known.values() if note.problem]
    failed += [Problem(path, reason) for path, reason in sight.refused.items()]
    failed += [problem for path in pending if (problem := _unreadable(folder, path)) is not None]
    return FolderStatus(
        folder.root,
        folder.ns,
        folder.layout,
        len(sight.files),
        len(known),
        len(pending),
        sum(note.id not in there for note in known.values()),
        tuple(sorted(failed, key=lambda problem: problem.path)),
        watcher(store.engine.location),
        folder.reconciled_at,
        away,
    )


def _unreadable(folder: Folder, path: str) -> Problem | None:
    try:
        with open(Path(folder.root) / path, "rb") as stream:
            stream.read(1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror}")
    return None


def rm_notes(store: Store, folder: str | Path, *, dry_run: bool = False) -> FolderRemoval:
    """Stop searching a folder: what was made of its notes is removed, its files are not touched."""
    removal = FolderRemoval("", "", 0, 0, dry_run)
    chosen = chosen_folders(store, folder)
    with store.engine.write(dry_run=dry_run) as tx:
        for one in chosen:
            _forget(store, tx, one, removal)
    return removal


def _forget(store: Store, tx: Transaction, folder: Folder, removal: FolderRemoval) -> None:
    notes = tx.notes.known(folder.id)
    removal.root = ", ".join(filter(None, (removal.root, folder.root)))
    removal.ns = folder.ns
    removal.notes += len(notes)
    removal.memories += len(tx.notes.section_ids(folder.id))
    for note in notes.values():
        forget_note(store, tx, folder, note)
    tx.notes.drop_folder(folder.id)


def chosen_folders(store: Store, folder: str | Path | None) -> list[Folder]:
    """Return the folders that are meant: all, those at a path, or those of a namespace."""
    folders = note_folders(store)
    if folder is None:
        return folders
    path = Path(folder).expanduser().resolve()
    found = [
        one for one in folders if one.root in (str(path), str(layout_named(one.layout).home(path)))
    ]
    found = found or [one for one in folders if one.ns == str(folder)]
    if not found:
        raise NotFoundError(
            f"{folder} is no folder of notes that is searched", _known_hint(folders)
        )
    return found


def _known_hint(folders: Iterable[Folder]) -> str:
    roots = ", ".join(one.root for one in folders)
    return f"there are: {roots}" if roots else "add one with `ghost notes add`"
