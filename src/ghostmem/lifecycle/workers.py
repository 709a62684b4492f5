"""Share one reflect run between several workers, on one machine or many.

The parts of a run are in a queue of the database. A worker is present as long as it holds its lock;
the parts of one that is gone become free again."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from ghostmem.lifecycle.plan import make_plan
from ghostmem.lifecycle.run_log import (
    VERB,
    apply_planned,
    new_run,
    relinks,
    report_of,
)
from ghostmem.model import NsFilter, Report, Run
from ghostmem.store import Store, names_of
from ghostmem.store.work_queue import POLL_SECONDS, claim_work

if TYPE_CHECKING:
    from ghostmem.store.postgres.engine import PostgresEngine
    from ghostmem.store.postgres.transaction import PostgresTransaction

ALL_QUEUED = "\U0010fffd"  # the place of a run whose namespaces are all in the queue
# The two parts of each namespace in the queue.
PLAN = "1 plan"
APPLY = "2 do"


def reflect_together(
    store: Store,
    engine: "PostgresEngine",
    scope: NsFilter,
    relink: bool,
    progress: Callable[[int], None] | None,
) -> Report:
    """Start a run, or join a run of others over the same namespaces, and work until it is done."""
    with engine.present() as holder:
        run, resumed = _begin(store, engine, scope, relink, holder)
        kind = f"{VERB} {run.id}"
        while True:
            with engine.write(durable=False, within=()) as tx:
                claimed = claim_work(store, tx, kind, holder, 1)
                remaining = 1 if claimed else tx.work.left(kind)
            if claimed:
                _work_on(store, engine, run, kind, *claimed[0], progress)
            elif remaining:
                time.sleep(POLL_SECONDS)
            else:
                break
    with engine.write() as tx:
        if run.id in tx.runs.holders():  # otherwise another worker has finished it
            tx.runs.update(run.id, finished_at=store.clock())
        return report_of(tx, run, resumed)


def _begin(
    store: Store, engine: "PostgresEngine", scope: NsFilter, relink: bool, holder: str
) -> tuple[Run, bool]:
    """Join or resume a run of the same namespaces, or begin one; wait for a run of others."""
    while True:
        with engine.write() as tx:
            unfinished = tx.runs.unfinished(VERB, str(scope))
            present = {
                run_id for run_id, worker in tx.runs.holders().items() if tx.work.is_present(worker)
            }
            if unfinished is not None and present <= {unfinished[0].id}:
                run, place = unfinished
                if run.id not in present:
                    tx.runs.update(run.id, holder=holder)
                if place != ALL_QUEUED:  # another engine began it
                    tx.work.offer(
                        f"{VERB} {run.id}",
                        [(entry.ns, APPLY) for entry in tx.runs.todo(run.id, -1)],
                    )
                    _offer_namespaces(
                        tx, run, [name for name in names_of(tx, scope) if name > place]
                    )
                return run, run.id not in present
            if not present:
                run = new_run(store, scope, relink)
                tx.runs.begin(run, holder)
                _offer_namespaces(tx, run, names_of(tx, scope))
                return run, False
        time.sleep(POLL_SECONDS)


def _offer_namespaces(tx: "PostgresTransaction", run: Run, names: Sequence[str]) -> None:
    """Put all namespaces of a run in the queue, once."""
    tx.work.offer(f"{VERB} {run.id}", [(name, PLAN) for name in names])
    tx.runs.update(run.id, place=ALL_QUEUED)


def _work_on(
    store: Store,
    engine: "PostgresEngine",
    run: Run,
    kind: str,
    ns: str,
    item: str,
    progress: Callable[[int], None] | None,
) -> None:
    """Plan the changes of a namespace, or make those that were planned."""
    if item == PLAN:
        with engine.read(ns) as tx:
            plan = make_plan(store, tx, ns, tx.rules.all(), run.at, relinks(run), progress)
        with engine.write(durable=False, within=(ns,)) as tx:
            if tx.work.done(kind, ns, PLAN):  # only one worker stores the plan
                tx.runs.plan(run.id, plan.entries)
                tx.runs.tally(run.id, plan.tally)
                tx.work.offer(kind, [(ns, APPLY)])
        return
    apply_planned(
        store, run, ns, lambda tx: cast("PostgresTransaction", tx).work.done(kind, ns, APPLY)
    )
