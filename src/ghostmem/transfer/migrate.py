"""Move a store to another engine or place while it is in use, and verify every row.

`migrate` checks both endpoints, copies all rows (`copy_store`), follows the audit log of the
source until few changes are left, then blocks its writers for a moment, copies the last changes,
declares the target ready and verifies it by checksums (`checksums`)."""

import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from ghostmem.clock import Clock, format_time, now
from ghostmem.errors import (
    ConflictError,
    CorruptStoreError,
    EngineError,
    InvalidInputError,
    NewerStoreError,
    NotFoundError,
    ReadOnlyStoreError,
)
from ghostmem.frozen import frozen
from ghostmem.model import SYSTEM, Record, optional
from ghostmem.notes.lock import locked_elsewhere
from ghostmem.settings import Settings, config_path, load, masked, write_config
from ghostmem.store import Engine, Transaction, has_tables, open_engine, validate
from ghostmem.store.engine import MOVING
from ghostmem.store.opening import POSTGRES, refuse_special, same_database
from ghostmem.store.tables import BY_NAME, LEFT_OUT, Table, tables
from ghostmem.transfer.checksums import (
    NamespaceSum,
    Progress,
    count_rows,
    nonempty_tables,
    tables_by_namespace,
    verify_equal,
)
from ghostmem.transfer.copy_store import Comparison, StoreCopy

MAX_CATCH_UPS = 10  # times the audit log is followed before writers of the source are blocked
FEW_CHANGES = 50  # changes few enough to copy while writers are blocked


@frozen
class Migration(Record):
    """The result of a migration, or its plan.

    The checksums were taken at the moment of the switch and are the same in both stores."""

    source: str
    target: str
    rows: int
    namespaces: tuple[NamespaceSum, ...]
    source_bytes: int
    target_bytes: int = optional(0)
    dry_run: bool = optional(False)
    resumed: bool = optional(False)  # an earlier run had started or finished it
    caught_up: int = optional(0)  # changes made in the source while it ran
    differed: int = optional(0)  # rows that differed at the end and were written again
    held_seconds: float = optional(0.0)  # how long writers of the source were blocked
    seconds: float = optional(0.0)
    left_out: tuple[str, ...] = optional(())  # cache tables, which are rebuilt when needed
    switched: str = optional("")  # the configuration file that now names the target


class SwitchResult(NamedTuple):
    """The figures of a switch from the source to the target."""

    changes: int  # changes made in the source while the migration ran
    differed: int  # rows that differed at the end and were written again
    blocked: float  # seconds for which writers of the source were blocked
    config: str  # the configuration file that now names the target
    sums: tuple[NamespaceSum, ...]


def _no_progress(phase: str, done: int, total: int) -> None:
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
    """Move a store into an empty one and verify by checksums that every row arrived.

    Source and target are files or postgresql:// URLs. The source stays in use: readers never wait,
    writers only at the end, while the last changes are copied. A migration that was killed resumes
    with the same call; until it is finished, the target refuses ordinary use. With `switch`, the
    configuration names the target afterwards. A target that already equals the source is only
    verified. Caches are left out, because they are rebuilt when needed."""
    validate.flags(switch=switch, dry_run=dry_run)
    source, target = str(source), str(target)
    settings, clock, progress = settings or load(), clock or now, progress or _no_progress
    _check_endpoints(source, target)
    started = time.monotonic()
    with ExitStack() as stack:
        source_engine = stack.enter_context(closing(_open(source, settings, clock)))
        with source_engine.read() as tx:
            _refuse_links_across_namespaces(tx, location(source))
        _refuse_one_database(source, target)
        if dry_run:
            return _plan(source_engine, source, target, settings, clock)
        target_engine = stack.enter_context(closing(_open(target, settings, clock, moving=True)))
        if target_engine.read_only:
            raise ReadOnlyStoreError(
                f"{target_engine.location} cannot be written", "choose another target"
            )
        copied_tables = tables(source_engine.name, target_engine.name)
        config_name = _config_name(target) if switch else ""
        result = _finish_earlier_move(
            source_engine, target_engine, copied_tables, config_name, progress
        )
        resumed = True
        if result is None:
            holder, at = secrets.token_hex(8), format_time(clock())
            state = _begin(target_engine, copied_tables, location(source), holder, at)
            copy = StoreCopy(source_engine, target_engine, copied_tables, holder, progress)
            since, changes = _copy(copy, state)
            origin = {"source": location(source), "begun": at}
            result = _switch(copy, since, config_name, changes, origin, _config_name(source))
            resumed = bool(state)
        target_engine.flush()
        return Migration(
            location(source),
            location(target),
            sum(namespace.rows for namespace in result.sums),
            result.sums,
            source_engine.size(),
            target_engine.size(),
            resumed=resumed,
            caught_up=result.changes,
            differed=result.differed,
            held_seconds=round(result.blocked, 3),
            seconds=round(time.monotonic() - started, 3),
            left_out=LEFT_OUT,
            switched=result.config,
        )


# The endpoints


def is_postgres(place: str) -> bool:
    """Say whether a store is in PostgreSQL."""
    return place.startswith(POSTGRES)


def location(place: str) -> str:
    """Return the full path of a file, or a URL without its password."""
    if is_postgres(place):
        return masked(place)
    return os.path.realpath(os.path.expanduser(place))


def _config_name(place: str) -> str:
    """Return a store's name for the configuration: the same from every folder."""
    return place if is_postgres(place) else location(place)


def _check_endpoints(source: str, target: str) -> None:
    """Refuse names that cannot be endpoints, before anything is opened."""
    for role, place in (("source", source), ("target", target)):
        if not place.strip():
            raise InvalidInputError(f"the {role} is empty", "give a file or a postgresql:// URL")
        if place == ":memory:":
            raise InvalidInputError(
                f"the {role} of a migration cannot be :memory:",
                "a store in memory ends with its program: `ghost export` and `ghost "
                "import` move what is in it",
            )
        if "://" in place and not is_postgres(place):
            scheme = place.split("://")[0]
            raise InvalidInputError(
                f"the {role} {scheme}://… is not a store that this Ghost can open",
                "give a file or a postgresql:// URL",
            )
    if location(source) == location(target):
        raise InvalidInputError(
            f"{location(source)} is both the source and the target", "choose another target"
        )
    if not is_postgres(target):
        refuse_special(location(target))
    if not is_postgres(source) and not os.path.exists(location(source)):
        raise NotFoundError(
            f"there is no store {location(source)}", "check the name given with --from"
        )


def _open(place: str, settings: Settings, clock: Clock, moving: bool = False) -> Engine:
    """Open an endpoint; an older schema is upgraded, a newer one refused."""
    engine = open_engine(replace(settings, db=_config_name(place)), clock, moving)
    if engine.is_newer:
        engine.close()
        raise NewerStoreError(
            f"{engine.location} was written by a newer Ghost",
            "move it with that one: pip install --upgrade ghostmem",
        )
    return engine


def _refuse_links_across_namespaces(tx: Transaction, source: str) -> None:
    """Refuse rows that join two namespaces; the isolation of the target would drop them."""
    if crossing := tx.copy.crossing():
        counts = ", ".join(f"{count} in {name}" for name, count in crossing.items())
        raise EngineError(
            f"{source} has links between memories of two namespaces ({counts})",
            f"run `ghost --db {quote(source)} repair` first",
        )


def _refuse_one_database(source: str, target: str) -> None:
    """Refuse a move inside a database: its stores share their locks and would wait forever."""
    if is_postgres(source) and is_postgres(target) and same_database(source, target):
        raise InvalidInputError(
            f"{location(source)} and {location(target)} are in the same database",
            "choose another database; to move to another schema of this one, move to a file, and "
            "from there",
        )


def _has_tables(target: str) -> bool:
    """Say whether a target has Ghost's tables, without creating anything."""
    if not is_postgres(target):
        path = location(target)
        return os.path.exists(path) and os.path.getsize(path) > 0
    return has_tables(target, location(target))


def _filled_tables(tx: Transaction, tables: Sequence[Table]) -> list[str]:
    """Return the tables that have rows, apart from the rules that every store is created with."""
    rules = BY_NAME["reflect_rules"]
    filled = [table.name for table in tables if table.name != rules.name and tx.copy.counts(table)]
    if any(row[rules.at("created_by")] != SYSTEM for row in tx.copy.rows(rules, "")):
        filled.append(rules.name)
    return filled


# Starting, planning and resuming


def _state_of_target(
    tx: Transaction, tables: Sequence[Table], target: str, source: str
) -> Mapping[str, str] | None:
    """Return the stored state of an unfinished move of the same source; None if it is empty.

    Raises:
        ConflictError: the target has rows, or another source is being moved to it."""
    state = tx.move.get()
    if state is not None:
        if state.get("source") != source:
            raise ConflictError(
                f"{target} is being filled from {state.get('source')}, not from {source}",
                "finish that migration with its own --from, or choose another target",
            )
        return state
    if filled := _filled_tables(tx, tables):
        raise ConflictError(
            f"{target} is not empty: it has rows in {', '.join(filled[:3])}",
            "choose a target that does not exist yet; `ghost export` and `ghost import` merge "
            "two stores",
        )
    return None


def _begin(
    target: Engine, tables: Sequence[Table], source: str, holder: str, at: str
) -> Mapping[str, str]:
    """Mark the target as being filled by this run, and return the state of an earlier run."""
    with target.write() as tx:
        state = _state_of_target(tx, tables, target.location, source)
        if state is None:
            tx.move.begin(MOVING, at, source)
            tx.move.note({"source": source, "begun": at})
        tx.move.note({"holder": holder})
    return state or {}


def _plan(
    source_engine: Engine, source: str, target: str, settings: Settings, clock: Clock
) -> Migration:
    """Return the plan of a migration, without writing; the same targets are refused."""
    resumed = False
    copied_tables = tables(source_engine.name, "postgresql" if is_postgres(target) else "sqlite")
    if _has_tables(target):
        with closing(_open(target, settings, clock, moving=True)) as engine:
            resumed = bool(_sums_if_equal(source_engine, engine, copied_tables, _no_progress))
            if not resumed:
                with engine.read() as tx:
                    state = _state_of_target(tx, copied_tables, engine.location, location(source))
                    resumed = state is not None
    with source_engine.snapshot() as tx:
        sums = count_rows(tx, copied_tables)
    return Migration(
        location(source),
        location(target),
        sum(namespace.rows for namespace in sums),
        sums,
        source_engine.size(),
        dry_run=True,
        resumed=resumed,
        left_out=LEFT_OUT,
    )


def _sums_if_equal(
    source: Engine, target: Engine, tables: Sequence[Table], progress: Progress
) -> tuple[NamespaceSum, ...]:
    """Return the checksums of a finished target that equals the source; otherwise nothing."""
    with source.snapshot() as source_tx, target.snapshot() as target_tx:
        if target_tx.move.get() is not None or not _filled_tables(target_tx, tables):
            return ()
        if any(source_tx.copy.counts(table) != target_tx.copy.counts(table) for table in tables):
            return ()
        try:
            return verify_equal(source_tx, target_tx, tables, progress)
        except CorruptStoreError:
            return ()


def _finish_earlier_move(
    source: Engine,
    target: Engine,
    tables: Sequence[Table],
    config_name: str,
    progress: Progress,
) -> SwitchResult | None:
    """Finish a move that was killed after its target was ready, while writers are blocked.

    Returns None unless the target equals the source."""
    sums = _sums_if_equal(source, target, tables, progress)
    if not sums:
        return None
    started = time.monotonic()
    with source.snapshot() if source.read_only else source.write(dry_run=True) as source_tx:
        with target.snapshot() as target_tx:
            if not _still_equal(source_tx, target_tx, tables):
                return None
        config = _write_config(config_name)
    return SwitchResult(0, 0, time.monotonic() - started, config, sums)


def _still_equal(source: Transaction, target: Transaction, tables: Sequence[Table]) -> bool:
    """Say whether two stores that were equal still are.

    Large tables never change without a log entry, so their marks are enough."""
    if any(
        source.copy.mark(table, ns) != target.copy.mark(table, ns)
        for table, ns in nonempty_tables(tables, source, target)
        if table.logged
    ):
        return False
    try:
        verify_equal(source, target, [table for table in tables if not table.logged], _no_progress)
    except CorruptStoreError:
        return False
    return True


def _write_config(db: str) -> str:
    """Let the configuration name a store, if any, and return the path of the file."""
    if not db:
        return ""
    with locked_elsewhere(Path(config_path())):
        write_config(config_path(), "db", db)
    return config_path()


# Copying and switching


def _copy(copy: StoreCopy, state: Mapping[str, str]) -> tuple[dict[str, int], int]:
    """Copy all rows, or those an earlier run did not reach.

    Returns the positions in the audit logs, and the number of changes since the earlier run."""
    changes = 0
    with copy.source.snapshot() as tx:
        if "since" in state:
            copy.resumed = True
            since, changes, *_ = copy.catch_up(tx, json.loads(state["since"]))
        else:
            since = tx.copy.logs()
            copy.note(since=json.dumps(since))
        if state.get("stage") != "copied":
            copy.copy_all(tx, state.get("place"))
            copy.note(stage="copied")
    return since, changes


def _follow_changes(
    copy: StoreCopy, since: dict[str, int], comparison: Comparison
) -> tuple[dict[str, int], int]:
    """Follow the audit log in rounds until few changes are left.

    The first round also compares all tables, because some rows change without a log entry."""
    total = 0
    for number in range(MAX_CATCH_UPS):
        with copy.source.snapshot() as tx:
            since, lag, embedded, new_namespaces = copy.catch_up(tx, since)
            if number == 0:
                _compare_all(copy, tx, comparison)
            for ns in sorted(embedded):
                comparison.equalize(tx, BY_NAME["vectors"], ns, anew=True)
            for table, ns in tables_by_namespace(copy.tables, new_namespaces if number else ()):
                comparison.equalize(tx, table, ns)
        total += lag
        if number and lag <= FEW_CHANGES:
            break
        copy.progress("catching up", lag, lag)
    return since, total


def _compare_all(copy: StoreCopy, tx: Transaction, comparison: Comparison) -> None:
    with copy.writing() as target:
        compared = nonempty_tables(copy.tables, tx, target)
    for number, (table, ns) in enumerate(compared, 1):
        comparison.equalize(tx, table, ns)
        copy.progress("comparing", number, len(compared))


def _switch(
    copy: StoreCopy,
    since: dict[str, int],
    config_name: str,
    changes: int,
    origin: Mapping[str, str],
    source_name: str,
) -> SwitchResult:
    """Copy the last changes while writers are blocked, declare the target ready, and verify it.

    If it differs nevertheless, the target is marked as unfinished again."""
    comparison = Comparison(copy)
    since, followed = _follow_changes(copy, since, comparison)
    copy.progress("switching", 0, 1)
    with ExitStack() as stack:
        started = time.monotonic()
        source = copy.source
        with source.snapshot() if source.read_only else source.write(dry_run=True) as tx:
            last = copy.catch_up(tx, since).lag
            differed = _equalize_rest(copy, tx, comparison)
            source_tx = stack.enter_context(source.snapshot())
            target_tx = stack.enter_context(copy.target.snapshot())
            # The first read fixes the state that each snapshot sees.
            namespaces = {*source_tx.copy.logs(), *target_tx.copy.logs()}
            with copy.writing(durable=True) as target:
                target.move.end(MOVING)
            config = _write_config(config_name)
        blocked = time.monotonic() - started
        copy.progress("verifying", 0, len(namespaces))
        try:
            sums = verify_equal(source_tx, target_tx, copy.tables, copy.progress)
        except CorruptStoreError:
            with copy.target.write() as target:
                target.move.begin(MOVING, origin["begun"], origin["source"])
                target.move.note({**origin, "stage": "copied"})
            if config:
                _write_config(source_name)
            raise
    return SwitchResult(changes + followed + last, differed, blocked, config, sums)


def _equalize_rest(copy: StoreCopy, tx: Transaction, comparison: Comparison) -> int:
    """Make the remaining differences equal, and continue the row numbers of the source.

    Returns the number of rows that differed."""
    with copy.writing() as target:
        compared = nonempty_tables(copy.tables, tx, target)
        marks = {
            (table.name, ns): target.copy.mark(table, ns) for table, ns in compared if table.logged
        }
    differed = 0
    for table, ns in compared:
        if not table.logged:
            differed += comparison.equalize(tx, table, ns)
        elif tx.copy.mark(table, ns) != marks[table.name, ns] or not comparison.knows(table, ns):
            differed += comparison.equalize(tx, table, ns, anew=True)
    with copy.writing() as target:
        target.copy.count_from(tx.copy.counters())
    return differed
