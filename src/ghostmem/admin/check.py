"""check and repair: is everything whole, and making it so."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ghostmem.memory.embedding import catch_up
from ghostmem.model import Record
from ghostmem.store.indexing import Reindexer
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class CheckReport(Record):
    """What a check found; no problems means clean."""

    ok: bool
    problems: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class RepairReport(Record):
    """What a repair did, and what a check says afterwards."""

    ok: bool
    done: Mapping[str, int]
    problems: tuple[str, ...]


def check(store: Store) -> CheckReport:
    """Look through the file, its rows and every index; change nothing."""
    problems = tuple(store.engine.check())
    return CheckReport(not problems, problems)


def repair(store: Store, progress: Callable[[int], None] | None = None) -> RepairReport:
    """Remove orphans and rebuild every index from the rows.

    Memories themselves are never touched.
    """
    done = store.engine.repair(Reindexer(store.settings.chunk_target))
    catch_up(store, progress)
    after = check(store)
    return RepairReport(after.ok, done, after.problems)
