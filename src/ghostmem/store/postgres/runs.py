"""Runs of the lifecycle, and everything they change, with what was before."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from ghostmem.clock import format_time
from ghostmem.model import Run
from ghostmem.store.postgres.connect import Db
from ghostmem.store.records import (
    ENTRY,
    MOVES,
    Tally,
    entry_of,
    entry_row,
    run_of,
    tally_of,
    tally_text,
)
from ghostmem.store.rows import Entry

_SELECT = "SELECT id, verb, scope, at, finished_at, undone_at, place FROM runs"
_PLAN = (  # columns side by side, so that a long plan is one statement for each namespace
    f"INSERT INTO audit (run_id, {ENTRY}) SELECT %s, seq, %s, subject, rule, op, hash, "
    "before, after, 0 FROM unnest("
    "%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])"
    " AS given (seq, subject, rule, op, hash, before, after)"
)


class PostgresRuns:
    """What was planned, done and undone.

    A run belongs to the whole store, its changes belong to their namespaces; who plans or counts
    holds the run's row, so that several who work on one run never give two changes the same number.
    """

    def __init__(self, db: Db) -> None:
        self._db = db
        self._spaces: dict[tuple[str, int], str] = {}  # where the changes are that were read here

    def begin(self, run: Run, holder: str) -> None:
        """Write down that a run begins, and who makes it."""
        row = (run.id, run.verb, run.scope, format_time(run.at), holder)
        self._db.run(
            "INSERT INTO runs (id, verb, scope, at, holder) VALUES (%s, %s, %s, %s, %s)", row
        )

    def hold(self, run_id: str, holder: str) -> None:
        """Write down who goes on with a run."""
        self._db.run("UPDATE runs SET holder = %s WHERE id = %s", (holder, run_id))

    def holders(self) -> dict[str, str]:
        """Return the runs that are not finished, with who makes them."""
        return dict(
            self._db.rows("SELECT id, holder FROM runs WHERE finished_at IS NULL ORDER BY id")
        )

    def get(self, run_id: str) -> Run | None:
        """Return a run."""
        return next(iter(self._runs("WHERE id = %s", (run_id,))), (None, ""))[0]

    def all(self, limit: int) -> list[Run]:
        """List runs, newest first."""
        order = "ORDER BY finished_at IS NOT NULL, finished_at DESC, at DESC, id DESC"
        return [run for run, _ in self._runs(f"{order} LIMIT %s", (None if limit < 0 else limit,))]

    def unfinished(self, verb: str, scope: str) -> tuple[Run, str] | None:
        """Return a run of this scope that was begun and never finished, and the last namespace it
        was done with.
        """
        tail = (
            "WHERE (verb = %s OR starts_with(verb, %s)) AND scope = %s AND finished_at "
            "IS NULL ORDER BY at, id LIMIT 1"
        )
        return next(iter(self._runs(tail, (verb, f"{verb} ", scope))), None)

    def _runs(self, tail: str, values: Sequence[Any]) -> list[tuple[Run, str]]:
        rows = self._db.rows(f"{_SELECT} {tail}", values)
        counts: dict[str, int] = {}
        if rows:
            sql = "SELECT run_id, count(*) FROM audit WHERE run_id = ANY(%s) GROUP BY run_id"
            counts = dict(self._db.rows(sql, ([row[0] for row in rows],)))
        return [(run_of((*row[:4], counts.get(row[0], 0), *row[4:6])), row[6]) for row in rows]

    def plan(self, run_id: str, entries: Iterable[Entry]) -> None:
        """Write down what a run is going to change."""
        self._db.run("SELECT 1 FROM runs WHERE id = %s FOR NO KEY UPDATE", (run_id,))
        first: int = self._db.get(
            "SELECT coalesce(max(seq), 0) FROM audit WHERE run_id = %s", (run_id,)
        )
        by_ns: dict[str, list[tuple[Any, ...]]] = {}
        for number, entry in enumerate(entries, first + 1):
            seq, ns, *others, _ = entry_row(number, entry)
            by_ns.setdefault(ns, []).append((seq, *others))
            self._spaces[run_id, seq] = ns
        for ns, rows in by_ns.items():
            self._db.run(_PLAN, (run_id, ns, *map(list, zip(*rows, strict=True))))

    def todo(self, run_id: str, limit: int, ns: str | None = None) -> list[Entry]:
        """List what a run planned and has not done yet, in order.

        Of one namespace, when that is all one does.
        """
        most = None if limit < 0 else limit
        if ns is not None:
            return self._entries("ns = %s AND done = 0 ORDER BY seq LIMIT %s", (run_id, ns, most))
        return self._entries("done = 0 ORDER BY seq LIMIT %s", (run_id, most))

    def entries(self, run_id: str, newest_first: bool = False) -> list[Entry]:
        """List everything a run changed, by namespace, and there in the order in which it was
        planned.
        """
        way = (
            "DESC" if newest_first else "ASC"
        )  # namespaces are planned in any order, whoever comes to them first
        return self._entries(f"done >= 0 ORDER BY ns {way}, seq {way}", (run_id,))

    def _entries(self, tail: str, values: Sequence[Any]) -> list[Entry]:
        found = [
            entry_of(row)
            for row in self._db.rows(
                f"SELECT {ENTRY} FROM audit WHERE run_id = %s AND {tail}", values
            )
        ]
        self._spaces.update(((values[0], entry.seq), entry.ns) for entry in found)
        return found

    def done(self, run_id: str, seq: int, state: int = 1) -> None:
        """Say that a change was made (1), or left out because its subject had changed meanwhile
        (2).
        """
        sql, values = (
            "UPDATE audit SET done = %s WHERE run_id = %s AND seq = %s",
            (state, run_id, seq),
        )
        if (ns := self._spaces.get((run_id, seq))) is None:
            self._db.run(sql, values)
        else:
            self._db.run(f"{sql} AND ns = %s", (*values, ns))

    def tally(
        self,
        run_id: str,
        ns: str,
        evaluated: int,
        applied: int,
        clusters: Sequence[tuple[str, ...]],
    ) -> None:
        """Add to what a run counts beside its changes."""
        before = self._db.get("SELECT report FROM runs WHERE id = %s FOR NO KEY UPDATE", (run_id,))
        told = tally_text(before, ns, evaluated, applied, clusters)
        self._db.run("UPDATE runs SET report = %s WHERE id = %s", (told, run_id))

    def tallied(self, run_id: str) -> Tally:
        """Return how many memories a run evaluated, how many rules it applied, and which groups of
        keys it linked.
        """
        return tally_of(self._db.get("SELECT report FROM runs WHERE id = %s", (run_id,)))

    def reached(self, run_id: str, place: str) -> None:
        """Say up to which namespace a run is done."""
        self._db.run("UPDATE runs SET place = %s WHERE id = %s", (place, run_id))

    def finish(self, run_id: str, at: datetime) -> None:
        """Say that a run is done."""
        self._db.run("UPDATE runs SET finished_at = %s WHERE id = %s", (format_time(at), run_id))

    def undone(self, run_id: str, at: datetime) -> None:
        """Say that a run was taken back."""
        self._db.run("UPDATE runs SET undone_at = %s WHERE id = %s", (format_time(at), run_id))

    def moved(self, since: datetime) -> dict[str, int]:
        """Return how often runs moved each memory to another tier, or removed it, since a time."""
        sql = (
            "SELECT a.subject, count(*) FROM runs r JOIN audit a ON a.run_id = r.id WHERE "
            "r.at >= %s AND r.undone_at IS NULL"
            f" AND a.done = 1 AND a.op IN ({MOVES}) GROUP BY a.subject"
        )
        return dict(self._db.rows(sql, (format_time(since),)))

    def forget(self, before: datetime) -> int:
        """Drop the records of finished runs that are older than this."""
        sql = "DELETE FROM runs WHERE finished_at IS NOT NULL AND at < %s RETURNING id"
        gone = [run_id for (run_id,) in self._db.rows(sql, (format_time(before),))]
        if gone:
            self._db.run("DELETE FROM audit WHERE run_id = ANY(%s)", (gone,))
        return len(gone)
