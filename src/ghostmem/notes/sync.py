"""Update the memories of a folder's notes after its files changed.

Stats tell which files to read, the hash of a file whether it changed, and the hashes of sections
and chunks which parts of it: a section keeps its memory through edits, new headings and renames,
and a chunk whose text existed before keeps its vector."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from ghostmem.clock import earlier
from ghostmem.errors import NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.remove import remove
from ghostmem.model import Folder, Note, Record, optional
from ghostmem.notes.index import (
    forget_note,
    index_note,
    keep_vectors,
    link_notes,
    sections_of,
    shares_a_section,
    use_temporary_keys,
)
from ghostmem.notes.layouts import layout_named
from ghostmem.notes.scan import (
    ChangingError,
    FileToIndex,
    FolderScan,
    Read,
    is_still,
    looks_unmounted,
    read_note,
    same_text,
    scan,
    unique_by,
)
from ghostmem.store import Store, Transaction

FILES_PER_TRANSACTION = 100
MISSING_SECONDS = 0.5  # time for which a file must be missing to count as deleted
KEEP_DELETED = timedelta(days=30)  # a deleted section that returns earlier keeps its history
MAX_ROUNDS = 3  # scans, if files change while they are indexed
MAX_CHUNKS_IN_SEARCH = 64  # chunks that a search embeds before it answers

Progress = Callable[[int], None]


@frozen
class Problem(Record):
    """A file that is not, or not fully, searched, and why."""

    path: str
    reason: str


@dataclass(eq=False, repr=False)
class SyncReport(Record):
    """The changes that one synchronisation of a folder made."""

    root: str
    ns: str
    layout: str
    notes: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    missing: int = 0
    pending: int = 0
    embedded: int = 0
    pending_embeddings: int = 0
    failed: list[Problem] = field(default_factory=list)
    unavailable: str = optional("")

    @property
    def is_changed(self) -> bool:
        """Say whether any note was added, changed, moved or removed."""
        return bool(self.added or self.changed or self.moved or self.removed)


@dataclass(frozen=True, slots=True)
class _Changes:
    index: list[FileToIndex] = field(default_factory=list)
    touch: list[Note] = field(default_factory=list)  # only the time since when it is missing
    gone: list[Note] = field(default_factory=list)


def sync_folder(
    store: Store,
    folder: Folder,
    *,
    full: bool = False,
    settle: float = 0.0,
    accept_deletes: bool = False,
    link: bool = True,
    thorough: bool | None = None,
    progress: Progress | None = None,
) -> SyncReport:
    """Index the files of a folder that changed.

    Args:
        full: Read every file, whatever its stats.
        settle: Seconds to wait before a missing file counts as deleted. Without it, a file counts
            as deleted if it is missing again at a later call.
        accept_deletes: Believe that files are deleted even if most are missing.
        link: Embed all new chunks and link the memories.
        thorough: Also delete old remains and make vectors that are missing from before; by default
            with `full` or `settle`.
        progress: Called with the number of indexed files."""
    sync = _FolderSync(store, folder, full, settle, accept_deletes, progress)
    report = sync.report
    with store.engine.read() as tx:
        newest_chunk = tx.index.newest()
    for _ in range(MAX_ROUNDS):
        late = sync.scan_and_index()
        if not late:
            break
    else:
        report.pending += late
    report.failed.sort(key=lambda problem: problem.path)
    thorough = (bool(full or settle) if thorough is None else thorough) and not report.unavailable
    if thorough:
        _prune(store, folder)
    if report.pending_embeddings or (thorough and link):
        _embed(store, report, 0 if thorough else newest_chunk, link, progress)
    complete = not (report.pending or report.missing or report.unavailable)
    reconciled_at = store.clock() if complete and (report.is_changed or thorough) else None
    if reconciled_at is not None or report.unavailable != folder.unavailable:
        with store.engine.write(durable=False, within=(folder.ns,)) as tx:
            tx.notes.reconciled(folder.id, reconciled_at, report.unavailable)
    return report


class _FolderSync:
    def __init__(
        self,
        store: Store,
        folder: Folder,
        full: bool,
        settle: float,
        accept_deletes: bool,
        progress: Progress | None,
    ) -> None:
        self._store, self._folder = store, folder
        self._full, self._settle, self._accept_deletes = full, settle, accept_deletes
        self._progress = progress
        self._root, self._layout = Path(folder.root), layout_named(folder.layout)
        self.report = SyncReport(folder.root, folder.ns, folder.layout)

    def scan_and_index(self) -> int:
        """Scan the folder once and index the changes.

        Returns the number of files that changed again meanwhile and were left out."""
        folder, report = self._folder, self.report
        report.failed, report.missing, report.pending = [], 0, 0
        try:
            listing = scan(self._root, self._layout)
            with self._store.engine.read(folder.ns) as tx:
                stats, problems, missed = tx.notes.stats(folder.id)
                unchanged = stats == listing.files and not (
                    missed or self._full or folder.unavailable
                )
                indexed = {} if unchanged else tx.notes.known(folder.id)
            report.notes = len(listing.files)
            report.failed = [Problem(*refused) for refused in listing.refused.items()]
            if unchanged:
                report.failed += [Problem(*problem) for problem in problems.items()]
                return 0
            changes = self._compare(listing, indexed)
        except NotFoundError as error:  # also if it goes away between two scans
            report.unavailable = error.message
            return 0
        return self._write(changes)

    def _compare(self, listing: FolderScan, indexed: dict[str, Note]) -> _Changes:
        changes, report = _Changes(), self.report
        files, seen = self._read_changed(listing, indexed, changes)
        blank = [file for file in files if file.became_blank]
        files = [file for file in files if not file.became_blank]
        missing = [note for note in indexed.values() if note.id not in seen]
        report.pending += sum(listing.is_unseen(note.path) for note in missing)
        missing = [note for note in missing if not listing.is_unseen(note.path)]
        if self._settle and (missing or blank):
            time.sleep(self._settle)
            again = scan(self._root, self._layout).files
            missing = [note for note in missing if note.path not in again]
        # An editor may be writing a file that is empty.
        files += [
            file._replace(read=(self._settle and self._read(file.path)) or file.read)
            for file in blank
            if self._settle or (file.note and self._is_missing_long(file.note, changes))
        ]
        moved = self._moves(missing, files)
        moved_ids = {note.id for note in moved.values()}
        for path, read, note in sorted(files, key=lambda file: file.note is None):
            changes.index.append(FileToIndex(path, read, moved.get(path, note)))
            if note and path in moved and note.id not in moved_ids:
                changes.gone.append(note)  # another note has taken its path
        missing = [note for note in missing if note.id not in moved_ids]
        self._accept_missing(missing, indexed, listing, changes)
        return changes

    def _read_changed(
        self, listing: FolderScan, indexed: dict[str, Note], changes: _Changes
    ) -> tuple[list[FileToIndex], set[str]]:
        """Read the files whose stats changed.

        Returns changed and new files, and the ids of the notes that have a file."""
        files: list[FileToIndex] = []
        seen: dict[str, Note] = {}
        for path, stat in listing.files.items():
            note = indexed.get(path)
            if note is not None:
                seen[note.id] = note
                if note.stat == stat and not self._full:
                    if note.missing_at is not None:
                        changes.touch.append(note._replace(missing_at=None))
                    if note.problem:
                        self.report.failed.append(Problem(note.path, note.problem))
                    continue
            if (read := self._read(path)) is not None:
                # Also if only its time changed: that may be the time of its sections.
                files.append(FileToIndex(path, read, note))
        # A note that is renamed during the scan is seen under both names.
        inodes = {file.read.stat.inode for file in files if file.note is None}
        return files, {
            note.id
            for note in seen.values()
            if note.stat.inode not in inodes or os.path.lexists(self._root / note.path)
        }

    def _read(self, path: str) -> Read | None:
        try:
            return read_note(self._root / path)
        except FileNotFoundError:
            return None  # deleted since the scan; the next scan notices
        except ChangingError:
            self.report.pending += 1
        except OSError as error:
            self.report.failed.append(Problem(path, f"cannot be read: {error.strerror}"))
            self.report.pending += 1
        return None

    def _is_missing_long(self, note: Note, changes: _Changes) -> bool:
        """Say whether a note has been missing long enough; otherwise remember since when."""
        now = self._store.clock()
        if note.missing_at is not None and now - note.missing_at >= timedelta(
            seconds=MISSING_SECONDS
        ):
            return True
        self.report.missing += 1
        if note.missing_at is None:
            changes.touch.append(note._replace(missing_at=now))
        return False

    def _moves(self, missing: Sequence[Note], files: Sequence[FileToIndex]) -> dict[str, Note]:
        """Return the notes that had another path before, by their new path."""
        moved = same_text(missing, files)
        moved_ids = {note.id for note in moved.values()}
        inodes = unique_by(
            (note for note in missing if note.id not in moved_ids),
            lambda note: str(note.stat.inode),
        )
        candidates = [
            (file, inodes[inode])
            for file in files
            if file.note is None and file.path not in moved
            for inode in [str(file.read.stat.inode)]
            if inode in inodes
        ]
        if candidates:
            # The inode may have been reused, so the texts must have a section in common.
            with self._store.engine.read(self._folder.ns) as tx:
                moved |= {
                    file.path: note
                    for file, note in candidates
                    if shares_a_section(self._store, tx, note, file.read)
                }
        return moved

    def _accept_missing(
        self,
        missing: list[Note],
        indexed: dict[str, Note],
        listing: FolderScan,
        changes: _Changes,
    ) -> None:
        """Add the missing notes that count as deleted to the changes."""
        if not self._accept_deletes and looks_unmounted(missing, indexed, listing.files):
            self.report.unavailable = (
                f"{len(missing)} of {len(indexed)} notes are missing at once; if they are gone for "
                "good, run `ghost notes sync --accept-deletes`"
            )
            self.report.missing = len(missing)
            return
        changes.gone.extend(
            note
            for note in missing
            if self._settle or self._accept_deletes or self._is_missing_long(note, changes)
        )

    def _write(self, changes: _Changes) -> int:
        """Write the changes in batches that let other processes in between, then the links.

        Returns the number of files left out because they changed again, or because another process
        has moved their note."""
        moves = [file for file in changes.index if file.is_moved]
        in_place = [file for file in changes.index if not file.is_moved]
        edited = [
            file.note
            for file in changes.index
            if len(changes.index) > 1 and file.note and file.is_changed
        ]
        renamed, late = bool(changes.gone), 0
        if changes.gone or changes.touch or moves or edited:
            with self._transaction() as tx:
                self._forget_and_touch(tx, changes)
                # Text that goes from one file to another keeps its vectors, in either order.
                for note in edited:
                    keep_vectors(self._store, tx, sections_of(tx, note))
                movable = self._release_names(tx, moves)
                for file in movable:
                    self._index(tx, file)
                renamed = renamed or bool(movable)
                late = len(moves) - len(movable)
        for start in range(0, len(in_place), FILES_PER_TRANSACTION):
            with self._transaction() as tx:
                for file in in_place[start : start + FILES_PER_TRANSACTION]:
                    if is_still(self._root / file.path, file.read.stat):
                        renamed = self._index(tx, file) or renamed
                    else:
                        late += 1
            if self._progress is not None:
                self._progress(min(start + FILES_PER_TRANSACTION, len(in_place)))
        if self.report.is_changed:
            with self._transaction() as tx:
                link_notes(self._store, tx, self._folder, renamed)
        return late

    def _transaction(self) -> AbstractContextManager[Transaction]:
        return self._store.engine.write(durable=False, within=(self._folder.ns,))

    def _forget_and_touch(self, tx: Transaction, changes: _Changes) -> None:
        for note in changes.gone:
            if self._is_current(tx, note):
                forget_note(self._store, tx, self._folder, note)
                self.report.removed += 1
        for note in changes.touch:
            if self._is_current(tx, note, stat=False):
                tx.notes.put(self._folder.id, note)

    def _release_names(self, tx: Transaction, moves: Sequence[FileToIndex]) -> list[FileToIndex]:
        """Return the moves that are still valid; their notes give up paths and keys to swap."""
        valid = [
            (file, file.note)
            for file in moves
            if file.note is not None
            and self._is_current(tx, file.note)
            and is_still(self._root / file.path, file.read.stat)
        ]
        for _, note in valid:
            tx.notes.put(self._folder.id, note._replace(path=f"/{note.id}"))
            use_temporary_keys(tx, sections_of(tx, note), self._store.clock())
        return [file for file, _ in valid]

    def _index(self, tx: Transaction, file: FileToIndex) -> bool:
        """Index one file and count it; say whether a name was added or removed."""
        path, read, note = file
        result = index_note(self._store, tx, self._folder, self._layout, path, read, note)
        report = self.report
        report.added += note is None
        report.moved += file.is_moved
        report.changed += note is not None and not file.is_moved and result.changed
        report.pending_embeddings += result.unembedded
        if result.problem:
            report.failed.append(Problem(path, result.problem))
        return note is None or file.is_moved or result.renamed

    def _is_current(self, tx: Transaction, note: Note, stat: bool = True) -> bool:
        """Say whether no other process has changed a note since it was compared."""
        now = tx.notes.at(self._folder.id, note.path)
        return now is not None and now.id == note.id and (now.stat == note.stat or not stat)


def _embed(
    store: Store, report: SyncReport, after: int, link: bool, progress: Progress | None
) -> None:
    """Embed the new chunks; a search does so only for a few of them."""
    if not store.vectoriser.wanted:
        report.pending_embeddings = 0
    elif link or report.pending_embeddings <= MAX_CHUNKS_IN_SEARCH:
        report.embedded = catch_up(store, progress, link, after)
        report.pending_embeddings = max(0, report.pending_embeddings - report.embedded)


def _prune(store: Store, folder: Folder) -> None:
    """Delete sections that were removed long ago, and the vectors kept for them."""
    before = earlier(store.clock(), KEEP_DELETED)
    with store.engine.write(durable=False, within=(folder.ns,)) as tx:
        dead = [
            memory
            for memory in tx.listing.dead_keys(before)
            if memory.ns == folder.ns and "note" in memory.meta
        ]
        remove(tx, dead, store.clock(), hard=True)
        tx.notes.prune(before)
