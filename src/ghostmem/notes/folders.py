"""The operations on folders of notes: add, list, sync, watch, status, remove."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from shlex import quote

from ghostmem.errors import InvalidInputError, NotFoundError, StoreBusyError
from ghostmem.frozen import frozen
from ghostmem.model import Folder, NsFilter, Record, SourceKind, optional
from ghostmem.notes.index import forget_note
from ghostmem.notes.layouts import LAYOUTS, Layout, fitting, layout_named
from ghostmem.notes.project import enclosing_project, named_namespace
from ghostmem.notes.scan import FolderScan, scan
from ghostmem.notes.sync import MISSING_SECONDS, Problem, SyncReport, sync_folder
from ghostmem.notes.watch import RECONCILE_SECONDS, changes, only_watcher, watcher
from ghostmem.store import Store, validate

PREFIX = "notes"


@frozen
class FolderStatus(Record):
    """How the files of a folder compare with the indexed notes."""

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
    left_out: tuple[str, ...] = optional(())

    @property
    def is_clean(self) -> bool:
        """Say whether every file is indexed."""
        return not (self.pending or self.orphans or self.unavailable)


@dataclass(eq=False, repr=False)
class FolderRemoval(Record):
    """A folder that is no longer searched or mirrored; its files are unchanged.

    The memories of a folder that was `mirrored` are unchanged too."""

    root: str
    ns: str
    notes: int
    memories: int
    dry_run: bool = False
    mirrored: bool = optional(False)


@dataclass(eq=False, repr=False)
class Added(Record):
    """A folder that is now searched, its first synchronisation, and other layouts that fit.

    `left_out` are the markdown files in it that are not notes of its layout."""

    folder: Folder
    report: SyncReport
    detected: bool = False
    others: tuple[str, ...] = field(default_factory=tuple)
    left_out: tuple[str, ...] = optional(())


def add_notes(
    store: Store,
    path: str | Path,
    ns: str | None = None,
    *,
    layout: str | None = None,
    source_kind: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Added:
    """Register a markdown folder, so that its notes are searched in place.

    Args:
        path: Folder.
        ns: Namespace; default: the setting `ns`, that of the project that contains the
            folder, or a name derived from the folder.
        layout: How the folder is laid out; default: detected.
        source_kind: Kind of source, default "stated"; sections of other kinds that look like
            instructions are quarantined.
        progress: Called with the number of notes done.
    """
    kind = validate.choice(source_kind, SourceKind, "source_kind")
    root = validate.path(path, "path").expanduser()
    if root.is_file():
        raise InvalidInputError(
            f"{root} is a file, not a folder",
            "give the folder, or import the file with `ghost ingest`",
        )
    if not root.is_dir():
        raise NotFoundError(f"there is no folder {root}", "give a folder of markdown files")
    root = root.resolve()
    validate.text(str(root), "folder")
    fit = fitting(root)
    chosen = fit[0] if layout is None else layout_named(layout)
    default = store.settings.ns or enclosing_project(str(root))
    space = validate.namespace(ns or default or named_namespace(PREFIX, root.name))
    root = chosen.home(root)
    with store.engine.write() as tx:
        registered = [
            folder
            for folder in tx.notes.folders(NsFilter())
            if folder.root == str(root) and folder.layout == chosen.name
        ]
        if registered and ns and registered[0].ns != space:
            raise InvalidInputError(
                f"{root} is already searched in {registered[0].ns}",
                f"remove it first: `ghost notes rm {quote(str(root))}`, then add it to {space}",
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
        if registered and registered[0].source_kind is not folder.source_kind:
            # All notes have to be screened again.
            for note in tx.notes.known(folder.id).values():
                forget_note(store, tx, registered[0], note)
    report = sync_folder(
        store, folder, settle=MISSING_SECONDS if registered else 0.0, progress=progress
    )
    alternatives = tuple(candidate.name for candidate in fit[:-1] if candidate is not chosen)
    return Added(folder, report, layout is None, alternatives, _left_out(root, chosen))


def _left_out(root: Path, layout: Layout) -> tuple[str, ...]:
    """Return the markdown files below a folder that are not notes of its layout."""
    try:
        notes, markdown = scan(root, layout), scan(root, LAYOUTS["markdown"])
    except NotFoundError:
        return ()
    return tuple(sorted(markdown.files.keys() - notes.files.keys()))


def note_folders(store: Store, ns: str | None = None) -> list[Folder]:
    """Return the registered markdown folders.

    Args:
        ns: Only folders of this namespace or prefix; default: all.
    """
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
    """Index the changes of markdown folders, including vectors.

    Args:
        folder: One registered folder; default: all.
        full: Read every file again.
        accept_deletes: Remove missing notes even when most of the folder is missing.
        progress: Called with the number of notes done.
    """
    return [
        sync_folder(
            store,
            chosen,
            full=full,
            settle=MISSING_SECONDS,
            accept_deletes=accept_deletes,
            progress=progress,
        )
        for chosen in chosen_folders(store, folder)
    ]


def watch_notes(
    store: Store,
    *,
    stop: threading.Event,
    poll: bool = False,
    done: Callable[[SyncReport], None],
    warn: Callable[[str], None],
) -> None:
    """Index changes in all folders until `stop` is set; only one process per store may watch.

    Every event scans the folders, and once a minute they are scanned without an event."""
    if not note_folders(store):
        raise InvalidInputError(
            "there is no folder of notes to watch", "add one with `ghost notes add`"
        )

    def roots() -> list[Path]:
        return [Path(folder.root) for folder in note_folders(store)]

    with only_watcher(store.engine.location) as set_mode:
        last_thorough = 0.0
        for _ in changes(roots, stop, poll=poll, set_mode=set_mode, warn=warn):
            thorough = time.monotonic() - last_thorough >= RECONCILE_SECONDS
            last_thorough = time.monotonic() if thorough else last_thorough
            for folder in note_folders(store):
                try:
                    report = sync_folder(store, folder, settle=MISSING_SECONDS, thorough=thorough)
                except StoreBusyError as error:
                    warn(error.message)
                    continue
                if report.is_changed or report.unavailable != folder.unavailable:
                    done(report)


def notes_status(store: Store, folder: str | Path | None = None) -> list[FolderStatus]:
    """Compare markdown folders with the index, without changing anything.

    Args:
        folder: Folder to compare; default: all registered ones.
    """
    return [_status(store, chosen) for chosen in chosen_folders(store, folder)]


def _status(store: Store, folder: Folder) -> FolderStatus:
    with store.engine.read() as tx:
        indexed = tx.notes.known(folder.id)
    try:
        listing = scan(Path(folder.root), layout_named(folder.layout))
        unavailable = folder.unavailable
    except NotFoundError as error:
        listing, unavailable = FolderScan(), error.message
    pending = [
        path
        for path, stat in listing.files.items()
        if path not in indexed or indexed[path].stat != stat
    ]
    failed = [Problem(note.path, note.problem) for note in indexed.values() if note.problem]
    failed += [Problem(path, reason) for path, reason in listing.refused.items()]
    failed += [
        Problem(path, "cannot be read: Permission denied")
        for path in pending
        if os.path.exists(file := os.path.join(folder.root, path)) and not os.access(file, os.R_OK)
    ]
    return FolderStatus(
        folder.root,
        folder.ns,
        folder.layout,
        len(listing.files),
        len(indexed),
        len(pending),
        len(indexed.keys() - listing.files.keys()),
        tuple(sorted(failed, key=lambda problem: problem.path)),
        watcher(store.engine.location),
        folder.reconciled_at,
        unavailable,
        _left_out(Path(folder.root), layout_named(folder.layout)),
    )


def rm_notes(store: Store, folder: str | Path, *, dry_run: bool = False) -> FolderRemoval:
    """Stop searching or mirroring a markdown folder; its files stay.

    Args:
        folder: Folder as it was registered.
        dry_run: Change nothing; report what would happen.
    """
    try:
        chosen = chosen_folders(store, folder)
    except NotFoundError:
        from ghostmem.notes.mirror import end_mirror

        if (mirror := end_mirror(store, folder, dry_run)) is None:
            raise
        return FolderRemoval(mirror.root, mirror.ns, 0, 0, dry_run, mirrored=True)
    with store.engine.write(dry_run=dry_run) as tx:
        notes = [(added, note) for added in chosen for note in tx.notes.known(added.id).values()]
        memories = sum(len(tx.notes.section_ids(added.id)) for added in chosen)
        for added, note in notes:
            forget_note(store, tx, added, note)
        for added in chosen:
            tx.notes.drop_folder(added.id)
    return FolderRemoval(
        ", ".join(added.root for added in chosen), chosen[-1].ns, len(notes), memories, dry_run
    )


def chosen_folders(store: Store, folder: str | Path | None) -> list[Folder]:
    """Return all folders, those at a path, or those of a namespace."""
    folders = note_folders(store)
    if folder is None:
        return folders
    path = validate.path(folder, "folder").expanduser()
    # a folder that was moved may have left a link at its place
    by_place = (
        [
            candidate
            for candidate in folders
            if candidate.root in (place, str(layout_named(candidate.layout).home(Path(place))))
        ]
        for place in (os.path.realpath(path), os.path.abspath(path))
    )
    chosen = next(
        filter(None, by_place), [candidate for candidate in folders if candidate.ns == str(folder)]
    )
    if not chosen:
        roots = ", ".join(candidate.root for candidate in folders)
        raise NotFoundError(
            f"{folder} is not a folder of notes",
            f"there are: {roots}" if roots else "add one with `ghost notes add`",
        )
    return chosen
