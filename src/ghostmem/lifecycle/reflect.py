"""reflect: let the rules of the lifecycle run over all memories, and be able to take it back."""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ghostmem.lifecycle.apply import apply, digest
from ghostmem.lifecycle.plan import COUNTED, Plan, make_plan
from ghostmem.lifecycle.workers import reflect_together
from ghostmem.model import Change, NsFilter, Report, Run
from ghostmem.store import validate
from ghostmem.store.processes import is_alive
from ghostmem.store.rows import Entry
from ghostmem.store.store import Store
from ghostmem.store.work_queue import shared

if TYPE_CHECKING:
    from ghostmem.store.protocol import Transaction

BATCH = 500
VERB = "reflect"
TURN = 0.1  # seconds between looks whether another process is done
_ACTIVE: set[str] = set()  # runs that threads of this process are making
LEFT = 2  # a change that was left out, because its subject had changed meanwhile


def reflect(
    store: Store,
    ns: str | None = None,
    *,
    dry_run: bool = False,
    relink: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Run the rules over every memory, namespace by namespace, then over those that are alike, then
    let edges fade.

    Pinned and locked memories are exempt from everything. What a run will change is written down
    before it changes anything: a run that was killed is finished by the next one, and `undo` takes
    a run back. `dry_run` returns exactly what a run would do and changes nothing. `relink` also
    links what shares names, topics or meaning."""
    scope = validate.ns_filter(ns)
    if dry_run:
        return _dry(store, scope, relink, progress)
    if (engine := shared(store)) is not None:
        return reflect_together(store, engine, scope, relink, progress)
    run, place, resumed = _begin(store, scope, relink)
    relink = run.verb != VERB  # also when it is a run that was interrupted
    try:
        if resumed:
            _carry_out(store, run)
        for name in _names(store, scope):
            if name > place:
                _plan(store, run, name, relink, progress)
                _carry_out(store, run)
        with store.engine.write() as tx:
            tx.runs.finish(run.id, store.clock())
            return report_of(tx, run, resumed)
    finally:
        _ACTIVE.discard(run.id)


def _names(store: Store, scope: NsFilter) -> list[str]:
    with store.engine.read() as tx:
        return names_of(tx, scope)


def names_of(tx: Transaction, scope: NsFilter) -> list[str]:
    """Return the namespaces that a run goes through, in order."""
    names = tx.search.names(scope.prefix) if scope.is_prefix or not scope else [str(scope)]
    return sorted(name for name in names if tx.search.spaces([name]))


def _dry(
    store: Store, scope: NsFilter, relink: bool, progress: Callable[[int], None] | None
) -> Report:
    """Return what the next run would do: a new one, or the rest of one that was interrupted."""
    with store.engine.read() as tx:
        found = tx.runs.unfinished(VERB, str(scope))
        run, place = found or (Run("", VERB, str(scope), store.clock()), "")
        relink = run.verb != VERB if found else relink
        rules = tx.rules.all()
        plans = [
            make_plan(store, tx, name, rules, run.at, relink, progress)
            for name in names_of(tx, scope)
            if name > place
        ]
        before = [entry for entry in tx.runs.entries(run.id) if entry.done != LEFT]
        report = _told(
            tx,
            Report(run.id, True, run.at),
            [*before, *(entry for plan in plans for entry in plan.entries)],
        )
        evaluated, applied, clusters = tx.runs.tallied(run.id) if found else (0, 0, [])
    return replace(
        report,
        memories_evaluated=evaluated + sum(plan.evaluated for plan in plans),
        rules_applied=applied + sum(plan.applied for plan in plans),
        linked_clusters=(
            *map(tuple, clusters),
            *(group for plan in plans for group in plan.clusters),
        ),
        resumed=found is not None,
    )


def _begin(store: Store, scope: NsFilter, relink: bool) -> tuple[Run, str, bool]:
    """Take up a run that was interrupted, or begin one.

    While another process makes one, wait for it.
    """
    while True:
        with store.engine.write() as tx:
            if not any(
                _is_under_way(run_id, holder) for run_id, holder in tx.runs.holders().items()
            ):
                found = tx.runs.unfinished(VERB, str(scope))
                if found is not None:
                    tx.runs.hold(found[0].id, _holder())
                    _ACTIVE.add(found[0].id)
                    return (*found, True)
                at = store.clock()
                run = Run(store.new_id(at), f"{VERB} --relink" if relink else VERB, str(scope), at)
                tx.runs.begin(run, _holder())
                _ACTIVE.add(run.id)
                return run, "", False
        time.sleep(TURN)


def _holder() -> str:
    return f"{socket.gethostname()} {os.getpid()}"


def _is_under_way(run_id: str, holder: str) -> bool:
    """Say whether somebody who is alive makes a run: another thread of ours, or another process of
    this machine.
    """
    host, _, pid = holder.rpartition(" ")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return run_id in _ACTIVE if int(pid) == os.getpid() else is_alive(int(pid))


def _plan(
    store: Store, run: Run, name: str, relink: bool, progress: Callable[[int], None] | None
) -> None:
    """Plan a namespace and write the plan down."""
    with store.engine.read() as tx:
        plan = make_plan(store, tx, name, tx.rules.all(), run.at, relink, progress)
        entries = hashed(tx, plan)
    with store.engine.write(durable=False, within=(name,)) as tx:
        tx.runs.plan(run.id, entries)
        tx.runs.tally(run.id, name, plan.evaluated, plan.applied, plan.clusters)
        tx.runs.reached(run.id, name)


def _carry_out(store: Store, run: Run) -> None:
    """Do what is planned, in batches that other processes can get between."""
    while True:
        with store.engine.write(durable=False) as tx:
            todo = tx.runs.todo(run.id, BATCH)
            for entry in todo:
                tx.runs.done(run.id, entry.seq, 1 if apply(store, tx, entry, run.at) else LEFT)
        if len(todo) < BATCH:
            return


def hashed(tx: Transaction, plan: Plan) -> list[Entry]:
    """Return the changes of a plan, each with the hash of what it is about."""
    rows = tx.memories.by_ids([entry.subject for entry in plan.entries if " " not in entry.subject])
    return [
        entry._replace(hash=digest(rows[entry.subject])) if entry.subject in rows else entry
        for entry in plan.entries
    ]


def report_of(tx: Transaction, run: Run, resumed: bool) -> Report:
    """Tell what a run did."""
    evaluated, applied, clusters = tx.runs.tallied(run.id)
    entries = [entry for entry in tx.runs.entries(run.id) if entry.done == 1]
    report = _told(tx, Report(run.id, False, run.at), entries)
    return replace(
        report,
        memories_evaluated=evaluated,
        rules_applied=applied,
        linked_clusters=tuple(map(tuple, clusters)),
        resumed=resumed,
    )


def _told(tx: Transaction, report: Report, entries: Sequence[Entry]) -> Report:
    """Count changes and name what they change."""
    counts: dict[str, Any] = Counter(COUNTED[entry.op] for entry in entries if entry.op in COUNTED)
    return replace(report, changes=tuple(changes_of(tx, entries)), **counts)


def changes_of(tx: Transaction, entries: Iterable[Entry]) -> list[Change]:
    """Return changes with the keys of what they change."""
    listed = list(entries)
    ids = {part for entry in listed for part in entry.subject.split(" ")[:2]}
    rows = tx.memories.by_ids(sorted(ids))
    found = []
    for entry in listed:
        start, to, rel = (*entry.subject.split(" "), None, None)[:3]
        one, other = rows.get(start or ""), rows.get(to or "")
        before, after = entry.before or {}, entry.after or {}
        if rel is not None:
            before, after = (
                {"weight": values["weight"]} if values else {} for values in (before, after)
            )
        found.append(
            Change(
                entry.ns,
                one.key if one else start or "",
                entry.op,
                entry.rule,
                before,
                after,
                other.key if other else to,
                rel,
            )
        )
    return found
