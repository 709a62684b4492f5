"""Keep a namespace and a markdown folder equal, in both directions.

Keys are merged in batches under the folder's lock. Nothing is overwritten in the folder before the
store has it, so a run that was killed is completed by the next one."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from ghostmem.errors import InvalidInputError, NoteConflictError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.draft import INHERITED, Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import held_note, hold, quarantine_reasons, would_hold_note
from ghostmem.memory.remove import remove
from ghostmem.memory.write import write_draft
from ghostmem.model import LOCKED, FileRef, Folder, Kind, Memory, NsFilter, Record, Tier, optional
from ghostmem.notes.files import read_file, replace_file
from ghostmem.notes.knowledge import same_file_name
from ghostmem.notes.lock import locked
from ghostmem.notes.mirrors import topics
from ghostmem.notes.mirrors.daily import DAILY, FOLDER
from ghostmem.notes.mirrors.units import (
    FolderContents,
    MirrorLayout,
    Unit,
    UnitEdit,
    edit_file,
    fingerprint,
    free_key,
    is_same,
    is_unchanged,
    merge,
    of_line,
    read_folder,
    rename_unit,
    strip_blank_lines,
    tag_set,
)
from ghostmem.notes.scan import looks_unmounted, unique_by
from ghostmem.notes.topic_files import first_sentence
from ghostmem.store import Filter, Mirror, MirrorItem, Store, Transaction, validate

MISSING_SECONDS = 0.5  # time for which a unit must be missing to count as removed
KEYS_PER_LOCK = 100
LAYOUTS: Mapping[str, MirrorLayout] = {layout.name: layout for layout in (topics.TOPICS, DAILY)}
# A note in the folder says nothing about when a memory expires, and names its own file.
_INHERITED = [name for name in INHERITED if name not in ("expires_at", "files")]


@frozen
class MirrorConflict(Record):
    """A key that was edited on both sides; the other text is stored under `kept_as`."""

    key: str
    kept_as: str
    path: str


@frozen
class Pending(Record):
    """A key or file that is left for the next run, and why."""

    reason: str
    key: str = optional("")
    path: str = optional("")


@dataclass(eq=False, repr=False)
class MirrorReport(Record):
    """The changes that made a namespace and a folder equal."""

    root: str
    ns: str
    layout: str
    to_folder: int = 0
    to_store: int = 0
    removed_from_folder: int = 0
    removed_from_store: int = 0
    unchanged: int = 0
    conflicts: list[MirrorConflict] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    unavailable: str = optional("")

    @property
    def is_changed(self) -> bool:
        """Say whether anything was changed on either side."""
        removed = self.removed_from_folder or self.removed_from_store
        return bool(self.to_folder or self.to_store or removed or self.conflicts)

    def defer(self, key: str, path: str, reason: str) -> None:
        """Add a key or file that is left for the next run."""
        self.pending.append(Pending(reason, key, path))


def mirror(
    store: Store,
    folder: str | Path,
    ns: str,
    *,
    layout: str | None = None,
    accept_deletes: bool = False,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> MirrorReport:
    """Synchronise a namespace and a markdown folder in both directions.

    When both sides changed, both texts are kept.

    Args:
        folder: Folder.
        ns: Namespace.
        layout: "topics" or "daily"; required the first time unless the files show it.
        accept_deletes: Remove missing items even when most of the folder is missing.
        dry_run: Change nothing; report what would happen.
        progress: Called with the number of items done.
    """
    pair = _find_or_add(store, folder, validate.namespace(ns), layout, dry_run)
    report = MirrorReport(pair.root, pair.ns, pair.layout)
    with store.engine.read() as tx:
        items = tx.mirrors.items(pair.id)
        chosen = Filter(ns=NsFilter(pair.ns), now=store.clock(), noted=False)
        memories = {memory.key: memory for memory in tx.listing.select(chosen)}
        newest = tx.index.newest()
    run = MirrorRun(store, pair, LAYOUTS[pair.layout], Path(pair.root), items, report, dry_run)
    if not run.read_twice(memories, accept_deletes):
        return report
    changed = run.changed_keys(memories)
    for start in range(0, len(changed), KEYS_PER_LOCK):
        run.sync_keys(changed[start : start + KEYS_PER_LOCK])
        if progress is not None:
            progress(min(start + KEYS_PER_LOCK, len(changed)))
    if not dry_run:
        run.finish()
    for path, reason in sorted(run.contents.closed.items()):
        report.defer("", path, reason)
    if report.to_store and not dry_run:
        catch_up(store, progress, after=newest)
    return report


# The pair of folder and namespace


def _find_or_add(
    store: Store, folder: str | Path, ns: str, layout: str | None, dry_run: bool
) -> Mirror:
    root = validate.path(folder, "folder").expanduser()
    if root.is_file():
        raise InvalidInputError(
            f"{root} is a file, not a folder",
            "give the folder to mirror the namespace to",
        )
    root = root.resolve()
    validate.text(str(root), "folder")
    with store.engine.read() as tx:
        mirrors, searched = tx.mirrors.all(), tx.notes.folders(NsFilter(ns))
    chosen = _layout(root, layout, mirrors)
    home = chosen.home(root)
    _refuse_searched(home, chosen, searched)
    pair = next((candidate for candidate in mirrors if candidate.root == str(home)), None)
    if pair is None and not dry_run:
        with store.engine.write() as tx:
            pair = tx.mirrors.add(str(home), chosen.name, ns, store.clock())
    if pair is not None and (pair.ns, pair.layout) != (ns, chosen.name):
        raise InvalidInputError(
            f"{home} is mirrored with {pair.ns} already, layout {pair.layout}",
            "choose another folder, or end that mirror, which keeps files and memories: "
            f"`ghost notes rm {quote(str(home))}`",
        )
    return pair or Mirror(0, str(home), chosen.name, ns)


def mirrors(store: Store, ns: str | None = None) -> list[Mirror]:
    """Return the mirrors of some namespaces, the oldest first."""
    chosen = validate.ns_filter(ns)
    with store.engine.read() as tx:
        return [mirror for mirror in tx.mirrors.all() if chosen.matches(mirror.ns)]


def end_mirror(store: Store, folder: str | Path, dry_run: bool) -> Mirror | None:
    """Remove the mirror of a folder from the store, and return it; files and memories stay."""
    root = validate.path(folder, "folder").expanduser()
    homes = {
        str(layout.home(Path(path)))
        for layout in LAYOUTS.values()
        for path in (os.path.realpath(root), os.path.abspath(root))
    }
    with store.engine.write(dry_run=dry_run) as tx:
        mirror = next(
            (candidate for candidate in tx.mirrors.all() if candidate.root in homes), None
        )
        if mirror is not None:
            tx.mirrors.drop(mirror.id)
    return mirror


def _layout(root: Path, name: str | None, mirrors: Iterable[Mirror]) -> MirrorLayout:
    if name is not None and name not in LAYOUTS:
        raise InvalidInputError(
            f"there is no layout {name!r} to mirror in", f"the layouts are: {', '.join(LAYOUTS)}"
        )
    homes = {(str(layout.home(root)), layout.name) for layout in LAYOUTS.values()}
    present = [mirror.layout for mirror in mirrors if (mirror.root, mirror.layout) in homes]
    fitting = [layout.name for layout in LAYOUTS.values() if layout.fits(root)]
    names = [name] if name else present or fitting
    if len(names) != 1:
        problem = (
            "could be laid out in more than one way"
            if names
            else "does not show how it is laid out"
        )
        raise InvalidInputError(
            f"{root} {problem}", f"set the layout with --layout: {' or '.join(LAYOUTS)}"
        )
    return LAYOUTS[names[0]]


def _refuse_searched(home: Path, layout: MirrorLayout, searched: Iterable[Folder]) -> None:
    """Refuse a folder that is searched in the same namespace; all of it would be found twice."""
    inner = home if layout.is_single else home / FOLDER
    for folder in searched:
        if home.is_relative_to(folder.root) or Path(folder.root).is_relative_to(inner):
            raise InvalidInputError(
                f"{home} is searched in {folder.ns} already, so that everything in it would "
                "be found twice",
                "mirror another namespace, or stop searching it: `ghost notes rm "
                f"{quote(folder.root)}`",
            )


@dataclass(slots=True)
class MirrorRun:
    """The state of one run."""

    store: Store
    mirror: Mirror
    layout: MirrorLayout
    home: Path
    items: dict[str, MirrorItem]  # the common state at the last run
    report: MirrorReport
    dry_run: bool = False
    contents: FolderContents = field(default_factory=FolderContents)
    gone: set[str] = field(default_factory=set)  # keys that were removed from the folder
    renamed: Mapping[str, str] = field(default_factory=dict)  # old keys by new ones
    skipped: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)  # keys that neither side has any more
    left_paths: set[str] = field(default_factory=set)  # files that a unit was in before
    # Of the keys that are merged together: the edits by file, the names of files in use, and the
    # new common state, once the folder has it.
    edits: defaultdict[str, list[UnitEdit]] = field(default_factory=lambda: defaultdict(list))
    names: set[str] = field(default_factory=set)
    agreed: dict[str, MirrorItem | None] = field(default_factory=dict)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the lock of the folder, unless nothing is written."""
        return nullcontext() if self.dry_run else locked(self.home)

    def read_again(self) -> None:
        """Read the files that changed since the folder was read."""
        self.contents = read_folder(self.home, self.layout, self.items, self.contents)

    def of_memory(self, memory: Memory) -> Unit:
        """Return a memory as a unit, with the tags that the folder can carry."""
        return Unit(memory.key, "", 0, memory.content, memory.tags if self.layout.is_single else ())

    def read_twice(self, memories: Mapping[str, Memory], accept_deletes: bool) -> bool:
        """Read the folder, again if a unit is missing; say whether the result can be trusted."""
        missing = self._read(memories)
        if missing:
            time.sleep(MISSING_SECONDS)
            missing = self._read(memories)
        if not accept_deletes and looks_unmounted(missing, self.items, self.contents.units):
            self.report.unavailable = (
                f"{len(missing)} of {len(self.items)} are missing at once; "
                "if they are gone for good, mirror with --accept-deletes; "
                f"to write them again, run `ghost notes rm {quote(self.report.root)}` first"
            )
        self.gone = missing | set(self.renamed.values())
        return not self.report.unavailable

    def _read(self, memories: Mapping[str, Memory]) -> set[str]:
        """Return the keys that the folder no longer has; renamed units go to `self.renamed`."""
        folder = self.home.parent if self.layout.is_single else self.home
        try:
            if self.items and not folder.is_dir():
                self.report.unavailable = "is not there; is the disk mounted?"
                return set()
            self.contents = read_folder(self.home, self.layout, self.items)
        except NotFoundError as error:
            reason = error.message.removeprefix(f"{self.home} ")
            self.report.unavailable = f"{reason}; {error.hint}"
            return set()
        units, closed = self.contents.units, self.contents.closed
        missing = {
            key
            for key, item in self.items.items()
            if key not in units and item.path not in closed and key in memories
        }
        new = [unit for key, unit in units.items() if key not in self.items and key not in memories]
        old_keys = unique_by(missing, lambda key: self.items[key].hash)
        new_units = unique_by(new, lambda unit: fingerprint(unit.text))
        self.renamed = {
            unit.key: old_keys[text] for text, unit in new_units.items() if text in old_keys
        }
        return missing - set(self.renamed.values())

    def changed_keys(self, memories: Mapping[str, Memory]) -> list[str]:
        """Give units with a duplicate key one of their own, and return the keys that differ."""
        if self.contents.extra:
            with self.lock():
                self._rename_extra(memories)
        keys = sorted({*self.items, *memories, *self.contents.units} - self.skipped)
        changed = [key for key in keys if not self._is_equal(key, memories.get(key))]
        self.report.unchanged = sum(
            key in self.contents.units and key in memories for key in set(keys) - set(changed)
        )
        return changed

    def _is_equal(self, key: str, memory: Memory | None) -> bool:
        item, unit = self.items.get(key), self.contents.units.get(key)
        if item is not None and item.path in self.contents.closed:
            return True  # nothing can be done, and the report names the file
        if memory is None and item is None:
            return unit is None or not unit.text.strip()
        if item is None or memory is None or unit is None or item.path != unit.path:
            return False
        content = self.of_memory(memory)
        return is_same(content, unit) and is_unchanged(item, content)

    def _rename_extra(self, memories: Mapping[str, Memory]) -> None:
        def is_free(key: str) -> bool:
            return key not in self.contents.units and key not in self.items and key not in memories

        for key, text in [(extra.key, extra.text) for extra in self.contents.extra]:
            # Each rename reads the folder again, so that the unit may have another place by now.
            unit = next(
                (extra for extra in self.contents.extra if (extra.key, extra.text) == (key, text)),
                None,
            )
            if unit is None or self.dry_run:
                self.report.to_store += unit is not None
                continue
            name = unit.path.rpartition("/")[2].rpartition(".")[0]
            named_key = of_line(name) if self.layout.is_single else None
            new_key = (
                named_key
                if named_key and is_free(named_key)
                else free_key(key, [f" ({name})"], is_free)
            )
            if problem := rename_unit(self.home, self.layout, self.contents, unit, new_key):
                self.report.defer(key, unit.path, problem)
                self.skipped.add(key)
            self.read_again()

    def sync_keys(self, keys: Sequence[str]) -> None:
        """Make some keys equal on both sides."""
        with self.lock():
            if not self.dry_run:
                self.read_again()
            self.edits, self.agreed = defaultdict(list), {}
            self.names = self.contents.names() | {topics.INDEX_FILE.rpartition(".")[0]}
            with self.store.engine.write(dry_run=self.dry_run) as tx:
                for key in keys:
                    self._merge_key(tx, key)
            self._write_folder()

    def finish(self) -> None:
        """Update the index of topics, and drop the keys that neither side has any more."""
        abouts = self._update_index() if self.layout.is_single else {}
        changed = [
            item._replace(about=abouts[key])
            for key, item in self.items.items()
            if abouts.get(key, item.about) != item.about
        ]
        if changed or self.dropped:
            with self.store.engine.write() as tx:
                for key in self.dropped:
                    tx.mirrors.drop_item(self.mirror.id, key)
                for item in changed:
                    tx.mirrors.put_item(self.mirror.id, item)

    def _update_index(self) -> dict[str, str]:
        """Write the index if it is outdated, and return the mirror's own summaries by key."""
        units, path = self.contents.units, self.home / topics.INDEX_FILE
        entries = {
            key: topics.IndexEntry(name, first_sentence(units[key].text, name), item.about)
            for key, item in self.items.items()
            if key in units and units[key].text.strip()
            for name in [topics.stem_of(units[key].path)]
        }
        gone = {
            topics.stem_of(old_path) for old_path in self.left_paths - self.contents.files.keys()
        }
        file = read_file(path)
        try:
            if file.lossy:
                raise InvalidInputError("is not UTF-8")
            text, summaries = topics.update_index(file.text, entries.values(), gone)
            if text != file.text:
                with self.lock():
                    replace_file(path, file.encode(text), file.digest)
        except (NoteConflictError, InvalidInputError) as error:
            self.report.defer("", topics.INDEX_FILE, error.message)
            return {}
        return {key: summaries.get(entry.name, "") for key, entry in entries.items()}

    def _merge_key(self, tx: Transaction, key: str) -> None:
        """Merge both sides of a key, change the memory, and plan the change of the folder."""
        item, unit = tx.mirrors.item(self.mirror.id, key), self.contents.units.get(key)
        last = tx.memories.last(self.mirror.ns, key)
        memory = last if last is not None and last.is_current(self.store.clock()) else None
        if memory is not None and tx.notes.places([memory.id]):
            if unit is not None:
                self.report.defer(key, unit.path, "a note that is searched has this key")
            return
        if item is not None and item.path in self.contents.closed:
            return  # the report names the file
        content = None if memory is None else self.of_memory(memory)
        if content and item and is_unchanged(item, content) and self._defer(key, unit, item):
            return
        # An empty unit cannot be a memory, so it counts as not edited.
        base = (
            MirrorItem(key, unit.path, fingerprint(""), tag_set(unit.tags))
            if unit is not None and not unit.text.strip()
            else item
        )
        result = merge(base, content, unit, locked=memory is not None and memory.locked)
        try:
            if result.displaced is not None and memory is not None:
                self._keep_displaced(tx, memory, result.displaced, unit)
            stored = self._write_memory(tx, key, result.keep, memory, last, unit)
        except InvalidInputError as error:
            self.report.defer(key, unit.path if unit else "", error.message)
            return
        self._plan_folder(tx, key, result.keep, stored, unit, item)

    def _defer(self, key: str, unit: Unit | None, item: MirrorItem) -> bool:
        """Leave an unchanged memory for the next run if its unit has just vanished or is empty."""
        if key in self.gone if unit is None else unit.text.strip():
            return False
        empty = "has no text in the folder; delete the heading or the file to remove it"
        self.report.defer(
            key,
            unit.path if unit else item.path,
            "is missing since just now" if unit is None else empty,
        )
        return True

    def _write_memory(
        self,
        tx: Transaction,
        key: str,
        keep: Unit | None,
        memory: Memory | None,
        last: Memory | None,
        unit: Unit | None,
    ) -> Memory | None:
        if keep is None:
            if memory is not None:
                remove(tx, [memory], self.store.clock(), hard=False)
                self.report.removed_from_store += 1
            return None
        if unit is None or (memory is not None and is_same(self.of_memory(memory), keep)):
            return memory
        before = last or tx.memories.last(self.mirror.ns, self.renamed.get(key, key))
        before = tx.memories.with_refs([before])[0] if before else None
        fields = {} if memory is not None else self._fields(before, unit)
        if self.layout.is_single:
            fields["tags"] = validate.tags(keep.tags)
        fields["files"] = validate.files(
            [*(before.files if before else ()), FileRef(str(self.home / unit.path))]
        )
        same = memory is not None and fingerprint(memory.content) == fingerprint(keep.text)
        content = memory.content if memory and same else keep.text
        validate.content(content, self.store.settings.max_content_bytes)
        draft = Draft(self.mirror.ns, validate.key(key), content, fields, quiet=True, revive=True)
        if reasons := quarantine_reasons(self.store, tx, draft):
            # The memory stays as it is, and the report says why.
            raise InvalidInputError(
                would_hold_note(reasons)
                if self.dry_run
                else held_note(hold(self.store, tx, draft, reasons))
            )
        written = write_draft(self.store, tx, draft)
        if before is not None and before.key != key:
            tx.carry(before.id, written.id)
        self.report.to_store += 1
        return written

    def _fields(self, before: Memory | None, unit: Unit) -> dict[str, Any]:
        """Return the fields of a new memory: those of its predecessor, or those of the unit."""
        if before is not None:
            return {name: getattr(before, name) for name in _INHERITED}
        fields: dict[str, Any] = {"tier": Tier.LTM} if unit.lasting else {"kind": Kind.EPISODIC}
        now = self.store.clock()
        if unit.when is not None and unit.when.date() != now.date() and unit.when < now:
            fields["created_at"] = unit.when
        return fields

    def _keep_displaced(
        self, tx: Transaction, memory: Memory, text: str, unit: Unit | None
    ) -> None:
        """Store a text that lost its key under a new one, on both sides."""
        validate.content(text, self.store.settings.max_content_bytes)
        now, ns = self.store.clock(), self.mirror.ns
        stored = tx.listing.select(
            Filter(ns=NsFilter(ns), now=now, key_prefix=f"{memory.key} (conflict ")
        )
        if any(fingerprint(copy.content) == fingerprint(text) for copy in stored):
            return  # a run that was killed has stored it

        def is_free(key: str) -> bool:
            used = key in self.contents.units or key in self.items
            return not used and tx.memories.last(ns, key) is None

        marks = [f" (conflict {now:%Y-%m-%d %H.%M})", f" (conflict {now:%Y-%m-%d %H.%M.%S})"]
        key = free_key(memory.key, marks, is_free)
        source = tx.memories.with_refs([memory])[0]
        fields = {name: getattr(source, name) for name in _INHERITED} | {
            "pinned": False,
            "tags": tuple(tag for tag in memory.tags if tag != LOCKED),
            "created_at": memory.created_at,
        }
        written = write_draft(self.store, tx, Draft(ns, key, text, fields))
        self.report.conflicts.append(MirrorConflict(memory.key, key, unit.path if unit else ""))
        self._plan_folder(tx, key, self.of_memory(written), written, None, None)

    def _plan_folder(
        self,
        tx: Transaction,
        key: str,
        keep: Unit | None,
        memory: Memory | None,
        unit: Unit | None,
        item: MirrorItem | None,
    ) -> None:
        """Plan the edits of the folder, and the common state after them."""
        if keep is None:
            self.agreed[key] = None
            for path in self.contents.places.get(key, ()) if unit else ():
                self.edits[path].append(UnitEdit(key, None, (), self.store.clock()))
            return
        is_equal = unit is not None and is_same(keep, unit)
        if memory is None and not is_equal:
            return
        paths = [unit.path] if unit else []
        if memory is not None and not is_equal:
            paths = self.contents.places[key] if unit else [self._new_path(key, memory, item)]
            edit = UnitEdit(key, strip_blank_lines(keep.text), keep.tags, memory.created_at)
            for path in paths:
                self.edits[path].append(edit)
        self.agreed[key] = agreed = MirrorItem(
            key,
            unit.path if unit else paths[0],
            fingerprint(keep.text),
            tag_set(keep.tags),
            item.about if item else "",
        )
        if is_equal and not self.dry_run:
            tx.mirrors.put_item(self.mirror.id, agreed)

    def _new_path(self, key: str, memory: Memory, item: MirrorItem | None) -> str:
        path, is_single = item.path if item else "", self.layout.is_single
        if not path or (is_single and same_file_name(topics.stem_of(path)) in self.names):
            lasting = memory.tier is Tier.LTM or memory.pinned or memory.kind is Kind.SEMANTIC
            path = self.layout.place(key, memory.created_at, lasting, self.names)
        self.names.add(same_file_name(path.rpartition(".")[0]))
        return path

    def _write_folder(self) -> None:
        """Edit the files of the folder, and store the new common state."""
        failed: dict[str, str] = {}
        removed, written = set[str](), set[str]()
        for path, edits in sorted(self.edits.items()):
            if path in self.contents.closed:
                failed |= {edit.key: self.contents.closed[path] for edit in edits}
            elif not self.dry_run:
                failed |= edit_file(self.home, self.layout, self.contents, path, edits)
            for edit in edits:
                (removed if edit.text is None else written).add(edit.key)
        for key, reason in sorted(failed.items()):
            item = self.agreed.pop(key) or self.items.get(key)
            self.report.defer(key, item.path if item else "", reason)
        self.report.removed_from_folder += len(removed - failed.keys())
        self.report.to_folder += len(written - failed.keys())
        if not self.agreed or self.dry_run:
            return
        self.read_again()
        with self.store.engine.write() as tx:
            for key, item in self.agreed.items():
                before = self.items.pop(key, None)
                if before and (item is None or item.path != before.path):
                    self.left_paths.add(before.path)
                if item is None:
                    self.dropped.add(key)
                else:
                    self.items[key] = item
                    tx.mirrors.put_item(self.mirror.id, item)
