"""share: several workers, on one machine or many, do one backfill or one reflect together, each
piece once.

Pieces lie in a queue of the database. A worker is there as long as a lock of his is held; what one
had who is gone is free again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ghostmem.model import NsFilter, Report, Run
from ghostmem.store.work_queue import POLL_SECONDS, claim_work

if TYPE_CHECKING:
    from ghostmem.store.protocol import SharedEngine, SharedTransaction
    from ghostmem.store.store import Store

ALL = "\U0010fffd"  # the place of a run whose namespaces are all on the queue, or done
PLAN, DO = "1 plan", "2 do"  # the two pieces that a namespace is in a reflect


def reflect_together(
    store: Store,
    engine: SharedEngine,
    scope: NsFilter,
    relink: bool,
    progress: Callable[[int], None] | None,
) -> Report:
    """Make a run, or take part in one that others make over the same namespaces, until all of it is
    done.
    """
    from ghostmem.lifecycle.reflect import VERB, report_of

    with engine.present() as holder:
        run, resumed = _begin(store, engine, scope, relink, holder)
        kind = f"{VERB} {run.id}"
        while True:
            with engine.write(durable=False, within=()) as tx:
                taken = claim_work(store, tx, kind, holder, 1)
                left = 1 if taken else tx.work.left(kind)
            if taken:
                _piece(store, engine, run, kind, *taken[0], progress)
            elif left:
                time.sleep(POLL_SECONDS)
            else:
                break
    with engine.write() as tx:
        if run.id in tx.runs.holders():  # else another has finished it
            tx.runs.finish(run.id, store.clock())
        return report_of(tx, run, resumed)


def _begin(
    store: Store, engine: SharedEngine, scope: NsFilter, relink: bool, holder: str
) -> tuple[Run, bool]:
    """Find a run of the same namespaces to take part in or to go on with, or begin one.

    Wait for a run of others.
    """
    from ghostmem.lifecycle.reflect import VERB, names_of

    while True:
        with engine.write() as tx:
            found = tx.runs.unfinished(VERB, str(scope))
            present = {
                run_id for run_id, other in tx.runs.holders().items() if tx.work.is_present(other)
            }
            if found is not None and present <= {found[0].id}:
                run, place = found
                if run.id not in present:
                    tx.runs.hold(run.id, holder)
                if place != ALL:  # another engine began it
                    tx.work.offer(
                        f"{VERB} {run.id}", [(entry.ns, DO) for entry in tx.runs.todo(run.id, -1)]
                    )
                    _offer_namespaces(
                        tx, run, [name for name in names_of(tx, scope) if name > place]
                    )
                return run, run.id not in present
            if not present:
                at = store.clock()
                run = Run(store.new_id(at), f"{VERB} --relink" if relink else VERB, str(scope), at)
                tx.runs.begin(run, holder)
                _offer_namespaces(tx, run, names_of(tx, scope))
                return run, False
        time.sleep(POLL_SECONDS)


def _offer_namespaces(tx: SharedTransaction, run: Run, names: Sequence[str]) -> None:
    """Put namespaces on the queue, once a run: it has no other place to go on from."""
    from ghostmem.lifecycle.reflect import VERB

    tx.work.offer(f"{VERB} {run.id}", [(name, PLAN) for name in names])
    tx.runs.reached(run.id, ALL)


def _piece(
    store: Store, engine: SharedEngine, run: Run, kind: str, ns: str, item: str, progress: Any
) -> None:
    from ghostmem.lifecycle.apply import apply
    from ghostmem.lifecycle.plan import make_plan
    from ghostmem.lifecycle.reflect import BATCH, LEFT, VERB, hashed

    if item == PLAN:
        with engine.read() as tx:
            plan = make_plan(store, tx, ns, tx.rules.all(), run.at, run.verb != VERB, progress)
            entries = hashed(tx, plan)
        with engine.write(durable=False, within=(ns,)) as tx:
            if tx.work.done(kind, ns, PLAN):  # what is planned is planned once
                tx.runs.plan(run.id, entries)
                tx.runs.tally(run.id, ns, plan.evaluated, plan.applied, plan.clusters)
                tx.work.offer(kind, [(ns, DO)])
        return
    while True:
        with engine.write(durable=False, within=(ns,)) as tx:
            todo = tx.runs.todo(run.id, BATCH, ns)
            for entry in todo:
                tx.runs.done(run.id, entry.seq, 1 if apply(store, tx, entry, run.at) else LEFT)
            if len(todo) < BATCH:
                tx.work.done(kind, ns, DO)
                return
