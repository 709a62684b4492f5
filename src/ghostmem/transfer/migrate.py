"""Move a store to another engine or place, and verify every row.

`migrate` checks both endpoints, blocks the writers of the source, copies all rows in one
transaction of the target, and compares the checksums of every table before it commits: if anything
fails, the target is as empty as before."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ghostmem.clock import Clock, now
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
from ghostmem.grouping import grouped
from ghostmem.model import SYSTEM, Record, optional
from ghostmem.notes.lock import locked_elsewhere
from ghostmem.settings import Settings, config_path, load, masked, write_config
from ghostmem.store import (
    Transaction,
    has_tables,
    open_engine,
    refuse_special,
    same_database,
    validate,
)
from ghostmem.store.opening import POSTGRES
from ghostmem.store.tables import LEFT_OUT, Row, Table, canonical, combined, tables

if TYPE_CHECKING:
    from ghostmem.store.opening import Engine

# Called with the name of the current phase, the number of finished rows and their total.
Progress = Callable[[str, int, int], None]

ROWS_PER_BATCH = 500


@frozen
class TableSum(Record):
    """The number of rows of a table in one namespace and the checksum over them."""

    table: str
    rows: int
    checksum: str = optional("")


@frozen
class NamespaceSum(Record):
    """The tables of a namespace with one checksum over all of them.

    An empty name stands for the tables of the whole store."""

    ns: str
    rows: int
    tables: tuple[TableSum, ...]
    checksum: str = optional("")


def checksums(
    tx: Transaction, table: Table, on_batch: Callable[[str, Sequence[Row]], None] | None = None
) -> dict[str, TableSum]:
    """Read a table and return its checksums by namespace.

    Args:
        on_batch: called with the namespace and the rows of every batch that was read."""
    sums: dict[str, TableSum] = {}
    for ns, entries in groupby(tx.copy.rows(table), key=lambda entry: entry[0]):
        checksum, count = sha256(), 0
        while rows := [row for _, row in islice(entries, ROWS_PER_BATCH)]:
            checksum.update(b"".join(canonical(row) + b"\n" for row in rows))
            count += len(rows)
            if on_batch is not None:
                on_batch(ns, rows)
        sums[ns] = TableSum(table.name, count, checksum.hexdigest())
    return sums


def by_namespace(sums: Mapping[Table, Mapping[str, TableSum]]) -> tuple[NamespaceSum, ...]:
    """Return the checksums of tables by namespace, those of the whole store first."""
    groups = grouped(
        ((table.owned, ns), table_sum)
        for table, by_ns in sums.items()
        for ns, table_sum in by_ns.items()
    )
    return tuple(
        NamespaceSum(
            ns,
            sum(part.rows for part in parts),
            tuple(parts),
            combined([part.checksum for part in parts]) if parts[0].checksum else "",
        )
        for (_, ns), parts in sorted(groups.items())
    )


@frozen
class Migration(Record):
    """The result of a migration, or its plan.

    The checksums are the same in both stores."""

    source: str
    target: str
    rows: int
    namespaces: tuple[NamespaceSum, ...]
    source_bytes: int
    target_bytes: int = optional(0)
    dry_run: bool = optional(False)
    resumed: bool = optional(False)  # an earlier run had copied everything
    caught_up: int = optional(0)  # always 0, since writers of the source wait
    differed: int = optional(0)  # always 0, like `caught_up`
    held_seconds: float = optional(0.0)  # how long writers of the source were blocked
    seconds: float = optional(0.0)
    left_out: tuple[str, ...] = optional(())  # cache tables, which are rebuilt when needed
    switched: str = optional("")  # the configuration file that now names the target


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

    Source and target are files or postgresql:// URLs. Readers of the source never wait, its writers
    wait until the move is finished. The target stays empty until everything is copied and verified;
    a migration that was killed starts again with the same call. With `switch`, the configuration
    names the target afterwards. A target that already equals the source is only verified. Caches
    are left out, because they are rebuilt when needed."""
    validate.flags(switch=switch, dry_run=dry_run)
    source, target = str(source), str(target)
    settings, clock = settings or load(), clock or now
    _check_endpoints(source, target)
    started = time.monotonic()
    with ExitStack() as stack:
        source_engine = stack.enter_context(closing(_open(source, settings, clock)))
        with source_engine.read() as tx:
            crossing = tx.copy.crossing()
        if crossing:  # the isolation of the target would drop these rows
            counts = ", ".join(f"{count} in {name}" for name, count in crossing.items())
            raise EngineError(
                f"{location(source)} has links between memories of two namespaces ({counts})",
                f"run `ghost --db {quote(location(source))} repair` first",
            )
        if is_postgres(source) and is_postgres(target) and same_database(source, target):
            # Two stores of a database share their locks and would wait forever.
            raise InvalidInputError(
                f"{location(source)} and {location(target)} are in the same database",
                "choose another database; to move to another schema of this one, move to a file, "
                "and from there",
            )
        if dry_run:
            return _plan(source_engine, source, target, settings, clock)
        target_engine = stack.enter_context(closing(_open(target, settings, clock)))
        if target_engine.read_only:
            raise ReadOnlyStoreError(
                f"{target_engine.location} cannot be written", "choose another target"
            )
        copied_tables = tables(source_engine.name, target_engine.name)
        blocked = time.monotonic()
        # Writers of the source wait; a store that cannot be written has none.
        with (
            source_engine.snapshot()
            if source_engine.read_only
            else source_engine.write(dry_run=True)
        ) as source_tx:
            with target_engine.write() as target_tx:
                sums = _sums_if_equal(source_tx, target_tx, copied_tables, target_engine.location)
                resumed = bool(sums)
                sums = sums or _copy(source_tx, target_tx, copied_tables, progress)
            if switch:
                with locked_elsewhere(Path(config_path())):
                    write_config(config_path(), "db", _config_name(target))
        blocked_seconds = time.monotonic() - blocked
        target_engine.flush()
        return Migration(
            location(source),
            location(target),
            sum(namespace.rows for namespace in sums),
            sums,
            source_engine.size(),
            target_engine.size(),
            resumed=resumed,
            held_seconds=round(blocked_seconds, 3),
            seconds=round(time.monotonic() - started, 3),
            left_out=LEFT_OUT,
            switched=config_path() if switch else "",
        )


# The endpoints


def is_postgres(place: str) -> bool:
    """Say whether a store is in PostgreSQL."""
    return place.startswith(POSTGRES)


def location(place: str) -> str:
    """Return the full path of a file, or a URL without its password."""
    return masked(place) if is_postgres(place) else os.path.realpath(os.path.expanduser(place))


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
            raise InvalidInputError(
                f"the {role} {place.split('://')[0]}://… is not a store that this Ghost can open",
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


def _open(place: str, settings: Settings, clock: Clock) -> "Engine":
    """Open an endpoint; an older schema is upgraded, a newer one refused."""
    engine = open_engine(replace(settings, db=_config_name(place)), clock)
    if engine.is_newer:
        engine.close()
        raise NewerStoreError(
            f"{engine.location} was written by a newer Ghost",
            "move it with that one: pip install --upgrade ghostmem",
        )
    return engine


def _has_tables(target: str) -> bool:
    """Say whether a target has Ghost's tables, without creating anything."""
    path = location(target)
    return (
        has_tables(target, path)
        if is_postgres(target)
        else os.path.exists(path) and os.path.getsize(path) > 0
    )


# Copying and verifying


def _sums_if_equal(
    source: Transaction, target: Transaction, tables: Sequence[Table], name: str
) -> tuple[NamespaceSum, ...]:
    """Return the checksums of a target that equals the source; nothing if the target is empty.

    Raises:
        ConflictError: the target has rows, and differs from the source."""
    filled = [table.name for table in tables if _has_rows(target, table)]
    if not filled:
        return ()
    sums = {}
    for table in tables:
        sums[table] = checksums(target, table)
        if sums[table] != checksums(source, table):
            raise ConflictError(
                f"{name} is not empty: it has rows in {', '.join(filled[:3])}",
                "choose a target that does not exist yet; `ghost export` and `ghost import` merge "
                "two stores",
            )
    return by_namespace(sums)


def _has_rows(tx: Transaction, table: Table) -> bool:
    """Say whether a table has rows, apart from the rules that every store is created with."""
    return (
        any(rule.created_by != SYSTEM for rule in tx.rules.all())
        if table.name == "reflect_rules"
        else bool(tx.copy.counts(table))
    )


def _copy(
    source: Transaction, target: Transaction, tables: Sequence[Table], progress: Progress | None
) -> tuple[NamespaceSum, ...]:
    """Copy every row into an empty store, and return the checksums.

    Raises:
        CorruptStoreError: the rows that were read back differ."""
    done, total = 0, sum(sum(source.copy.counts(table).values()) for table in tables)
    sums: dict[Table, dict[str, TableSum]] = {}
    target.copy.clear_rules()
    for table in tables:

        def write(ns: str, rows: Sequence[Row], table: Table = table) -> None:
            nonlocal done
            target.copy.write(table, ns, rows)
            done += len(rows)
            if progress is not None:
                progress("copying", done, total)

        sums[table] = checksums(source, table, write)
        if checksums(target, table) != sums[table]:
            raise CorruptStoreError(
                f"the target differs from the source in {table.name}, so it is not used",
                "check the disk, and run the same `ghost migrate` again",
            )
    target.copy.finish(source.copy.counters())
    return by_namespace(sums)


def _plan(
    source_engine: "Engine", source: str, target: str, settings: Settings, clock: Clock
) -> Migration:
    """Return the plan of a migration, without writing; the same targets are refused."""
    copied_tables = tables(source_engine.name, "postgresql" if is_postgres(target) else "sqlite")
    resumed = False
    with source_engine.snapshot() as source_tx:
        if _has_tables(target):
            with closing(_open(target, settings, clock)) as engine, engine.snapshot() as target_tx:
                resumed = bool(_sums_if_equal(source_tx, target_tx, copied_tables, engine.location))
        sums = by_namespace(
            {
                table: {
                    ns: TableSum(table.name, rows)
                    for ns, rows in source_tx.copy.counts(table).items()
                }
                for table in copied_tables
            }
        )
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
