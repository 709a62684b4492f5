"""Checksums of the rows of a store, by namespace and table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

from ghostmem.errors import CorruptStoreError
from ghostmem.frozen import frozen
from ghostmem.model import Record, optional
from ghostmem.store import Copy, Transaction
from ghostmem.store.tables import Key, Row, Table, canonical, combined

# Called with the name of the current phase, the number of finished units and their total.
Progress = Callable[[str, int, int], None]
TableOfNamespace = tuple[Table, str]  # tables of the whole store have the namespace ""

ROWS_PER_READ = 500


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


def tables_by_namespace(
    tables: Sequence[Table], namespaces: Iterable[str]
) -> list[TableOfNamespace]:
    """Return every table of every namespace in copy order, tables of the whole store first."""
    shared: list[TableOfNamespace] = [(table, "") for table in tables if not table.owned]
    return shared + [(table, ns) for ns in sorted(namespaces) for table in tables if table.owned]


def nonempty_tables(tables: Sequence[Table], *sides: Transaction) -> list[TableOfNamespace]:
    """Return, in copy order, the tables of namespaces that have rows in any of the stores."""
    counts = {table.name: set().union(*(tx.copy.counts(table) for tx in sides)) for table in tables}
    namespaces = set[str]().union(*(tx.copy.namespaces() for tx in sides))
    return [
        (table, ns)
        for table, ns in tables_by_namespace(tables, namespaces)
        if ns in counts[table.name]
    ]


def count_rows(tx: Transaction, tables: Sequence[Table]) -> tuple[NamespaceSum, ...]:
    """Return the number of rows of each namespace and table, without checksums."""
    counts = {table.name: tx.copy.counts(table) for table in tables}
    return _by_namespace(
        (table, ns, TableSum(table.name, counts[table.name][ns]))
        for table, ns in tables_by_namespace(tables, tx.copy.namespaces())
        if counts[table.name].get(ns, 0)
    )


def verify_equal(
    source: Transaction, target: Transaction, tables: Sequence[Table], progress: Progress
) -> tuple[NamespaceSum, ...]:
    """Read every row of both stores and return their checksums.

    Raises:
        CorruptStoreError: a table differs."""
    total = sum(sum(source.copy.counts(table).values()) for table in tables)
    done, sums = 0, []
    for table, ns in nonempty_tables(tables, source, target):
        source_sum = _checksum(source.copy, table, ns)
        if source_sum.checksum != _checksum(target.copy, table, ns).checksum:
            raise CorruptStoreError(
                f"the target differs from the source in {table.name} of "
                f"{ns or 'the whole store'}, so it is not used",
                "something else wrote to it: see that nothing does, then run the same "
                "`ghost migrate` again, which repairs it",
            )
        sums.append((table, ns, source_sum))
        done += source_sum.rows
        progress("verifying", done, total)
    return _by_namespace(sums)


def batches(copy: Copy, table: Table, ns: str, after: Key | None = None) -> Iterator[list[Row]]:
    """Yield the rows of a table in the order of their keys, a few hundred at a time."""
    while rows := copy.rows(table, ns, after, None, ROWS_PER_READ):
        yield rows
        if len(rows) < ROWS_PER_READ:
            return
        after = table.key_of(rows[-1])


def _checksum(copy: Copy, table: Table, ns: str) -> TableSum:
    checksum, count = sha256(), 0
    for rows in batches(copy, table, ns):
        count += len(rows)
        checksum.update(b"".join(canonical(row) + b"\n" for row in rows))
    return TableSum(table.name, count, checksum.hexdigest())


def _by_namespace(sums: Iterable[tuple[Table, str, TableSum]]) -> tuple[NamespaceSum, ...]:
    grouped: dict[tuple[bool, str], list[TableSum]] = {}
    for table, ns, table_sum in sums:
        grouped.setdefault((table.owned, ns), []).append(table_sum)
    return tuple(
        NamespaceSum(
            ns,
            sum(part.rows for part in parts),
            tuple(parts),
            combined([part.checksum for part in parts]) if parts[0].checksum else "",
        )
        for (_, ns), parts in grouped.items()
    )
