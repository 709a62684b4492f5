"""share: several workers, on one machine or many, do one backfill or one reflect together, each piece once.

Pieces lie in a queue of the database. A worker is there as long as a lock of his is held; what one had who is gone is free again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from ghostmem.model import NsFilter
from ghostmem.report import Report, Run
from ghostmem.text.chunk import CHUNKER
from ghostmem.verbs.indexing import spoken, vector_bytes

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder
    from ghostmem.engine.postgres import PostgresEngine
    from ghostmem.engine.postgres.transaction import PostgresTransaction
    from ghostmem.verbs.store import Store

LEASE = timedelta(minutes=30)  # a worker who is there but does nothing for so long loses his pieces
TURN = 0.1  # seconds until one looks again when all that is left is in others' hands
WINDOW = 1024  # pieces offered at once
ALL = "\U0010fffd"  # the place of a run whose namespaces are all on the queue, or done
PLAN, DO = "1 plan", "2 do"  # the two pieces that a namespace is in a reflect


def shared(store: Store) -> PostgresEngine | None:
    """Return the engine if workers can share a job on it."""
    return cast("PostgresEngine", store.engine) if getattr(store.engine, "shared", False) else None


def embed_together(
    store: Store, engine: PostgresEngine, embedder: Embedder, size: int, progress: Callable[[int], None] | None, after: int
) -> int:
    """Give chunks vectors until none lacks one, whoever else does so too, and return how many were given here."""
    done = 0
    with engine.write(durable=False, within=()) as tx:
        model = tx.vectors.model(embedder.model, embedder.dimension, CHUNKER)
    kind = f"embed {model}"
    with engine.present() as holder:
        while True:
            with engine.write(durable=False, within=()) as tx:
                taken = _take(store, tx, kind, holder, size) or _offer_chunks(store, tx, kind, holder, model, after, size)
                left = 0 if taken else tx.work.left(kind)
            if taken:
                done += _embed(engine, embedder, kind, model, taken)
                store.vectoriser.problem = ""
                if progress is not None:
                    progress(done)
            elif left:
                time.sleep(TURN)
            else:
                return done


def _take(store: Store, tx: PostgresTransaction, kind: str, holder: str, size: int) -> list[tuple[str, str]]:
    """Claim some pieces; when there are none, those of workers who are gone."""
    now = store.clock()
    found = tx.work.claim(kind, holder, now + LEASE, size, now)
    if not found and tx.work.free_the_dead(kind):
        found = tx.work.claim(kind, holder, now + LEASE, size, now)
    return found


def _offer_chunks(
    store: Store, tx: PostgresTransaction, kind: str, holder: str, model: int, after: int, size: int
) -> list[tuple[str, str]]:
    """Put the next chunks without a vector on the queue, and claim some of them."""
    missing = list(tx.vectors.missing(model, after, WINDOW))
    if not tx.work.offer(kind, [(tx.places.space(space), str(chunk)) for space, chunk, _, _ in missing]):
        return []
    return _take(store, tx, kind, holder, size)


def _embed(engine: PostgresEngine, embedder: Embedder, kind: str, model: int, taken: Sequence[tuple[str, str]]) -> int:
    """Embed claimed chunks and take them off the queue with their vectors; one that has its vector by now is only taken off."""
    by_ns: dict[str, list[int]] = {}
    for ns, item in taken:
        by_ns.setdefault(ns, []).append(int(item))
    with engine.read() as tx:
        batch = [row for ns, chunks in by_ns.items() for row in tx.vectors.lacking(model, ns, chunks)]
    vectors = vector_bytes(embedder, [spoken(text, source) for _, _, text, source in batch]) if batch else []
    with engine.write(durable=False, within=by_ns) as tx:
        rows = [(space, chunk, vector) for (space, chunk, _, _), vector in zip(batch, vectors, strict=True)]
        made = tx.vectors.put(model, rows) if rows else 0
        for ns, item in taken:
            tx.work.done(kind, ns, item)
    return made


def reflect_together(
    store: Store, engine: PostgresEngine, scope: NsFilter, relink: bool, progress: Callable[[int], None] | None
) -> Report:
    """Make a run, or take part in one that others make over the same namespaces, until all of it is done."""
    from ghostmem.verbs.reflect import VERB, report_of

    with engine.present() as holder:
        run, resumed = _begin(store, engine, scope, relink, holder)
        kind = f"{VERB} {run.id}"
        while True:
            with engine.write(durable=False, within=()) as tx:
                taken = _take(store, tx, kind, holder, 1)
                left = 1 if taken else tx.work.left(kind)
            if taken:
                _piece(store, engine, run, kind, *taken[0], progress)
            elif left:
                time.sleep(TURN)
            else:
                break
    with engine.write() as tx:
        if run.id in tx.runs.holders():  # else another has finished it
            tx.runs.finish(run.id, store.clock())
        return report_of(tx, run, resumed)


def _begin(store: Store, engine: PostgresEngine, scope: NsFilter, relink: bool, holder: str) -> tuple[Run, bool]:
    """Find a run of the same namespaces to take part in or to go on with, or begin one; wait for a run of others."""
    from ghostmem.verbs.reflect import VERB, names_of

    while True:
        with engine.write() as tx:
            found = tx.runs.unfinished(VERB, str(scope))
            present = {run_id for run_id, other in tx.runs.holders().items() if tx.work.is_present(other)}
            if found is not None and present <= {found[0].id}:
                run, place = found
                if run.id not in present:
                    tx.runs.hold(run.id, holder)
                if place != ALL:  # another engine began it
                    tx.work.offer(f"{VERB} {run.id}", [(entry.ns, DO) for entry in tx.runs.todo(run.id, -1)])
                    _offer_namespaces(tx, run, [name for name in names_of(tx, scope) if name > place])
                return run, run.id not in present
            if not present:
                at = store.clock()
                run = Run(store.new_id(at), f"{VERB} --relink" if relink else VERB, str(scope), at)
                tx.runs.begin(run, holder)
                _offer_namespaces(tx, run, names_of(tx, scope))
                return run, False
        time.sleep(TURN)


def _offer_namespaces(tx: PostgresTransaction, run: Run, names: Sequence[str]) -> None:
    """Put namespaces on the queue, once a run: it has no other place to go on from."""
    from ghostmem.verbs.reflect import VERB

    tx.work.offer(f"{VERB} {run.id}", [(name, PLAN) for name in names])
    tx.runs.reached(run.id, ALL)


def _piece(store: Store, engine: PostgresEngine, run: Run, kind: str, ns: str, item: str, progress: Any) -> None:
    from ghostmem.verbs.apply import apply
    from ghostmem.verbs.plan import make_plan
    from ghostmem.verbs.reflect import BATCH, LEFT, VERB, hashed

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
