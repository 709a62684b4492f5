"""Runs of the lifecycle in PostgreSQL, which several workers may share."""

from collections.abc import Iterable
from typing import Any

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

    def plan(self, run_id: str, entries: Iterable[AuditEntry]) -> None:
        """Record the changes that a run is going to make."""
        self._db.run(f"SELECT 1 FROM runs WHERE id = ?{self.for_update}", (run_id,))
        by_ns: dict[str, list[tuple[Any, ...]]] = {}
        for entry in self._numbered(run_id, entries):
            seq, ns, *others, _ = ENTRY.write(entry)
            by_ns.setdefault(ns, []).append((seq, *others))
        for ns, rows in by_ns.items():
            self._db.run(_PLAN, (run_id, ns, *map(list, zip(*rows, strict=True))))
