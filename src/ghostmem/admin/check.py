"""Check a store for corruption, and repair its indexes."""

from collections.abc import Callable, Mapping
from functools import partial

from ghostmem.frozen import frozen
from ghostmem.memory.embedding import catch_up
from ghostmem.model import Record
from ghostmem.store import Store, reindexed_rows


@frozen
class CheckReport(Record):
    """The problems that a check found."""

    ok: bool
    problems: tuple[str, ...]


@frozen
class RepairReport(Record):
    """The changes of a repair, and the problems that remain."""

    ok: bool
    done: Mapping[str, int]
    problems: tuple[str, ...]


def check(store: Store) -> CheckReport:
    """Check the store for corruption."""
    problems = tuple(store.engine.check())
    return CheckReport(not problems, problems)


def repair(store: Store, *, progress: Callable[[int], None] | None = None) -> RepairReport:
    """Rebuild every index from the stored rows; the texts of memories are not changed.

    When it is interrupted while embedding, `embed_backfill` continues.

    Args:
        progress: Called with the number done.
    """
    done = store.engine.repair(partial(reindexed_rows, store.settings.chunk_target))
    catch_up(store, progress)
    after = check(store)
    return RepairReport(after.ok, done, after.problems)
