"""Runs of the lifecycle in PostgreSQL, which several workers may share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ghostmem.store.database import Database
from ghostmem.store.rows import AuditEntry
from ghostmem.store.runs import ENTRY, Runs

_PLAN = (  # arrays of columns, so that a long plan is one statement for each namespace
    f"INSERT INTO audit (run_id, {ENTRY.columns}) SELECT ?, seq, ?, subject, rule, op, hash,"
    " before, after, 0 FROM unnest("
    "?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])"
    " AS given (seq, subject, rule, op, hash, before, after)"
)


class PostgresRuns(Runs):
    """Runs whose changes are found by their namespaces.

    Planning and counting lock the run's row, so that two workers never give a number twice."""

    for_update = " FOR NO KEY UPDATE"

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._namespaces: dict[tuple[str, int], str] = {}  # of the changes that were read here

    def plan(self, run_id: str, entries: Iterable[AuditEntry]) -> None:
        """Record the changes that a run is going to make."""
        self._db.run(f"SELECT 1 FROM runs WHERE id = ?{self.for_update}", (run_id,))
        by_ns: dict[str, list[tuple[Any, ...]]] = {}
        for entry in self._numbered(run_id, entries):
            seq, ns, *others, _ = ENTRY.write(entry)
            by_ns.setdefault(ns, []).append((seq, *others))
            self._namespaces[run_id, seq] = ns
        for ns, rows in by_ns.items():
            self._db.run(_PLAN, (run_id, ns, *map(list, zip(*rows, strict=True))))

    def _entries(self, tail: str, values: Sequence[Any]) -> list[AuditEntry]:
        entries = super()._entries(tail, values)
        self._namespaces.update(((values[0], entry.seq), entry.ns) for entry in entries)
        return entries

    def done(self, run_id: str, states: Mapping[int, int]) -> None:
        """Record by number that changes were made (1), or skipped as their subject changed (2)."""
        sql = "UPDATE audit SET done = ? WHERE run_id = ? AND seq = ? AND ns = ?"
        unknown: dict[int, int] = {}  # changes that were not read here
        for seq, state in states.items():
            if (ns := self._namespaces.get((run_id, seq))) is None:
                unknown[seq] = state
            else:
                self._db.run(sql, (state, run_id, seq, ns))
        super().done(run_id, unknown)
