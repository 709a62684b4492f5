"""Moving rows from one store to another: all of them once, then again what the change log names."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ghostmem.errors import ConflictError
from ghostmem.store.tables import BY_NAME, Key, Row, Table

if TYPE_CHECKING:
    from ghostmem.store.protocol import Engine, Transaction

Progress = Callable[
    [str, int, int], None
]  # told what is being done, how far it is, and how far it goes
Unit = tuple[Table, str]

BATCH = 500  # rows read at once
TOGETHER = 2000  # rows written in one transaction
KEYS = 100  # changed memories brought over in one transaction
_MEMORIES, _CHANGES = BY_NAME["memories"], BY_NAME["changes"]


def occupied(tables: Sequence[Table], *sides: "Transaction") -> list[Unit]:
    """Return every table of every namespace that has rows on one of these sides, in the order in
    which they move.
    """
    counts = {table.name: set().union(*(tx.copy.counts(table) for tx in sides)) for table in tables}
    names = set[str]().union(*(tx.copy.namespaces() for tx in sides))
    return [(table, ns) for table, ns in units(tables, names) if ns in counts[table.name]]


def units(tables: Sequence[Table], namespaces: Iterable[str]) -> list[Unit]:
    """Return every table of every namespace in the order in which they move: first what belongs to
    the whole store.
    """
    found: list[Unit] = [(table, "") for table in tables if not table.owned]
    return found + [(table, ns) for ns in sorted(namespaces) for table in tables if table.owned]


class CaughtUp(NamedTuple):
    """Where the logs stand by now, how many changes that were, where vectors came without a name,
    and what is new altogether.
    """

    logs: dict[str, int]
    lag: int
    embedded: set[str]
    fresh: set[str]


class Mover:
    """One move between two open stores, by one holder.

    Another who begins takes it over, and this one stops.
    """

    def __init__(
        self,
        source: "Engine",
        target: "Engine",
        tables: Sequence[Table],
        holder: str,
        progress: Progress,
    ) -> None:
        self.source = source
        self.target = target
        self.tables = tables
        self.progress = progress
        self.written = 0
        self.resumed = False
        self.recopied: Callable[[str, Sequence[str]], None] | None = (
            None  # is told what was written again
        )
        self._holder = holder
        self._hanging = [
            table
            for table in tables
            if (table.ends and table.name != "memories") or table.name == "vectors"
        ]

    @contextmanager
    def writing(self, durable: bool = False) -> "Iterator[Transaction]":
        """Change the target, as long as nobody else took the move over."""
        with self.target.write(durable=durable) as tx:
            if not tx.move.held(self._holder):
                raise ConflictError(
                    f"another `ghost migrate` took over the move to {self.target.location}",
                    "let that one finish, or stop it and run this again",
                )
            yield tx

    def copy_all(self, tx: "Transaction", place: str | None) -> None:
        """Copy everything from a place on, in batches that each note how far they come."""
        order = {table.name: number for number, table in enumerate(self.tables)}
        start, after, done = _read_place(place, order)
        counts = {table.name: tx.copy.counts(table) for table in self.tables}
        total = sum(sum(found.values()) for found in counts.values())
        waiting: list[tuple[Table, str, list[Row]]] = []
        for table, ns in units(self.tables, tx.copy.namespaces()):
            here, count = (int(table.owned), ns, order[table.name]), counts[table.name].get(ns, 0)
            if not count or (start is not None and here < start):
                continue
            behind: Key | None = after if here == start else None
            while rows := tx.copy.rows(table, ns, behind, None, BATCH):
                behind = table.key_of(rows[-1])
                waiting.append((table, ns, rows))
                done += len(rows)
                if sum(len(part) for *_, part in waiting) >= TOGETHER:
                    self._flush(waiting, behind, done)
                    self.progress("copying", done, total)
                if len(rows) < BATCH:
                    break
        if waiting:
            self._flush(waiting, None, done)
        self.progress("copying", total, total)

    def _flush(
        self, waiting: list[tuple[Table, str, list[Row]]], behind: Key | None, done: int
    ) -> None:
        with self.writing() as tx:
            for table, ns, rows in waiting:
                if (
                    table.replaced and self.resumed
                ):  # a change that was brought over earlier may have come with it
                    tx.copy.drop(table, ns, [table.key_of(row) for row in rows])
                self.write(tx, table, ns, rows)
            table, ns, _ = waiting[-1]
            tx.move.note({"place": json.dumps([table.name, ns, behind, done])})
        waiting.clear()

    def write(self, tx: "Transaction", table: Table, ns: str, rows: Sequence[Row]) -> bool:
        """Write rows whose parents are there.

        Say whether that was all: what another one waits for comes with a later pass.
        """
        kept = list(rows)
        for column, parent, name in table.parents:
            at = table.at(column)
            there = tx.copy.present(
                parent, name, ns, {row[at] for row in kept if row[at] is not None}
            )
            kept = [row for row in kept if row[at] is None or row[at] in there]
        if kept:
            tx.copy.write(table, ns, kept)
        self.written += len(kept)
        return len(kept) == len(rows)

    def catch_up(self, tx: "Transaction", since: Mapping[str, int]) -> "CaughtUp":
        """Bring over what the change log names behind where it was, in namespaces that
        were begun.
        """
        logs = tx.copy.logs()
        with self.writing() as target:
            begun = target.copy.logs()
        lag, embedded = 0, set[str]()
        for ns, length in logs.items():
            if ns not in since or ns not in begun or since[ns] >= length:
                continue
            ids, unnamed = tx.copy.logged(ns, since[ns])
            lag += length - since[ns]
            embedded |= {ns} if unnamed else set()
            ordered = sorted(ids)
            for first in range(0, len(ordered), KEYS):
                with self.writing() as target:
                    self.recopy(tx, target, ns, ordered[first : first + KEYS])
                self.progress("catching up", min(first + KEYS, len(ordered)), len(ordered))
            with self.writing() as target:
                self.write(target, _CHANGES, ns, tx.copy.rows(_CHANGES, ns, (since[ns],)))
        with self.writing() as target:
            target.move.note({"since": json.dumps(logs)})
        return CaughtUp(logs, lag, embedded, logs.keys() - begun.keys())

    def recopy(self, tx: "Transaction", target: "Transaction", ns: str, ids: Iterable[str]) -> None:
        """Write all versions of these memories' keys again, with everything that hangs on them, or
        delete what is gone.
        """
        there, here = self._closed(tx, target, ns, ids)
        everything = sorted(there.keys() | here.keys())
        if not everything:
            return
        for table in reversed(self._hanging):
            target.copy.drop_of(table, ns, everything)
        target.copy.drop(_MEMORIES, ns, [(one,) for one in sorted(here.keys() - there.keys())])
        target.copy.park(ns, sorted(here.keys() & there.keys()))
        self.write(target, _MEMORIES, ns, tx.copy.of(_MEMORIES, ns, everything))
        for table in self._hanging:
            self.write(target, table, ns, tx.copy.of(table, ns, everything))
        if self.recopied is not None:
            self.recopied(ns, everything)

    def _closed(
        self, tx: "Transaction", target: "Transaction", ns: str, ids: Iterable[str]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return the ids and keys, in the source and the target, of all that share a key with these
        on either side.
        """
        known, there, here = -1, dict[str, str](), dict[str, str]()
        wanted, keys = set(ids), set[str]()
        while len(wanted) + len(keys) > known:
            known = len(wanted) + len(keys)
            there, here = tx.copy.versions(ns, wanted, keys), target.copy.versions(ns, wanted, keys)
            wanted |= there.keys() | here.keys()
            keys |= {*there.values(), *here.values()}
        return there, here


def _read_place(
    place: str | None, order: Mapping[str, int]
) -> tuple[tuple[int, str, int] | None, Key | None, int]:
    """Return how far a copy came, in the order of units, the last key of that unit, and how many
    rows that were.
    """
    if place is None:
        return None, None, 0
    name, ns, behind, done = json.loads(place)
    here = (int(BY_NAME[name].owned), ns, order.get(name, 0))
    if behind is None:
        return (*here[:2], here[2] + 1), None, done
    return here, tuple(behind), done
