"""Runs of the lifecycle, and their changes with the state before."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from ghostmem.clock import format_time, read_time
from ghostmem.model import Run
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType, time_of
from ghostmem.store.rows import AuditEntry
from ghostmem.store.tally import Tally, tally_keys, tally_of, tally_text, tally_without

ENTRY = RowType("audit", AuditEntry)
_SELECT = "SELECT id, verb, scope, at, finished_at, undone_at, place FROM runs"
_NEWEST_FIRST = "ORDER BY finished_at IS NOT NULL, finished_at DESC, at DESC, id DESC"
_PLANNED = 1_000  # changes that are recorded at once
_MOVES = "'PROMOTE', 'DEMOTE', 'ARCHIVE', 'DELETE', 'DEDUP', 'MERGE'"  # change the tier


class Runs(StoreTable):
    """The changes that were planned, made and undone.

    A run belongs to the whole store, its changes belong to their namespaces."""

    def begin(self, run: Run, holder: str) -> None:
        """Record that a run begins, and the process that makes it."""
        self._db.run(
            "INSERT INTO runs (id, verb, scope, at, holder) VALUES (?, ?, ?, ?, ?)",
            (run.id, run.verb, run.scope, format_time(run.at), holder),
        )

    def update(self, run_id: str, **columns: str | datetime) -> None:
        """Change columns of a run: the process that continues it, its last namespace, its end."""
        sets = ", ".join(f"{name} = ?" for name in columns)
        values = [format_time(at) if isinstance(at, datetime) else at for at in columns.values()]
        self._db.run(f"UPDATE runs SET {sets} WHERE id = ?", (*values, run_id))

    def holders(self) -> dict[str, str]:
        """Return the holders of unfinished runs by the ids of the runs."""
        return dict(
            self._db.rows("SELECT id, holder FROM runs WHERE finished_at IS NULL ORDER BY id")
        )

    def get(self, run_id: str) -> Run | None:
        """Return a run."""
        return next((run for run, _ in self._runs("WHERE id = ?", (run_id,))), None)

    def all(self, limit: int) -> list[Run]:
        """List runs, newest first."""
        most = self._sql.no_limit if limit < 0 else limit
        return [run for run, _ in self._runs(f"{_NEWEST_FIRST} LIMIT ?", (most,))]

    def starting(self, beginning: str) -> list[Run]:
        """List the runs whose ids start with a text, newest first."""
        starts, values = self._sql.starts("id", beginning)
        return [run for run, _ in self._runs(f"WHERE {starts} {_NEWEST_FIRST}", values)]

    def newest_not_undone(self) -> Run | None:
        """Return the newest run that was not undone."""
        return next(
            (run for run, _ in self._runs(f"WHERE undone_at IS NULL {_NEWEST_FIRST} LIMIT 1", ())),
            None,
        )

    def unfinished(self, verb: str, scope: str) -> tuple[Run, str] | None:
        """Return an unfinished run of a scope and the last namespace it was done with."""
        starts, values = self._sql.starts("verb", f"{verb} ")
        return next(
            self._runs(
                f"WHERE (verb = ? OR {starts}) AND scope = ? AND finished_at IS NULL"
                " ORDER BY at, id LIMIT 1",
                (verb, *values, scope),
            ),
            None,
        )

    def _runs(self, tail: str, values: Sequence[Any]) -> Iterator[tuple[Run, str]]:
        rows = self._db.rows(f"{_SELECT} {tail}", values)
        sql = f"SELECT run_id, count(*) FROM audit WHERE run_id {self._sql.among} GROUP BY run_id"
        counts: dict[str, int] = (
            dict(self._db.rows(sql, (self._sql.array(row[0] for row in rows),))) if rows else {}
        )
        for id_, verb, scope, at, finished, undone, place in rows:
            ends = (time_of(finished), time_of(undone))
            yield Run(id_, verb, scope, read_time(at), counts.get(id_, 0), *ends), place

    def plan(self, run_id: str, entries: Iterable[AuditEntry]) -> None:
        """Record the changes that a run is going to make.

        Planning and counting lock the run, so that two workers never give a number twice."""
        self._report(run_id, self._sql.for_update)
        marks = ", ".join("?" * len(ENTRY.names))
        sql = f"INSERT INTO audit (run_id, {ENTRY.columns}) VALUES (?, {marks})"
        last = self._db.get("SELECT coalesce(max(seq), 0) FROM audit WHERE run_id = ?", (run_id,))
        numbered = (
            entry._replace(seq=number, done=0)
            for number, entry in enumerate(entries, int(last) + 1)
        )
        while rows := [(run_id, *ENTRY.write(entry)) for entry in islice(numbered, _PLANNED)]:
            self._db.run_many(sql, rows)

    def todo(self, run_id: str, limit: int, ns: str | None = None) -> list[AuditEntry]:
        """List the planned changes of a run that are not made, in order; with `ns`, only there."""
        only, values = ("", []) if ns is None else ("ns = ? AND ", [ns])
        most = self._sql.no_limit if limit < 0 else limit
        return self._entries(f"{only}done = 0 ORDER BY seq LIMIT ?", (run_id, *values, most))

    def entries(self, run_id: str, newest_first: bool = False) -> list[AuditEntry]:
        """List the changes of a run by namespace and there in the order of the plan."""
        # several workers plan namespaces in any order
        way = "DESC" if newest_first else "ASC"
        return self._entries(f"done >= 0 ORDER BY ns {way}, seq {way}", (run_id,))

    def _entries(self, tail: str, values: Sequence[Any]) -> list[AuditEntry]:
        return ENTRY.select(self._db, f"WHERE run_id = ? AND {tail}", values)

    def done(self, run_id: str, entries: Iterable[AuditEntry]) -> None:
        """Record whether changes are `done` (1), or were skipped as their subject changed (2)."""
        self._db.run_many(
            "UPDATE audit SET done = ? WHERE run_id = ? AND seq = ? AND ns = ?",
            [(entry.done, run_id, entry.seq, entry.ns) for entry in entries],
        )

    def _report(self, run_id: str, tail: str = "") -> str:
        return str(self._db.get(f"SELECT report FROM runs WHERE id = ?{tail}", (run_id,)))

    def tally(self, run_id: str, added: Tally) -> None:
        """Add to the counts of a run that its changes do not show."""
        self.update(run_id, report=tally_text(self._report(run_id, self._sql.for_update), added))

    def tallied(self, run_id: str) -> Tally:
        """Return the counts of a run that its changes do not show."""
        return tally_of(self._report(run_id))

    def moved(self, since: datetime) -> dict[str, int]:
        """Return how often runs moved each memory to another tier, or removed it, since a time."""
        return dict(
            self._db.rows(
                "SELECT a.subject, count(*) FROM runs r JOIN audit a ON a.run_id = r.id"
                " WHERE r.at >= ? AND r.undone_at IS NULL AND a.done = 1"
                f" AND a.op IN ({_MOVES}) GROUP BY a.subject",
                (format_time(since),),
            )
        )

    def tidy(self, names: Collection[str] | None = None) -> None:
        """Remove the keys of deleted memories from the groups that runs recorded.

        With `names`, only keys of these namespaces and of groups without one are removed."""
        starts, values = self._sql.starts("report", "[")
        reports = dict(self._db.rows(f"SELECT id, report FROM runs WHERE {starts}", values))
        gone = {
            ns: keys - self._stored_keys(ns, keys)
            for ns, keys in tally_keys(*reports.values()).items()
            if names is None or ns in ("", *names)
        }
        for run_id, report in sorted(reports.items()):
            if tally_without(report, gone) != report:
                # another process may change it too
                report = self._report(run_id, self._sql.for_update)
                self.update(run_id, report=tally_without(report, gone))

    def _stored_keys(self, ns: str, keys: Collection[str]) -> set[str]:
        """Return those of some keys that a namespace has; an empty one stands for all."""
        only, names = ("ns = ? AND ", [ns]) if ns else ("", [])
        sql = f"SELECT DISTINCT key FROM memories WHERE {only}key {self._sql.among}"
        return set(self._column(sql, (*names, self._sql.array(sorted(keys)))))

    def forget(self, before: datetime) -> int:
        """Delete the records of finished runs that are older than a time."""
        gone = self._column(
            "DELETE FROM runs WHERE finished_at IS NOT NULL AND at < ? RETURNING id",
            (format_time(before),),
        )
        if gone:  # a foreign key deletes them in SQLite
            self._db.run(
                f"DELETE FROM audit WHERE run_id {self._sql.among}", (self._sql.array(gone),)
            )
        return len(gone)
