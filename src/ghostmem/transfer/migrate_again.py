"""A move that was done already, and killed before it could say so: proving that, and ending it."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ghostmem.errors import CorruptStoreError
from ghostmem.settings import config_path, write_config
from ghostmem.store.tables import Table
from ghostmem.transfer.migrate_ends import holding
from ghostmem.transfer.migrate_rows import Progress, occupied
from ghostmem.transfer.migrate_sums import NamespaceSum, proven
from ghostmem.transfer.migrate_switch import Switched

if TYPE_CHECKING:
    from ghostmem.store.protocol import Engine, Transaction


def moved_before(
    source: "Engine", target: "Engine", tables: Sequence[Table], progress: Progress
) -> tuple[NamespaceSum, ...]:
    """Return the checksums of a target that is ready and holds the source to the last row, ids and
    change log; else nothing.
    """
    with source.snapshot() as ours, target.snapshot() as theirs:
        if theirs.move.get() is not None or not holding(theirs, tables):
            return ()
        if any(ours.copy.counts(table) != theirs.copy.counts(table) for table in tables):
            return ()
        try:
            return proven(ours, theirs, tables, progress)
        except CorruptStoreError:
            return ()


def switched_again(
    source: "Engine",
    target: "Engine",
    tables: Sequence[Table],
    target_name: str,
    progress: Progress,
) -> Switched | None:
    """Let the configuration name a target that was filled before, in a moment in which nobody
    writes; None if it is none.
    """
    sums = moved_before(source, target, tables, progress)
    if not sums:
        return None
    began, config = time.monotonic(), ""
    with source.snapshot() if source.read_only else source.write(dry_run=True) as ours:
        with target.snapshot() as theirs:
            if not _same_still(ours, theirs, tables):
                return None
        if target_name:
            config = config_path()
            write_config(config, "db", target_name)
    return Switched(0, 0, time.monotonic() - began, config, sums)


def _same_still(ours: "Transaction", theirs: "Transaction", tables: Sequence[Table]) -> bool:
    """Say whether two stores that were the same are so now: what is large has not changed without a
    line in its log.
    """
    small = [table for table in tables if not table.logged]
    large = [(table, ns) for table, ns in occupied(tables, ours, theirs) if table.logged]
    if any(ours.copy.mark(table, ns) != theirs.copy.mark(table, ns) for table, ns in large):
        return False
    try:
        proven(ours, theirs, small, lambda *_: None)
    except CorruptStoreError:
        return False
    return True
