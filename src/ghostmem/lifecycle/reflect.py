"""Run the rules of the lifecycle over all memories, in a way that `undo` can reverse."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable

from ghostmem.lifecycle.plan import make_plan
from ghostmem.lifecycle.run_log import (
    SKIPPED,
    VERB,
    apply_planned,
    new_run,
    relinks,
    report_of,
    with_changes,
)
from ghostmem.lifecycle.workers import reflect_together
from ghostmem.model import NsFilter, Report, Run
from ghostmem.store import Store, names_of, validate
from ghostmem.store.work_queue import is_alive, shared

POLL_SECONDS = 0.1  # time between checks whether another process has finished
_ACTIVE: set[str] = set()  # runs of threads of this process

Progress = Callable[[int], None]


def reflect(
    store: Store,
    ns: str | None = None,
    *,
    dry_run: bool = False,
    relink: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Run the lifecycle rules over all memories; `undo` reverts the run.

    Pinned and locked memories are exempt. An interrupted run is finished by the next one.

    Args:
        ns: Namespace, prefix such as "agent:*", or None for all.
        dry_run: Change nothing; report what would happen.
        relink: Also link memories that share names, topics or meaning.
        progress: Called with the number of memories evaluated.
    """
    validate.flags(dry_run=dry_run, relink=relink)
    scope = validate.ns_filter(ns)
    if dry_run:
        return _dry_run(store, scope, relink, progress)
    if (engine := shared(store)) is not None:
        return reflect_together(store, engine, scope, relink, progress)
    run, place, resumed = _begin(store, scope, relink)
    try:
        if resumed:
            apply_planned(store, run)
        with store.engine.read() as tx:
            names = names_of(tx, scope)
        for name in names:
            if name > place:
                with store.engine.read(name) as tx:
                    plan = make_plan(
                        store, tx, name, tx.rules.all(), run.at, relinks(run), progress
                    )
                with store.engine.write(durable=False, within=(name,)) as tx:
                    tx.runs.plan(run.id, plan.entries)
                    tx.runs.tally(run.id, plan.tally)
                    tx.runs.update(run.id, place=name)
                apply_planned(store, run)
        with store.engine.write() as tx:
            tx.runs.update(run.id, finished_at=store.clock())
            return report_of(tx, run, resumed)
    finally:
        _ACTIVE.discard(run.id)


def _dry_run(store: Store, scope: NsFilter, relink: bool, progress: Progress | None) -> Report:
    """Return the changes of the next run: a new one, or the rest of an interrupted one."""
    with store.engine.read() as tx:
        unfinished = tx.runs.unfinished(VERB, str(scope))
        run, place = unfinished or (Run("", VERB, str(scope), store.clock()), "")
        relink = relinks(run) if unfinished else relink
        rules = tx.rules.all()
        plans = [
            make_plan(store, tx, name, rules, run.at, relink, progress)
            for name in names_of(tx, scope)
            if name > place
        ]
        entries = [entry for entry in tx.runs.entries(run.id) if entry.done != SKIPPED]
        entries += [entry for plan in plans for entry in plan.entries]
        tallies = [tx.runs.tallied(run.id)] if unfinished else []
        tallies += [plan.tally for plan in plans]
        return with_changes(
            tx, Report(run.id, True, run.at, resumed=unfinished is not None), entries, *tallies
        )


def _begin(store: Store, scope: NsFilter, relink: bool) -> tuple[Run, str, bool]:
    """Resume an interrupted run or begin one; wait while another process has one.

    Returns the run, the last namespace that was planned, and whether it was resumed."""
    holder = f"{socket.gethostname()} {os.getpid()}"
    while True:
        with store.engine.write() as tx:
            if not any(_is_running(*run) for run in tx.runs.holders().items()):
                unfinished = tx.runs.unfinished(VERB, str(scope))
                run, place = unfinished or (new_run(store, scope, relink), "")
                if unfinished is None:
                    tx.runs.begin(run, holder)
                else:
                    tx.runs.update(run.id, holder=holder)
                _ACTIVE.add(run.id)
                return run, place, unfinished is not None
        time.sleep(POLL_SECONDS)


def _is_running(run_id: str, holder: str) -> bool:
    """Say whether a live thread of this process or process of this machine has a run."""
    host, _, pid = holder.rpartition(" ")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return run_id in _ACTIVE if int(pid) == os.getpid() else is_alive(int(pid))
