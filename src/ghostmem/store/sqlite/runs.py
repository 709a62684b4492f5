"""Runs of the lifecycle, and everything they change, with what was before."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import apsw

from ghostmem.clock import format_time
from ghostmem.model import Run
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

_RUN = (
    "r.id, r.verb, r.scope, r.at, (SELECT count(*) FROM audit a WHERE a.run_id = r.id), "
    "r.finished_at, r.undone_at"
)


class SqliteRuns:
    """What was planned, done and undone."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def begin(self, run: Run, holder: str) -> None:
        """Write down that a run begins, and who makes it."""
        row = (run.id, run.verb, run.scope, format_time(run.at), holder)
        self._db.execute(
            "INSERT INTO runs (id, verb, scope, at, holder) VALUES (?, ?, ?, ?, ?)", row
        )

    def hold(self, run_id: str, holder: str) -> None:
        """Write down who goes on with a run."""
        self._db.execute("UPDATE runs SET holder = ? WHERE id = ?", (holder, run_id))

    def holders(self) -> dict[str, str]:
        """Return the runs that are not finished, with who makes them."""
        return dict(self._db.execute("SELECT id, holder FROM runs WHERE finished_at IS NULL"))

    def get(self, run_id: str) -> Run | None:
        """Return a run."""
        row = self._db.execute(f"SELECT {_RUN} FROM runs r WHERE r.id = ?", (run_id,)).fetchone()
        return None if row is None else run_of(row)

    def all(self, limit: int) -> list[Run]:
        """List runs, newest first."""
        return [
            run_of(row)
            for row in self._db.execute(
                f"SELECT {_RUN} FROM runs r ORDER BY r.finished_at IS NOT NULL, "
                "r.finished_at DESC, r.at DESC, r.id DESC LIMIT ?",
                (limit,),
            )
        ]

    def unfinished(self, verb: str, scope: str) -> tuple[Run, str] | None:
        """Return a run of this scope that was begun and never finished, and the last namespace it
        was done with.
        """
        sql = (
            f"SELECT {_RUN}, r.place FROM runs r WHERE (r.verb = ?1 OR r.verb LIKE ?1 || ' "
            "%') AND r.scope = ?2"
            " AND r.finished_at IS NULL ORDER BY r.at LIMIT 1"
        )
        row = self._db.execute(sql, (verb, scope)).fetchone()
        return None if row is None else (run_of(row[:-1]), row[-1])

    def plan(self, run_id: str, entries: Iterable[Entry]) -> None:
        """Write down what a run is going to change."""
        first: int = self._db.execute(
            "SELECT coalesce(max(seq), 0) FROM audit WHERE run_id = ?", (run_id,)
        ).get
        rows = (
            (run_id, *entry_row(first + number, entry)) for number, entry in enumerate(entries, 1)
        )
        self._db.executemany(
            f"INSERT INTO audit (run_id, {ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
        )

    def todo(self, run_id: str, limit: int) -> list[Entry]:
        """List what a run planned and has not done yet, in order."""
        return self._entries("done = 0 ORDER BY seq LIMIT ?", (run_id, limit))

    def entries(self, run_id: str, newest_first: bool = False) -> list[Entry]:
        """List everything a run changed, by namespace, and there in the order in which it was
        planned.
        """
        way = (
            "DESC" if newest_first else "ASC"
        )  # a run that came from PostgreSQL has its namespaces in any order
        return self._entries(f"done >= 0 ORDER BY ns {way}, seq {way}", (run_id,))

    def _entries(self, tail: str, values: Sequence[Any]) -> list[Entry]:
        sql = f"SELECT {ENTRY} FROM audit WHERE run_id = ? AND {tail}"
        return [entry_of(row) for row in self._db.execute(sql, values)]

    def done(self, run_id: str, seq: int, state: int = 1) -> None:
        """Say that a change was made (1), or left out because its subject had changed meanwhile
        (2).
        """
        self._db.execute(
            "UPDATE audit SET done = ? WHERE run_id = ? AND seq = ?", (state, run_id, seq)
        )

    def tally(
        self,
        run_id: str,
        ns: str,
        evaluated: int,
        applied: int,
        clusters: Sequence[tuple[str, ...]],
    ) -> None:
        """Add to what a run counts beside its changes."""
        before = self._db.execute("SELECT report FROM runs WHERE id = ?", (run_id,)).get
        told = tally_text(before, ns, evaluated, applied, clusters)
        self._db.execute("UPDATE runs SET report = ? WHERE id = ?", (told, run_id))

    def tallied(self, run_id: str) -> Tally:
        """Return how many memories a run evaluated, how many rules it applied, and which groups of
        keys it linked.
        """
        return tally_of(self._db.execute("SELECT report FROM runs WHERE id = ?", (run_id,)).get)

    def reached(self, run_id: str, place: str) -> None:
        """Say up to which namespace a run is done."""
        self._db.execute("UPDATE runs SET place = ? WHERE id = ?", (place, run_id))

    def finish(self, run_id: str, at: datetime) -> None:
        """Say that a run is done."""
        self._db.execute("UPDATE runs SET finished_at = ? WHERE id = ?", (format_time(at), run_id))

    def undone(self, run_id: str, at: datetime) -> None:
        """Say that a run was taken back."""
        self._db.execute("UPDATE runs SET undone_at = ? WHERE id = ?", (format_time(at), run_id))

    def moved(self, since: datetime) -> dict[str, int]:
        """Return how often runs moved each memory to another tier, or removed it, since a time."""
        sql = (
            "SELECT a.subject, count(*) FROM runs r JOIN audit a ON a.run_id = r.id WHERE "
            "r.at >= ? AND r.undone_at IS NULL"
            f" AND a.done = 1 AND a.op IN ({MOVES}) GROUP BY a.subject"
        )
        return dict(self._db.execute(sql, (format_time(since),)))

    def forget(self, before: datetime) -> int:
        """Drop the records of finished runs that are older than this."""
        self._db.execute(
            "DELETE FROM runs WHERE finished_at IS NOT NULL AND at < ?", (format_time(before),)
        )
        return self._db.changes()
