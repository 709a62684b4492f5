"""Checksums of two stores, by namespace and table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ghostmem.errors import CorruptStoreError
from ghostmem.model import Record, optional
from ghostmem.store.tables import Key, Table, canonical, combined
from ghostmem.transfer.migrate_rows import BATCH, Progress, units

if TYPE_CHECKING:
    from ghostmem.store.protocol import Copy, Transaction


@dataclass(frozen=True, eq=False, repr=False)
class TableSum(Record):
    """A table of one namespace, or of the whole store: how many rows, and the checksum that both
    stores gave.
    """

    table: str
    rows: int
    checksum: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class NamespaceSum(Record):
    """A namespace, or under an empty name what belongs to the whole store, with one checksum over
    its tables.
    """

    ns: str
    rows: int
    tables: tuple[TableSum, ...]
    checksum: str = optional("")


def counted(tx: "Transaction", tables: Sequence[Table]) -> tuple[NamespaceSum, ...]:
    """Return how many rows there are, without reading them."""
    counts = {table.name: tx.copy.counts(table) for table in tables}
    found = [
        (table, ns, counts[table.name].get(ns, 0))
        for table, ns in units(tables, tx.copy.namespaces())
    ]
    return _gathered(
        [(table, ns, TableSum(table.name, count)) for table, ns, count in found if count]
    )


def proven(
    source: "Transaction", target: "Transaction", tables: Sequence[Table], progress: Progress
) -> tuple[NamespaceSum, ...]:
    """Read every row of both stores and return their checksums; they must be equal."""
    names = {*source.copy.namespaces(), *target.copy.namespaces()}
    counts = {
        table.name: (source.copy.counts(table), target.copy.counts(table)) for table in tables
    }
    total, done = sum(sum(ours.values()) for ours, _ in counts.values()), 0
    found = []
    for table, ns in units(tables, names):
        if not any(ns in side for side in counts[table.name]):
            continue
        ours, theirs = _sum(source.copy, table, ns), _sum(target.copy, table, ns)
        if ours.checksum != theirs.checksum:
            raise CorruptStoreError(
                f"the target differs from the source in {table.name} of "
                f"{ns or 'the whole store'}, so it is not used",
                "something else wrote to it: see that nothing does, then run the same "
                "`ghost migrate` again, which mends it",
            )
        found.append((table, ns, ours))
        done += ours.rows
        progress("verifying", done, total)
    return _gathered(found)


def _sum(copy: "Copy", table: Table, ns: str) -> TableSum:
    made, count = sha256(), 0
    for rows in _batches(copy, table, ns):
        count += len(rows)
        made.update(b"".join(canonical(row) + b"\n" for row in rows))
    return TableSum(table.name, count, made.hexdigest())


def _batches(copy: "Copy", table: Table, ns: str) -> "Iterator[list[tuple[object, ...]]]":
    after: Key | None = None
    while rows := copy.rows(table, ns, after, None, BATCH):
        yield rows
        if len(rows) < BATCH:
            return
        after = table.key_of(rows[-1])


def _gathered(found: Sequence[tuple[Table, str, TableSum]]) -> tuple[NamespaceSum, ...]:
    parts: dict[tuple[bool, str], list[TableSum]] = {}
    for table, ns, one in found:
        parts.setdefault((table.owned, ns), []).append(one)
    return tuple(
        NamespaceSum(
            ns,
            sum(one.rows for one in some),
            tuple(some),
            combined([one.checksum for one in some]) if some[0].checksum else "",
        )
        for (_, ns), some in parts.items()
    )
