"""Bringing what is known of a folder's notes in step with the folder, which has the last word.

Stats tell which files to read, their hash whether there is anything new, and the hashes of sections
and chunks what of it: a section keeps its memory through edits, new headings and renames, and a
chunk whose text was there before keeps its vector."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.clock import earlier
from ghostmem.errors import NotFoundError
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.remove import remove
from ghostmem.model import Folder, Note, Record, Stat, optional
from ghostmem.notes.index import (
    forget_note,
    index_note,
    park,
    sections_of,
    shares_a_section,
    spare_vectors,
)
from ghostmem.notes.layouts.table import layout_named
from ghostmem.notes.links import link_notes
from ghostmem.notes.moves import Changed, same_inode, same_text
from ghostmem.notes.scan import ChangingError, Read, Sight, is_still, read_note, same_name, scan
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.notes.layouts.base import Layout
    from ghostmem.store.protocol import Transaction

BATCH = 100  # files a transaction
SETTLE = 0.5  # seconds for which a file must be missing before it is believed to be gone
FEWEST, SHARE = 10, 0.5  # so many that vanish at once, and such a share, are a disk that is away
KEPT = timedelta(days=30)  # how long what was deleted can come back with all that was known of it
ROUNDS = 3  # how often files that change while they are indexed are looked at again
AT_ONCE = 64  # chunks that a search embeds before it answers


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Record):
    """A file that is not, or not fully, searched, and why."""

    path: str
    reason: str


@dataclass(eq=False, repr=False)
class SyncReport(Record):
    """What one look at a folder came to."""

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
        """Say whether anything was done."""
        return bool(self.added or self.changed or self.moved or self.removed)


Indexing = tuple[str, Read, Note | None]  # a file, and the note that it was


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done in the store: files to index (with the note that each was before), notes
    to touch, and to forget.
    """

    index: list[Indexing] = field(default_factory=list)
    touch: list[Note] = field(default_factory=list)
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
    progress: Callable[[int], None] | None = None,
) -> SyncReport:
    """Index what changed in a folder; `full` reads every file whatever its stats say.

    A file that is missing is believed to be gone when it is missing again half a second later: at
    once with `settle`, which waits that long, else at the next look. Where most are missing nothing
    is believed, unless `accept_deletes` says so. With `full` or `settle` old remains are cleared
    away too, and vectors made that are missing from before, unless `thorough` says otherwise."""
    report = SyncReport(folder.root, folder.ns, folder.layout)
    before = _last_chunk(store)
    for _ in range(ROUNDS):
        late = _look(store, folder, full, settle, accept_deletes, report, progress)
        if not late:
            break
    else:
        report.pending += late
    report.failed.sort(key=lambda problem: problem.path)
    thorough = (bool(full or settle) if thorough is None else thorough) and not report.unavailable
    if thorough:
        _prune(store, folder)
    if report.pending_embeddings or (thorough and link):
        _embed(store, report, 0 if thorough else before, link, progress)
    done = not (report.pending or report.missing or report.unavailable)
    _close(
        store,
        folder,
        store.clock() if done and (report.is_changed or thorough) else None,
        report.unavailable,
    )
    return report


def _look(
    store: Store,
    folder: Folder,
    full: bool,
    settle: float,
    accept_deletes: bool,
    report: SyncReport,
    progress: Callable[[int], None] | None,
) -> int:
    """Look at a folder once and index what changed.

    Return how many files changed again meanwhile, and were left out.
    """
    layout, root = layout_named(folder.layout), Path(folder.root)
    report.failed, report.missing, report.pending = [], 0, 0
    try:
        sight = scan(root, layout)
    except NotFoundError as error:
        report.unavailable = error.message
        return 0
    with store.engine.read() as tx:
        stats, wrong, missed = tx.notes.stats(folder.id)
        same = stats == sight.files and not (missed or full or folder.unavailable)
        known = {} if same else tx.notes.known(folder.id)
    report.notes = len(sight.files)
    report.failed = [Problem(path, reason) for path, reason in sight.refused.items()]
    if same:
        report.failed += [Problem(path, reason) for path, reason in wrong.items()]
        return 0
    try:
        work = _work(store, root, layout, sight, known, full, settle, accept_deletes, report)
    except NotFoundError as error:  # it went away while we waited
        report.unavailable = error.message
        return 0
    return _write(store, folder, layout, work, report, progress)


def _close(store: Store, folder: Folder, at: datetime | None, unavailable: str) -> None:
    """Write down how it ended, if that is anything new."""
    if at is None and unavailable == folder.unavailable:
        return
    with store.engine.write(durable=False, within=(folder.ns,)) as tx:
        tx.notes.reconciled(folder.id, at, unavailable)


def _work(
    store: Store,
    root: Path,
    layout: Layout,
    sight: Sight,
    known: dict[str, Note],
    full: bool,
    settle: float,
    accept_deletes: bool,
    report: SyncReport,
) -> _Work:
    work = _Work()
    blank: list[Changed] = []
    fresh: list[tuple[str, Read]] = []
    there: list[Changed] = []
    seen: set[str] = set()
    for path, stat in sight.files.items():
        note = known_as(path, known, sight.files)
        if note is not None:
            seen.add(note.id)
            if note.stat == stat and note.path == path and not full:
                if note.missing_at is not None:
                    work.touch.append(note._replace(missing_at=None))
                if note.problem:
                    report.failed.append(Problem(path, note.problem))
                continue
        if (read := _read(root, path, report)) is None:
            continue
        if note is None:
            fresh.append((path, read))
        elif note.hash and read.text.digest != note.hash and not read.text.text.strip():
            blank.append((path, read, note))
        else:
            there.append(
                (path, read, note)
            )  # also when only its time changed: that may be the time of its sections
    if fresh:
        seen -= _half_seen(root, [note for note in known.values() if note.id in seen], fresh)
    missing = [note for note in known.values() if note.id not in seen]
    report.pending += sum(sight.is_unseen(note.path) for note in missing) if sight.unseen else 0
    missing = [note for note in missing if not sight.is_unseen(note.path)]
    if settle and (missing or blank):
        time.sleep(settle)
        again = scan(root, layout).files
        missing = [note for note in missing if note.path not in again]
    _wait_for_text(store, root, work, blank, there, bool(settle), report)
    moved = _moves(store, missing, there, fresh)
    arrived = {note.id for note in moved.values()}
    for path, read, note in there:
        work.index.append((path, read, moved.get(path, note)))
        if path in moved and note.id not in arrived:
            work.gone.append(note)  # another note has taken its name
    work.index.extend((path, read, moved.get(path)) for path, read in fresh)
    missing = [note for note in missing if note.id not in arrived]
    _judge(store, work, missing, known, sight, bool(settle), accept_deletes, report)
    return work


def _half_seen(root: Path, seen: Sequence[Note], fresh: Sequence[tuple[str, Read]]) -> set[str]:
    """Return the notes that were renamed while the folder was looked at, so that both names were
    seen.
    """
    inodes = {read.stat.inode for _, read in fresh}
    return {
        note.id
        for note in seen
        if note.stat.inode in inodes and not os.path.lexists(root / note.path)
    }


def _wait_for_text(
    store: Store,
    root: Path,
    work: _Work,
    blank: list[Changed],
    there: list[Changed],
    settled: bool,
    report: SyncReport,
) -> None:
    """Take a note that has become empty for one that an editor is just writing, until it is empty
    for half a second.
    """
    now = store.clock()
    for path, read, note in blank:
        if settled:
            read = _read(root, path, report) or read
        if settled or (
            note.missing_at is not None and now - note.missing_at >= timedelta(seconds=SETTLE)
        ):
            there.append((path, read, note))
            continue
        report.missing += 1
        if note.missing_at is None:
            work.touch.append(note._replace(missing_at=now))


def known_as(path: str, known: Mapping[str, Note], files: Mapping[str, Stat]) -> Note | None:
    """Return the note that a path is known as: under that name, or under the same one with its
    accents written otherwise.
    """
    note = known.get(path)
    if note is None and not path.isascii():
        other = [
            one
            for name, one in known.items()
            if name not in files and same_name(name) == same_name(path)
        ]
        note = other[0] if len(other) == 1 else None
    return note


def _judge(
    store: Store,
    work: _Work,
    missing: list[Note],
    known: dict[str, Note],
    sight: Sight,
    settled: bool,
    accept_deletes: bool,
    report: SyncReport,
) -> None:
    """Say which of the missing notes are gone."""
    many = len(missing) >= FEWEST and len(missing) > SHARE * len(known)
    if missing and (many or not sight.files) and not accept_deletes:
        what = f"{len(missing)} of {len(known)} notes are missing at once"
        report.unavailable = (
            f"{what}; if they are gone for good, run `ghost notes sync --accept-deletes`"
        )
        report.missing = len(missing)
        return
    now = store.clock()
    for note in missing:
        if (
            settled
            or accept_deletes
            or (note.missing_at is not None and now - note.missing_at >= timedelta(seconds=SETTLE))
        ):
            work.gone.append(note)
        else:
            report.missing += 1
            if note.missing_at is None:
                work.touch.append(note._replace(missing_at=now))


def _read(root: Path, path: str, report: SyncReport) -> Read | None:
    try:
        return read_note(root / path)
    except FileNotFoundError:
        return None  # gone since the scan; the next one tells
    except ChangingError:
        report.pending += 1
    except OSError as error:
        report.failed.append(Problem(path, f"cannot be read: {error.strerror}"))
        report.pending += 1
    return None


def _moves(
    store: Store,
    missing: Sequence[Note],
    there: Sequence[Changed],
    fresh: Sequence[tuple[str, Read]],
) -> dict[str, Note]:
    """Return, by path, the notes that files were under another name."""
    changed = [one for one in there if one[1].text.digest != one[2].hash]
    found = same_text(missing, changed, fresh)
    taken = {note.id for note in found.values()}
    left = [note for note in missing if note.id not in taken]
    maybe = same_inode(left, [one for one in fresh if one[0] not in found])
    if (
        maybe
    ):  # the number may have been given to another file, so the texts must have something in common
        reads = dict(fresh)
        with store.engine.read() as tx:
            found |= {
                path: note
                for path, note in maybe.items()
                if shares_a_section(store, tx, note, reads[path])
            }
    return found


def _write(
    store: Store,
    folder: Folder,
    layout: Layout,
    work: _Work,
    report: SyncReport,
    progress: Callable[[int], None] | None,
) -> int:
    """Do the work in batches that other processes can get between, then find out where links lead.

    A file that is no longer what was read, or a note that another process has moved, is left out;
    returns how many were."""
    late = 0
    moves = [one for one in work.index if one[2] is not None and one[2].path != one[0]]
    others = [one for one in work.index if one[2] is None or one[2].path == one[0]]
    with_vectors = [
        old for _, read, old in work.index if old is not None and old.hash != read.text.digest
    ]
    renamed = bool(work.gone)
    if work.gone or work.touch or moves or (len(work.index) > 1 and with_vectors):
        with store.engine.write(durable=False, within=(folder.ns,)) as tx:
            for note in work.gone:
                if _is_still(tx, folder, note):
                    forget_note(store, tx, folder, note)
                    report.removed += 1
            for note in work.touch:
                if _is_still(tx, folder, note, stat=False):
                    tx.notes.put(folder.id, note)
            for giving in with_vectors if len(work.index) > 1 else ():
                # a text that goes from one file to another takes its vectors along, whichever comes
                # first
                spare_vectors(store, tx, sections_of(tx, giving))
            for one in _parked(store, tx, folder, moves):
                _index(store, tx, folder, layout, one, report)
                renamed = True
                late -= 1
            late += len(moves)
    for start in range(0, len(others), BATCH):
        with store.engine.write(durable=False, within=(folder.ns,)) as tx:
            for one in others[start : start + BATCH]:
                if is_still(Path(folder.root, one[0]), one[1].stat):
                    renamed = _index(store, tx, folder, layout, one, report) or renamed
                else:
                    late += 1
        if progress is not None:
            progress(min(start + BATCH, len(others)))
    if report.is_changed:
        with store.engine.write(durable=False, within=(folder.ns,)) as tx:
            link_notes(store, tx, folder, renamed)
    return late


def _parked(
    store: Store, tx: Transaction, folder: Folder, moves: Sequence[Indexing]
) -> list[Indexing]:
    """Return the moves that still hold, their notes' names given up: they may exchange them with
    each other.
    """
    root = Path(folder.root)
    found = [
        one
        for one in moves
        if one[2] and _is_still(tx, folder, one[2]) and is_still(root / one[0], one[1].stat)
    ]
    for _, _, old in found:
        if old is not None:
            tx.notes.put(folder.id, old._replace(path=f"/{old.id}"))
            park(tx, sections_of(tx, old), store.clock())
    return found


def _index(
    store: Store, tx: Transaction, folder: Folder, layout: Layout, one: Indexing, report: SyncReport
) -> bool:
    """Index one file and count it; say whether a name came or went."""
    path, read, old = one
    done = index_note(store, tx, folder, layout, path, read, old)
    report.added += old is None
    report.moved += old is not None and old.path != path
    report.changed += old is not None and old.path == path and done.changed
    report.pending_embeddings += done.bare
    if done.problem:
        report.failed.append(Problem(path, done.problem))
    return old is None or old.path != path or done.renamed


def _is_still(tx: Transaction, folder: Folder, note: Note, stat: bool = True) -> bool:
    """Say whether a note is what it was when its file was looked for: another process may know more
    by now.
    """
    now = tx.notes.at(folder.id, note.path)
    return now is not None and now.id == note.id and (now.stat == note.stat or not stat)


def _last_chunk(store: Store) -> int:
    with store.engine.read() as tx:
        return tx.index.newest()


def _embed(
    store: Store, report: SyncReport, after: int, link: bool, progress: Callable[[int], None] | None
) -> None:
    """Give the new chunks vectors.

    A search does so only where that is quick, and leaves the rest for later.
    """
    if not store.vectoriser.wanted:
        report.pending_embeddings = 0
    elif link or report.pending_embeddings <= AT_ONCE:
        report.embedded = catch_up(store, progress, link, after)
        report.pending_embeddings = max(0, report.pending_embeddings - report.embedded)


def _prune(store: Store, folder: Folder) -> None:
    """Let go what was deleted long ago, and the vectors that were kept for it."""
    before = earlier(store.clock(), KEPT)
    with store.engine.write(durable=False, within=(folder.ns,)) as tx:
        dead = [
            memory
            for memory in tx.listing.dead_keys(before)
            if memory.ns == folder.ns and "note" in memory.meta
        ]
        remove(tx, dead, store.clock(), hard=True)
        tx.notes.prune(before)
