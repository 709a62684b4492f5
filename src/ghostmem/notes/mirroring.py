"""mirror: keep a namespace and a markdown folder equal, in both directions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path

from ghostmem.errors import InvalidInputError
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Folder, Memory, NsFilter
from ghostmem.notes.lock import locked
from ghostmem.notes.mirror_index import index_is_out_of_step, list_topics
from ghostmem.notes.mirror_job import Job, MirrorReport, base_of, side_of, unit_side
from ghostmem.notes.mirror_units import bring
from ghostmem.notes.mirrors.base import Shape, Unit, fingerprint
from ghostmem.notes.mirrors.daily import FOLDER
from ghostmem.notes.mirrors.folder import Sight, free_key, look, rename
from ghostmem.notes.mirrors.merge import is_as_agreed, is_same
from ghostmem.notes.mirrors.names import of_line
from ghostmem.notes.mirrors.table import SHAPES, shape_named
from ghostmem.store import validate
from ghostmem.store.mirror import Item, Mirror
from ghostmem.store.rows import Filter
from ghostmem.store.store import Store

__all__ = ["MirrorReport", "mirror"]

SETTLE = 0.5  # seconds for which a unit must be missing before it is believed to be gone
FEWEST, SHARE = 10, 0.5  # so many that vanish at once, and such a share, are a disk that is away
BATCH = 100  # units that are decided on under one lock


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
    """Bring a namespace and a folder in step: what changed on one side since the last time goes to
    the other.

    Where both changed, the key keeps the folder's text and the memory's is kept under a key of its
    own, on both sides; a memory that is locked keeps its text instead. The first time `layout` says
    how the folder is laid out, unless the folder shows it. What is missing in the folder is removed
    when it is still missing half a second later, and never when most of it is missing, unless
    `accept_deletes` says so."""
    pair = _pair(store, folder, validate.namespace(ns), layout, dry_run)
    shape = shape_named(pair.layout)
    report = MirrorReport(pair.root, pair.ns, pair.layout)
    with store.engine.read() as tx:
        items = tx.mirrors.items(pair.id)
        now = store.clock()
        memories = {
            one.key: one
            for one in tx.listing.select(Filter(ns=NsFilter(pair.ns), now=now, noted=False))
        }
        newest = tx.index.newest()
    job = Job(store, pair, shape, Path(pair.root), items, report, dry_run)
    if not _see(job, memories, accept_deletes):
        return report
    todo = _sort_out(job, memories)
    for start in range(0, len(todo), BATCH):
        bring(job, todo[start : start + BATCH])
        if progress is not None:
            progress(min(start + BATCH, len(todo)))
    if not dry_run and index_is_out_of_step(job):
        with locked(job.home):
            list_topics(job)
    for path, reason in sorted(job.sight.closed.items()):
        report.wait("", path, reason)
    if report.to_store and not dry_run:
        catch_up(store, progress, after=newest)
    return report


# --- which folder, which namespace


def _pair(store: Store, folder: str | Path, ns: str, layout: str | None, dry_run: bool) -> Mirror:
    """Return the mirror that is meant, writing it down when it is new."""
    root = Path(folder).expanduser()
    if root.is_file():
        raise InvalidInputError(
            f"{root} is a file, not a folder",
            "name the folder that the namespace is to be mirrored in",
        )
    root = root.resolve()
    validate.text(str(root), "folder")
    with store.engine.read() as tx:
        known, searched = tx.mirrors.all(), tx.notes.folders(NsFilter(ns))
    shape = _shape(root, layout, known)
    home = shape.home(root)
    found = next((one for one in known if one.root == str(home)), None)
    _refuse_searched(home, shape, searched)
    if found is None and not dry_run:
        with store.engine.write() as tx:
            found = tx.mirrors.add(str(home), shape.name, ns, store.clock())
    if found is not None and (found.ns, found.layout) != (ns, shape.name):
        raise InvalidInputError(
            f"{home} is mirrored with {found.ns} already, laid out as {found.layout}",
            "name another folder; one folder has one namespace and one layout",
        )
    return found or Mirror(0, str(home), shape.name, ns)


def _shape(root: Path, layout: str | None, known: Iterable[Mirror]) -> Shape:
    if layout is not None:
        return shape_named(layout)
    roots = {(str(shape.home(root)), shape.name) for shape in SHAPES.values()}
    names = [one.layout for one in known if (one.root, one.layout) in roots]
    names = names or [shape.name for shape in SHAPES.values() if shape.fits(root)]
    if len(names) != 1:
        what = (
            "could be laid out in more than one way"
            if names
            else "does not show how it is laid out"
        )
        raise InvalidInputError(
            f"{root} {what}", f"name the layout with --layout: {' or '.join(SHAPES)}"
        )
    return SHAPES[names[0]]


def _refuse_searched(home: Path, shape: Shape, searched: Iterable[Folder]) -> None:
    """Refuse a folder that is searched in the same namespace, where everything would be found
    twice.
    """
    inner = home if shape.is_single else home / FOLDER
    for one in searched:
        if home.is_relative_to(one.root) or Path(one.root).is_relative_to(inner):
            raise InvalidInputError(
                f"{home} is searched in {one.ns} already, so that everything in it would "
                "be found twice",
                f"mirror another namespace, or stop searching it: `ghost notes rm {one.root}`",
            )


# --- what there is to do


def _see(job: Job, memories: Mapping[str, Memory], accept_deletes: bool) -> bool:
    """Look at the folder, twice when something is missing; say whether it can be believed."""
    if not _look(job):
        return False
    missing = _missing(job, memories)
    if missing:
        time.sleep(SETTLE)
        if not _look(job):
            return False
        missing = _missing(job, memories)
    many = len(missing) >= FEWEST and len(missing) > SHARE * len(job.items)
    if missing and (many or not job.sight.units) and not accept_deletes:
        job.report.unavailable = (
            f"{len(missing)} of {len(job.items)} are missing at once; "
            "if they are gone for good, mirror with --accept-deletes"
        )
        return False
    job.believed = missing | set(job.renamed.values())
    return True


def _look(job: Job) -> bool:
    try:
        if not (job.home.parent if job.shape.is_single else job.home).is_dir():
            job.sight = Sight()
            job.report.unavailable = "is not there; is the disk mounted?" if job.items else ""
        else:
            job.sight = look(job.home, job.shape, job.known)
    except OSError as error:
        job.report.unavailable = (
            f"cannot be read: {error.strerror}; is the disk mounted, and may you read it?"
        )
    return not job.report.unavailable


def _missing(job: Job, memories: Mapping[str, Memory]) -> set[str]:
    """Return the keys that were in the folder and are not, but for those that are there under
    another key.
    """
    units, closed = job.sight.units, job.sight.closed
    missing = {
        key
        for key, item in job.items.items()
        if key not in units and item.path not in closed and key in memories
    }
    new = [unit for key, unit in units.items() if key not in job.items and key not in memories]
    old = _once((job.items[key].hash, key) for key in missing)
    texts = _once((fingerprint(unit.text), unit.key) for unit in new)
    job.renamed = {key: old[text] for text, key in texts.items() if text in old}
    return missing - set(job.renamed.values())


def _once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return keys by a text that only one of them has."""
    found: dict[str, list[str]] = {}
    for text, key in pairs:
        found.setdefault(text, []).append(key)
    return {text: keys[0] for text, keys in found.items() if len(keys) == 1}


def _sort_out(job: Job, memories: Mapping[str, Memory]) -> list[str]:
    """Give units of a taken key one of their own, and return the keys for which there is something
    to do.
    """
    if job.sight.extra:
        with nullcontext() if job.dry_run else locked(job.home):
            _rename_extra(job, memories)
    keys = sorted({*job.items, *memories, *job.sight.units} - job.held)
    todo = [
        key
        for key in keys
        if not _is_in_step(job, job.items.get(key), memories.get(key), job.sight.units.get(key))
    ]
    job.report.unchanged = sum(
        key in job.sight.units and key in memories for key in set(keys) - set(todo)
    )
    return todo


def _is_in_step(job: Job, item: Item | None, memory: Memory | None, unit: Unit | None) -> bool:
    if item is not None and item.path in job.sight.closed:
        return True  # nothing can be done, and the report says so
    if memory is None and item is None:
        return unit is None or not unit.text.strip()
    if item is None or memory is None or unit is None or item.path != unit.path:
        return False
    told = side_of(job.shape, memory)
    return is_same(told, unit_side(job.shape, unit)) and is_as_agreed(base_of(item), told)


def _rename_extra(job: Job, memories: Mapping[str, Memory]) -> None:
    for one in list(job.sight.extra):
        unit = next(
            (other for other in job.sight.extra if other.key == one.key and other.text == one.text),
            None,
        )
        if unit is None or job.dry_run:
            job.report.to_store += unit is not None
            continue
        name = unit.path.rpartition("/")[2].rpartition(".")[0]

        def is_free(key: str) -> bool:
            return key not in job.sight.units and key not in job.items and key not in memories

        own = of_line(name) if job.shape.is_single else None
        key = own if own and is_free(own) else free_key(unit.key, [f" ({name})"], is_free)
        problem = rename(job.home, job.shape, job.sight, unit, key)
        if problem:
            job.report.wait(unit.key, unit.path, problem)
            job.held.add(unit.key)
        job.sight = look(job.home, job.shape, job.known, job.sight)
