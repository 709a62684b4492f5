"""Copy the rows of one store to another, then repeat the rows that changed or differ.

`StoreCopy.copy_all` copies everything once, `StoreCopy.catch_up` copies what the audit log of the
source names since then, and `Comparison` finds the remaining differences by checksums over ranges
of keys."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from ghostmem.errors import ConflictError
from ghostmem.store import Copy, Engine, Transaction
from ghostmem.store.tables import BOOKKEEPING, BY_NAME, TABLES, Key, Row, Table, digest
from ghostmem.transfer.checksums import ROWS_PER_READ, Progress, batches, tables_by_namespace

ROWS_PER_TRANSACTION = 2000
MEMORIES_PER_TRANSACTION = 100
_MEMORIES, _CHANGES = BY_NAME["memories"], BY_NAME["changes"]
_CHILDREN = {
    table.name: [
        child.name
        for child in TABLES
        if any(table.name == parent for _, parent, _ in child.parents)
    ]
    for table in TABLES
}
T = TypeVar("T")


class CaughtUp(NamedTuple):
    """The state after the changes in the log have been copied."""

    logs: dict[str, int]  # the length of each namespace's log
    lag: int  # the number of new log entries
    embedded: set[str]  # namespaces with vectors whose memory the log does not name
    new_namespaces: set[str]


class StoreCopy:
    """The copy of one open store to another.

    A second `ghost migrate` that starts takes over, and this one stops at its next write."""

    def __init__(
        self,
        source: Engine,
        target: Engine,
        tables: Sequence[Table],
        holder: str,
        progress: Progress,
    ) -> None:
        self.source = source
        self.target = target
        self.tables = tables
        self.progress = progress
        self.resumed = False
        # Called with a namespace and the ids of memories that were written again.
        self.on_recopy: Callable[[str, Sequence[str]], None] | None = None
        self._holder = holder
        self._dependent = [
            table
            for table in tables
            if (table.ends and table.name != "memories") or table.name == "vectors"
        ]

    @contextmanager
    def writing(self, durable: bool = False) -> Iterator[Transaction]:
        """Open a write transaction on the target, unless another process took over."""
        with self.target.write(durable=durable) as tx:
            if not tx.move.held(self._holder):
                raise ConflictError(
                    f"another `ghost migrate` took over the move to {self.target.location}",
                    "let that one finish, or stop it and run this again",
                )
            yield tx

    def note(self, **values: str) -> None:
        """Store values in the target with which a later run can resume."""
        with self.writing() as target:
            target.move.note(values)

    def copy_all(self, tx: Transaction, place: str | None) -> None:
        """Copy every row behind `place`; each transaction stores the place it reached."""
        order = {table.name: number for number, table in enumerate(self.tables)}
        start, after, done = _read_place(place, order)
        counts = {table.name: tx.copy.counts(table) for table in self.tables}
        total = sum(sum(by_namespace.values()) for by_namespace in counts.values())
        waiting: list[tuple[Table, str, list[Row]]] = []
        for table, ns in tables_by_namespace(self.tables, tx.copy.namespaces()):
            position = (int(table.owned), ns, order[table.name])
            if not counts[table.name].get(ns, 0) or (start is not None and position < start):
                continue
            for rows in batches(tx.copy, table, ns, after if position == start else None):
                waiting.append((table, ns, rows))
                done += len(rows)
                if sum(len(part) for *_, part in waiting) >= ROWS_PER_TRANSACTION:
                    self._flush(waiting, table.key_of(rows[-1]), done)
                    self.progress("copying", done, total)
        if waiting:
            self._flush(waiting, None, done)
        self.progress("copying", total, total)

    def _flush(
        self, waiting: list[tuple[Table, str, list[Row]]], last_key: Key | None, done: int
    ) -> None:
        with self.writing() as tx:
            for table, ns, rows in waiting:
                # Following the log before resuming may already have written some of these rows.
                if table.replaced and self.resumed:
                    tx.copy.drop(table, ns, [table.key_of(row) for row in rows])
                self.write(tx, table, ns, rows)
            table, ns, _ = waiting[-1]
            tx.move.note({"place": json.dumps([table.name, ns, last_key, done])})
        waiting.clear()

    def write(self, tx: Transaction, table: Table, ns: str, rows: Sequence[Row]) -> bool:
        """Write the rows whose parents exist, and say whether that was all of them.

        The others are written by a later pass."""
        ready = list(rows)
        for column, parent, name in table.parents:
            at = table.at(column)
            references = {row[at] for row in ready if row[at] is not None}
            present = tx.copy.present(parent, name, ns, references)
            ready = [row for row in ready if row[at] is None or row[at] in present]
        if ready:
            tx.copy.write(table, ns, ready)
        return len(ready) == len(rows)

    def catch_up(self, tx: Transaction, since: Mapping[str, int]) -> CaughtUp:
        """Copy the memories that the audit log names behind the positions `since`.

        Namespaces that the target does not have yet are returned as new, not copied."""
        logs = tx.copy.logs()
        with self.writing() as target:
            started = target.copy.logs()
        lag, embedded = 0, set[str]()
        for ns, length in logs.items():
            if ns not in since or ns not in started or since[ns] >= length:
                continue
            ids, unnamed = tx.copy.logged(ns, since[ns])
            lag += length - since[ns]
            embedded |= {ns} if unnamed else set()
            self._recopy_all(tx, ns, sorted(ids))
            with self.writing() as target:
                self.write(target, _CHANGES, ns, tx.copy.rows(_CHANGES, ns, (since[ns],)))
        self.note(since=json.dumps(logs))
        return CaughtUp(logs, lag, embedded, logs.keys() - started.keys())

    def _recopy_all(self, tx: Transaction, ns: str, ids: Sequence[str]) -> None:
        done = 0
        for part in _parts(ids, MEMORIES_PER_TRANSACTION):
            with self.writing() as target:
                self.recopy(tx, target, ns, part)
            done += len(part)
            self.progress("catching up", done, len(ids))

    def recopy(self, tx: Transaction, target: Transaction, ns: str, ids: Iterable[str]) -> None:
        """Write all versions of these memories again with everything that depends on them.

        Memories that the source no longer has are deleted."""
        in_source, in_target = self._all_versions(tx, target, ns, ids)
        everything = sorted(in_source | in_target)
        if not everything:
            return
        for table in reversed(self._dependent):
            target.copy.drop_of(table, ns, everything)
        target.copy.drop(_MEMORIES, ns, [(memory,) for memory in sorted(in_target - in_source)])
        target.copy.park(ns, sorted(in_target & in_source))
        for table in (_MEMORIES, *self._dependent):
            self.write(target, table, ns, tx.copy.of(table, ns, everything))
        if self.on_recopy is not None:
            self.on_recopy(ns, everything)

    @staticmethod
    def _all_versions(
        tx: Transaction, target: Transaction, ns: str, ids: Iterable[str]
    ) -> tuple[set[str], set[str]]:
        """Return the ids, in the source and in the target, that share a key on either side."""
        wanted, keys, size = set(ids), set[str](), -1
        while len(wanted) + len(keys) > size:
            size = len(wanted) + len(keys)
            source_keys = tx.copy.versions(ns, wanted, keys)
            target_keys = target.copy.versions(ns, wanted, keys)
            wanted |= source_keys.keys() | target_keys.keys()
            keys |= {*source_keys.values(), *target_keys.values()}
        return set(source_keys), set(target_keys)


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


def _read_place(
    place: str | None, order: Mapping[str, int]
) -> tuple[tuple[int, str, int] | None, Key | None, int]:
    """Return the position in copy order, the last key and the number of rows of an earlier run."""
    if place is None:
        return None, None, 0
    name, ns, last_key, done = json.loads(place)
    position = (int(BY_NAME[name].owned), ns, order.get(name, 0))
    if last_key is None:
        return (*position[:2], position[2] + 1), None, done
    return position, tuple(last_key), done


class KeyRange(NamedTuple):
    """A range of keys and the checksum of the target's rows in it, or None if unknown."""

    after: Key | None
    upto: Key | None
    digest: str | None


class Differences(NamedTuple):
    """The rows of a table that have to be written to the target or deleted from it."""

    rows: list[Row]
    changed: list[Key]  # keys of `rows` that the target has with other values
    gone: list[Key]


class Comparison:
    """Makes tables of the target equal to the source.

    It remembers checksums of the target, so that a second comparison reads only the source."""

    def __init__(self, copy: StoreCopy) -> None:
        self._copy = copy
        self._ranges: dict[tuple[str, str], list[KeyRange]] = {}
        copy.on_recopy = self._forget_memories

    def equalize(self, tx: Transaction, table: Table, ns: str, anew: bool = False) -> int:
        """Make a table of a namespace equal, and return the number of rows that differed.

        `anew` ignores the remembered checksums."""
        known = self._ranges.pop((table.name, ns), None)
        compared: list[KeyRange] = []
        differences = Differences([], [], [])
        with self._copy.writing() as target:
            for span, rows in _split(tx.copy, table, ns, None if anew else known):
                checksum = digest(rows)
                if checksum != span.digest:
                    target_rows = target.copy.rows(table, ns, span.after, span.upto)
                    _add_differences(table, rows, target_rows, differences)
                compared.append(span._replace(digest=checksum))
            complete = self._write(tx, target, table, ns, differences)
        if complete:
            self._ranges[table.name, ns] = compared
        if differences.rows or differences.gone:
            for child in _CHILDREN[table.name]:
                self._ranges.pop((child, ns), None)
        return len(differences.rows) + len(differences.gone)

    def _write(
        self,
        tx: Transaction,
        target: Transaction,
        table: Table,
        ns: str,
        differences: Differences,
    ) -> bool:
        """Write the differences, and say whether every row could be written."""
        rows, gone = differences.rows, differences.gone
        if table.name == "memories":
            # A memory that was only read more often keeps its chunks, edges and vectors.
            by_id = {row[0]: row for row in rows}
            light = {
                row[0]
                for row in target.copy.of(table, ns, list(by_id))
                if _differs_only_in_reads(table, by_id[row[0]], row)
            }
            again = [memory for memory in by_id if memory not in light] + [key[0] for key in gone]
            for ids in _parts(again, ROWS_PER_READ):
                self._copy.recopy(tx, target, ns, ids)
            return self._copy.write(target, table, ns, [row for row in rows if row[0] in light])
        for keys in _parts(gone + differences.changed if table.replaced else gone, ROWS_PER_READ):
            target.copy.drop(table, ns, keys)
        parts = _parts(rows, ROWS_PER_READ)
        written = [self._copy.write(target, table, ns, part) for part in parts]
        return all(written)

    def knows(self, table: Table, ns: str) -> bool:
        """Say whether the table was compared completely."""
        return (table.name, ns) in self._ranges

    def _forget_memories(self, ns: str, ids: Sequence[str]) -> None:
        """Forget the checksums of ranges with rows of memories that were written again."""
        ordered = sorted(ids)
        for table in TABLES:
            if table.ends and self.knows(table, ns):
                self._ranges[table.name, ns] = [
                    span._replace(digest=None)
                    if len(table.ends) > 1 or _may_contain(span, ordered)
                    else span
                    for span in self._ranges[table.name, ns]
                ]


def _split(
    copy: Copy, table: Table, ns: str, known: list[KeyRange] | None
) -> Iterator[tuple[KeyRange, list[Row]]]:
    """Yield the known ranges, or new ones, with the rows of the source; they cover every key."""
    if known is not None:
        for span in known:
            yield span, copy.rows(table, ns, span.after, span.upto)
        return
    after: Key | None = None
    while True:
        rows = copy.rows(table, ns, after, None, ROWS_PER_READ)
        upto = table.key_of(rows[-1]) if len(rows) == ROWS_PER_READ else None
        yield KeyRange(after, upto, None), rows
        if upto is None:
            return
        after = upto


def _may_contain(span: KeyRange, ids: Sequence[str]) -> bool:
    """Say whether a range may have rows of one of these memories; the ids are sorted."""
    at = 0 if span.after is None else bisect_left(ids, span.after[0])
    return at < len(ids) and (span.upto is None or ids[at] <= span.upto[0])


def _add_differences(
    table: Table, source: Sequence[Row], target: Sequence[Row], differences: Differences
) -> None:
    remaining = {table.key_of(row): row for row in target}
    for row in source:
        key = table.key_of(row)
        target_row = remaining.pop(key, None)
        if target_row != row:
            differences.rows.append(row)
            if target_row is not None:
                differences.changed.append(key)
    differences.gone.extend(remaining)


def _differs_only_in_reads(table: Table, source: Row, target: Row) -> bool:
    """Say whether a memory differs only in how often and when it was read."""
    values = zip(table.columns, source, target, strict=True)
    return BOOKKEEPING.issuperset(name for name, ours, theirs in values if ours != theirs)
