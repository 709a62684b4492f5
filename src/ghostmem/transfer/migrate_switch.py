"""The end of a move: following the change log until little is left, then a moment in which nobody
writes to the source.
"""

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import NamedTuple

from ghostmem.errors import CorruptStoreError
from ghostmem.settings import config_path, write_config
from ghostmem.store.ledger import MOVING
from ghostmem.store.protocol import Transaction
from ghostmem.store.tables import BY_NAME
from ghostmem.transfer.migrate_compare import Comparison
from ghostmem.transfer.migrate_rows import Mover, occupied, units
from ghostmem.transfer.migrate_sums import NamespaceSum, proven

ROUNDS = 10  # times that the change log is followed before the source's writers are stopped
NEAR = 50  # changes that are few enough to bring over while they wait


class Switched(NamedTuple):
    """What a switch did."""

    caught: int  # changes that came in while the move went on
    differed: int  # rows that were different at the end and were written again
    held: float  # seconds for which writers of the source waited
    config: str  # the configuration file that names the target now
    sums: tuple[NamespaceSum, ...]


def copied(mover: Mover, state: Mapping[str, str]) -> tuple[dict[str, int], int]:
    """Copy everything, or what an earlier run left.

    Return where the logs stood, and how many changes came in between.
    """
    caught = 0
    with mover.source.snapshot() as tx:
        if "since" in state:
            mover.resumed = True
            since, caught, *_ = mover.catch_up(tx, json.loads(state["since"]))
        else:
            since = tx.copy.logs()
            with mover.writing() as target:
                target.move.note({"since": json.dumps(since)})
        if state.get("stage") != "copied":
            mover.copy_all(tx, state.get("place"))
            with mover.writing() as target:
                target.move.note({"stage": "copied"})
    return since, caught


def followed(
    mover: Mover, since: dict[str, int], comparison: Comparison
) -> tuple[dict[str, int], int]:
    """Follow the change log in rounds until little is left.

    The first also compares everything, which no log tells.
    """
    total = 0
    for number in range(ROUNDS):
        with mover.source.snapshot() as tx:
            since, lag, embedded, fresh = mover.catch_up(tx, since)
            if number == 0:
                _compare_all(mover, tx, comparison)
            for ns in sorted(embedded):
                comparison.unit(tx, BY_NAME["vectors"], ns, anew=True)
            for table, ns in units(mover.tables, fresh if number else ()):
                comparison.unit(tx, table, ns)
        total += lag
        if number and lag <= NEAR:
            break
        mover.progress("catching up", lag, lag)
    return since, total


def _compare_all(mover: Mover, tx: Transaction, comparison: Comparison) -> None:
    with mover.writing() as target:
        wanted = occupied(mover.tables, tx, target)
    for number, (table, ns) in enumerate(wanted):
        comparison.unit(tx, table, ns)
        mover.progress("comparing", number + 1, len(wanted))


def switched(
    mover: Mover,
    since: dict[str, int],
    target_name: str,
    caught: int,
    state: Mapping[str, str],
    source_name: str,
) -> Switched:
    """Bring over the last while nobody writes to the source, and make the target a store like any
    other; then prove it whole.
    """
    comparison = Comparison(mover)
    since, more = followed(mover, since, comparison)
    mover.progress("switching", 0, 1)
    config = ""
    with ExitStack() as stack:
        began = time.monotonic()
        source = mover.source
        with source.snapshot() if source.read_only else source.write(dry_run=True) as tx:
            last = mover.catch_up(tx, since).lag
            differed = _settle(mover, tx, comparison)
            ours, theirs = (
                stack.enter_context(engine.snapshot()) for engine in (source, mover.target)
            )
            names = {
                *ours.copy.logs(),
                *theirs.copy.logs(),
            }  # a first look, from which on each sees one state
            with mover.writing(durable=True) as target:
                target.move.end(MOVING)
            if target_name:
                config = config_path()
                write_config(config, "db", target_name)
        held = time.monotonic() - began
        mover.progress("verifying", 0, len(names))
        try:
            sums = proven(ours, theirs, mover.tables, mover.progress)
        except CorruptStoreError:
            _take_back(mover, state, config, source_name)
            raise
    return Switched(caught + more + last, differed, held, config, sums)


def _take_back(mover: Mover, state: Mapping[str, str], config: str, source_name: str) -> None:
    """Let the target be one that is being filled again, and the configuration name the source."""
    with mover.target.write() as target:
        target.move.begin(MOVING, state["begun"], state["source"])
        target.move.note({**state, "stage": "copied"})
    if config:
        write_config(config, "db", source_name)


def _settle(mover: Mover, tx: Transaction, comparison: Comparison) -> int:
    """Make equal what still differs, and let the target number on from where the source stood."""
    with mover.writing() as target:
        wanted = occupied(mover.tables, tx, target)
        marks = {
            (table.name, ns): target.copy.mark(table, ns) for table, ns in wanted if table.logged
        }
    differed = 0
    for table, ns in wanted:
        if not table.logged:
            differed += comparison.unit(tx, table, ns)
        elif tx.copy.mark(table, ns) != marks[table.name, ns] or not comparison.knows(table, ns):
            differed += comparison.unit(tx, table, ns, anew=True)
    with mover.writing() as target:
        target.copy.count_from(tx.copy.counters())
    return differed
