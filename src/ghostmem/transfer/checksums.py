"""Checksums of the rows of a store, by namespace and table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby, islice

from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.store import Transaction
from ghostmem.store.tables import Row, Table, canonical, combined

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


def count_rows(tx: Transaction, tables: Iterable[Table]) -> tuple[NamespaceSum, ...]:
    """Return the number of rows of each namespace and table, without checksums."""
    return by_namespace(
        {
            table: {ns: TableSum(table.name, rows) for ns, rows in tx.copy.counts(table).items()}
            for table in tables
        }
    )


def checksums(
    tx: Transaction, table: Table, on_batch: Callable[[str, Sequence[Row]], None] | None = None
) -> dict[str, TableSum]:
    """Read a table and return its checksums by namespace.

    Args:
        on_batch: called with the namespace and the rows of every batch that was read."""
    sums: dict[str, TableSum] = {}
    for ns, entries in groupby(tx.copy.rows(table), key=lambda entry: entry[0]):
        checksum, count = sha256(), 0
        for rows in _batches(row for _, row in entries):
            checksum.update(b"".join(canonical(row) + b"\n" for row in rows))
            count += len(rows)
            if on_batch is not None:
                on_batch(ns, rows)
        sums[ns] = TableSum(table.name, count, checksum.hexdigest())
    return sums


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(rows, ROWS_PER_BATCH)):
        yield batch


def by_namespace(sums: Mapping[Table, Mapping[str, TableSum]]) -> tuple[NamespaceSum, ...]:
    """Return the checksums of tables by namespace, those of the whole store first."""
    grouped: dict[tuple[bool, str], list[TableSum]] = {}
    for table, by_ns in sums.items():
        for ns, table_sum in by_ns.items():
            grouped.setdefault((table.owned, ns), []).append(table_sum)
    return tuple(
        NamespaceSum(
            ns,
            sum(part.rows for part in parts),
            tuple(parts),
            combined([part.checksum for part in parts]) if parts[0].checksum else "",
        )
        for (_, ns), parts in sorted(grouped.items())
    )
