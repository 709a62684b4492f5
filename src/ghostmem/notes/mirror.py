"""Keep a namespace and a markdown folder equal, in both directions."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from shlex import quote

from ghostmem.errors import InvalidInputError, NotFoundError
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Folder, Memory, NsFilter
from ghostmem.notes.mirrors.daily import DAILY, FOLDER
from ghostmem.notes.mirrors.folder import free_key, read_folder, rename_unit
from ghostmem.notes.mirrors.run import MirrorReport, MirrorRun
from ghostmem.notes.mirrors.topics import TOPICS
from ghostmem.notes.mirrors.units import MirrorLayout, fingerprint, is_same, is_unchanged, of_line
from ghostmem.notes.scan import looks_unmounted, unique_by
from ghostmem.store import Filter, Store, validate
from ghostmem.store.small_tables import Mirror

__all__ = ["MirrorReport", "mirror"]

MISSING_SECONDS = 0.5  # time for which a unit must be missing to count as removed
KEYS_PER_LOCK = 100
LAYOUTS: Mapping[str, MirrorLayout] = {layout.name: layout for layout in (TOPICS, DAILY)}


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
    if not _read_twice(run, memories, accept_deletes):
        return report
    changed = _changed_keys(run, memories)
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
    """Return the mirror of a folder, added to the store if it is new."""
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
    if name is not None:
        if name not in LAYOUTS:
            raise InvalidInputError(
                f"there is no layout {name!r} to mirror in",
                f"the layouts are: {', '.join(LAYOUTS)}",
            )
        return LAYOUTS[name]
    homes = {(str(layout.home(root)), layout.name) for layout in LAYOUTS.values()}
    names = [
        candidate.layout for candidate in mirrors if (candidate.root, candidate.layout) in homes
    ]
    names = names or [layout.name for layout in LAYOUTS.values() if layout.fits(root)]
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


# The keys to synchronise


def _read_twice(run: MirrorRun, memories: Mapping[str, Memory], accept_deletes: bool) -> bool:
    """Read the folder, again if a unit is missing; say whether the result can be trusted."""
    if not _read(run):
        return False
    missing = _missing(run, memories)
    if missing:
        time.sleep(MISSING_SECONDS)
        if not _read(run):
            return False
        missing = _missing(run, memories)
    if not accept_deletes and looks_unmounted(missing, run.items, run.contents.units):
        run.report.unavailable = (
            f"{len(missing)} of {len(run.items)} are missing at once; "
            "if they are gone for good, mirror with --accept-deletes; "
            f"to write them again, run `ghost notes rm {quote(run.report.root)}` first"
        )
        return False
    run.gone = missing | set(run.renamed.values())
    return True


def _read(run: MirrorRun) -> bool:
    folder = run.home.parent if run.layout.is_single else run.home
    try:
        if run.items and not folder.is_dir():
            run.report.unavailable = "is not there; is the disk mounted?"
        run.contents = read_folder(run.home, run.layout, run.items)
    except NotFoundError as error:
        reason = error.message.removeprefix(f"{run.home} ")
        run.report.unavailable = f"{reason}; {error.hint}"
    return not run.report.unavailable


def _missing(run: MirrorRun, memories: Mapping[str, Memory]) -> set[str]:
    """Return the keys that the folder no longer has; renamed units go to `run.renamed`."""
    units, closed = run.contents.units, run.contents.closed
    missing = {
        key
        for key, item in run.items.items()
        if key not in units and item.path not in closed and key in memories
    }
    new = [unit for key, unit in units.items() if key not in run.items and key not in memories]
    old_keys = unique_by(missing, lambda key: run.items[key].hash)
    new_units = unique_by(new, lambda unit: fingerprint(unit.text))
    run.renamed = {unit.key: old_keys[text] for text, unit in new_units.items() if text in old_keys}
    return missing - set(run.renamed.values())


def _changed_keys(run: MirrorRun, memories: Mapping[str, Memory]) -> list[str]:
    """Give units with a duplicate key one of their own, and return the keys that differ."""
    if run.contents.extra:
        with run.lock():
            _rename_extra(run, memories)
    keys = sorted({*run.items, *memories, *run.contents.units} - run.skipped)
    changed = [key for key in keys if not _is_equal(run, key, memories.get(key))]
    run.report.unchanged = sum(
        key in run.contents.units and key in memories for key in set(keys) - set(changed)
    )
    return changed


def _is_equal(run: MirrorRun, key: str, memory: Memory | None) -> bool:
    item, unit = run.items.get(key), run.contents.units.get(key)
    if item is not None and item.path in run.contents.closed:
        return True  # nothing can be done, and the report names the file
    if memory is None and item is None:
        return unit is None or not unit.text.strip()
    if item is None or memory is None or unit is None or item.path != unit.path:
        return False
    content = run.of_memory(memory)
    return is_same(content, run.of_unit(unit)) and is_unchanged(item, content)


def _rename_extra(run: MirrorRun, memories: Mapping[str, Memory]) -> None:
    def is_free(key: str) -> bool:
        return key not in run.contents.units and key not in run.items and key not in memories

    for key, text in [(extra.key, extra.text) for extra in run.contents.extra]:
        # Each rename reads the folder again, so that the unit may have another place by now.
        unit = next(
            (extra for extra in run.contents.extra if (extra.key, extra.text) == (key, text)), None
        )
        if unit is None or run.dry_run:
            run.report.to_store += unit is not None
            continue
        name = unit.path.rpartition("/")[2].rpartition(".")[0]
        named_key = of_line(name) if run.layout.is_single else None
        new_key = (
            named_key
            if named_key and is_free(named_key)
            else free_key(key, [f" ({name})"], is_free)
        )
        if problem := rename_unit(run.home, run.layout, run.contents, unit, new_key):
            run.report.defer(key, unit.path, problem)
            run.skipped.add(key)
        run.read_again()
