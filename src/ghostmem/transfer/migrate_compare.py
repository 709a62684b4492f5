"""Comparing two stores by checksums of ranges of keys, and writing again only what differs."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.store.tables import BOOKKEEPING, TABLES, Key, Row, Table, digest
from ghostmem.transfer.migrate_rows import BATCH, Mover

if TYPE_CHECKING:
    from ghostmem.store.protocol import Copy, Transaction

_CHILDREN = {
    table.name: [
        child.name for child in TABLES if any(table.name == one[1] for one in child.parents)
    ]
    for table in TABLES
}


class Block(NamedTuple):
    """A range of keys and the checksum that the target's rows in it have.

    None when that must be looked at again.
    """

    after: Key | None
    upto: Key | None
    digest: str | None


class Differences(NamedTuple):
    """What has to be written, and what has to go, in one table of one namespace."""

    rows: list[Row]
    changed: list[Key]  # keys of those rows that the target has, too
    gone: list[Key]


class Comparison:
    """What is known of the target, so that a second look reads only the source."""

    def __init__(self, mover: Mover) -> None:
        self._mover = mover
        self._blocks: dict[tuple[str, str], list[Block]] = {}
        mover.recopied = self._recopied

    def unit(self, tx: "Transaction", table: Table, ns: str, anew: bool = False) -> int:
        """Make one table of one namespace equal, and return how many rows differed.

        `anew` trusts nothing known of the target.
        """
        known = self._blocks.pop((table.name, ns), None)
        known = None if anew else known
        blocks: list[Block] = []
        found = Differences([], [], [])
        with self._mover.writing() as target:
            for block, rows in _ranges(tx.copy, table, ns, known):
                made = digest(rows)
                if made != block.digest:
                    _differences(
                        table, rows, target.copy.rows(table, ns, block.after, block.upto), found
                    )
                blocks.append(block._replace(digest=made))
            whole = self._write(tx, target, table, ns, found)
        if whole:
            self._blocks[table.name, ns] = blocks
        if found.rows or found.gone:
            for child in _CHILDREN[table.name]:
                self._blocks.pop((child, ns), None)
        return len(found.rows) + len(found.gone)

    def _write(
        self, tx: "Transaction", target: "Transaction", table: Table, ns: str, found: Differences
    ) -> bool:
        """Bring the differences over; say whether everything could be written."""
        rows, gone = found.rows, found.gone
        if table.name == "memories":
            # what only was read more often keeps its chunks, edges and vectors as they are
            ours = {row[0]: row for row in rows}
            kept = {
                row[0]
                for row in target.copy.of(table, ns, list(ours))
                if _light(table, ours[row[0]], row)
            }
            again = [row[0] for row in rows if row[0] not in kept] + [key[0] for key in gone]
            for first in range(0, len(again), BATCH):
                self._mover.recopy(tx, target, ns, again[first : first + BATCH])
            return self._mover.write(target, table, ns, [row for row in rows if row[0] in kept])
        drop = gone + found.changed if table.replaced else gone
        for first in range(0, len(drop), BATCH):
            target.copy.drop(table, ns, drop[first : first + BATCH])
        whole = [
            self._mover.write(target, table, ns, rows[first : first + BATCH])
            for first in range(0, len(rows), BATCH)
        ]
        return all(whole)

    def knows(self, table: Table, ns: str) -> bool:
        """Say whether the target's rows were looked at."""
        return (table.name, ns) in self._blocks

    def _recopied(self, ns: str, ids: Sequence[str]) -> None:
        """Look again at the ranges that have rows of memories that were written anew."""
        ordered = sorted(ids)
        for table in TABLES:
            if not table.ends or (table.name, ns) not in self._blocks:
                continue
            self._blocks[table.name, ns] = [
                block._replace(digest=None)
                if _touches(block, ordered) or len(table.ends) > 1
                else block
                for block in self._blocks[table.name, ns]
            ]


def _ranges(
    copy: "Copy", table: Table, ns: str, known: list[Block] | None
) -> Iterator[tuple[Block, list[Row]]]:
    """Yield the ranges known, or new ones of so many rows, with the source's rows.

    Together they hold every key there may be.
    """
    if known is not None:
        for block in known:
            yield block, copy.rows(table, ns, block.after, block.upto)
        return
    after: Key | None = None
    while True:
        rows = copy.rows(table, ns, after, None, BATCH)
        upto = table.key_of(rows[-1]) if len(rows) == BATCH else None
        yield Block(after, upto, None), rows
        if upto is None:
            return
        after = upto


def _touches(block: Block, ids: Sequence[str]) -> bool:
    """Say whether a range may have rows of one of these memories, which are in order."""
    at = 0 if block.after is None else bisect_left(ids, block.after[0])
    return at < len(ids) and (block.upto is None or ids[at] <= block.upto[0])


def _differences(
    table: Table, ours: Sequence[Row], theirs: Sequence[Row], found: Differences
) -> None:
    """Add what differs between two lists of rows."""
    have = {table.key_of(row): row for row in theirs}
    for row in ours:
        key = table.key_of(row)
        known = have.pop(key, None)
        if known != row:
            found.rows.append(row)
            if known is not None:
                found.changed.append(key)
    found.gone.extend(have)


def _light(table: Table, ours: Row, theirs: Row) -> bool:
    """Say whether a memory differs only in how often and when it was read."""
    names = [
        name for name, one, other in zip(table.columns, ours, theirs, strict=True) if one != other
    ]
    return BOOKKEEPING.issuperset(names)
