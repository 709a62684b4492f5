"""migrate: move a store to another engine or another place, whole and proven, while it is
in use.
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostmem.clock import Clock, format_time, now
from ghostmem.errors import ReadOnlyStoreError
from ghostmem.model import Record, optional
from ghostmem.settings import Settings, load
from ghostmem.store.ledger import MOVING
from ghostmem.store.tables import LEFT_OUT, Table, tables
from ghostmem.transfer.migrate_again import moved_before, switched_again
from ghostmem.transfer.migrate_ends import (
    begun,
    is_postgres,
    location,
    opened,
    refuse,
    refuse_crossing,
    refuse_filled,
)
from ghostmem.transfer.migrate_rows import Mover, Progress
from ghostmem.transfer.migrate_sums import NamespaceSum, counted
from ghostmem.transfer.migrate_switch import copied, switched

if TYPE_CHECKING:
    from ghostmem.store.protocol import Engine


@dataclass(frozen=True, eq=False, repr=False)
class Migration(Record):
    """What was moved, or would be.

    The checksums are of the moment of the switch, and equal in what each store holds.
    """

    source: str
    target: str
    rows: int
    namespaces: tuple[NamespaceSum, ...]
    source_bytes: int
    target_bytes: int = optional(0)
    dry_run: bool = optional(False)
    resumed: bool = optional(False)  # an earlier run had begun it, or done it
    caught_up: int = optional(0)  # changes that came in while it ran
    differed: int = optional(0)  # rows that differed at the end and were written again
    held_seconds: float = optional(0.0)  # how long writers of the source waited
    seconds: float = optional(0.0)
    left_out: tuple[str, ...] = optional(())  # tables of what is made again when it is needed
    switched: str = optional("")  # the configuration file that names the target now


def _silent(what: str, done: int, total: int) -> None:
    """Show nothing."""


def migrate(
    source: str,
    target: str,
    *,
    switch: bool = False,
    dry_run: bool = False,
    settings: Settings | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> Migration:
    """Move all that a store holds into an empty one, each a file or a postgresql:// URL, and prove
    by checksums that it is there.

    The source is used meanwhile: readers never wait, writers only at the end, while the last
    changes come over. Killed at any moment, the same call goes on where it was; until it is done,
    the target refuses ordinary use. With `switch`, the configuration names the target from then on.
    A target that already holds the source to the last row is only proven, and named. Caches are
    left out: they are made again when they are needed."""
    source, target = str(source), str(target)
    given, tick, tell = settings or load(), clock or now, progress or _silent
    refuse(source, target)
    began = time.monotonic()
    with ExitStack() as stack:
        here = stack.enter_context(closing(opened(source, given, tick)))
        with here.read() as tx:
            refuse_crossing(tx, location(source))
        if dry_run:
            return _planned(here, source, target, given, tick)
        there = stack.enter_context(closing(opened(target, given, tick, moving=True)))
        if there.read_only:
            raise ReadOnlyStoreError(f"{there.location} cannot be written", "name another target")
        which = tables(here.name, there.name)
        chosen = _named(target) if switch else ""
        done, resumed = switched_again(here, there, which, chosen, tell), True
        if done is None:
            holder, at = secrets.token_hex(8), format_time(tick())
            state = _begin(there, which, location(source), holder, at)
            mover = Mover(here, there, which, holder, tell)
            since, caught = copied(mover, state)
            again = {"source": location(source), "begun": at}
            done, resumed = (
                switched(mover, since, chosen, caught, again, _named(source)),
                bool(state),
            )
        there.flush()
        return Migration(
            location(source),
            location(target),
            sum(one.rows for one in done.sums),
            done.sums,
            here.size(),
            there.size(),
            resumed=resumed,
            caught_up=done.caught,
            differed=done.differed,
            held_seconds=round(done.held, 3),
            seconds=round(time.monotonic() - began, 3),
            left_out=LEFT_OUT,
            switched=done.config,
        )


def _named(target: str) -> str:
    """Return a target as the configuration is to name it: from every folder the same."""
    return target if is_postgres(target) else location(target)


def _begin(
    target: "Engine", which: Sequence[Table], source: str, holder: str, at: str
) -> Mapping[str, str]:
    """Mark the target as being filled by this run, and return what an earlier one noted."""
    with target.write() as tx:
        state = refuse_filled(tx, which, target.location, source)
        if state is None:
            tx.move.begin(MOVING, at, source)
            tx.move.note({"source": source, "begun": at})
        tx.move.note({"holder": holder})
    return state or {}


def _planned(
    source: "Engine", where: str, target: str, settings: Settings, clock: Clock
) -> Migration:
    """Say what would be moved; nothing is made, and a target that cannot be filled is refused as it
    would be.
    """
    resumed = False
    which = tables(source.name, "postgresql" if is_postgres(target) else "sqlite")
    if begun(target):
        with closing(opened(target, settings, clock, moving=True)) as there:
            resumed = bool(moved_before(source, there, which, _silent))
            if not resumed:
                with there.read() as tx:
                    resumed = refuse_filled(tx, which, there.location, location(where)) is not None
    with source.snapshot() as tx:
        sums = counted(tx, which)
    rows = sum(one.rows for one in sums)
    return Migration(
        location(where),
        location(target),
        rows,
        sums,
        source.size(),
        dry_run=True,
        resumed=resumed,
        left_out=LEFT_OUT,
    )
