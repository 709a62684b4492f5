"""The stored record of a reflect run: its settings, planned changes, and the report of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ghostmem.lifecycle.apply import APPLIED, SKIPPED, apply_all
from ghostmem.lifecycle.plan import COUNTED
from ghostmem.model import Change, NsFilter, Report, Run
from ghostmem.store import AuditEntry, Store, Transaction
from ghostmem.store.tally import Tally

CHANGES_PER_TRANSACTION = 500
VERB = "reflect"
_VERB_WITH_RELINK = f"{VERB} --relink"


def new_run(store: Store, scope: NsFilter, relink: bool) -> Run:
    """Return a run that begins now."""
    now = store.clock()
    return Run(store.new_id(now), _VERB_WITH_RELINK if relink else VERB, str(scope), now)


def relinks(run: Run) -> bool:
    """Say whether a run adds missing edges too; one that is resumed keeps this setting."""
    return run.verb == _VERB_WITH_RELINK


def report_of(tx: Transaction, run: Run, resumed: bool) -> Report:
    """Return the report of a finished run."""
    entries = [entry for entry in tx.runs.entries(run.id) if entry.done == APPLIED]
    return with_changes(
        tx, Report(run.id, False, run.at, resumed=resumed), entries, tx.runs.tallied(run.id)
    )


def apply_planned(
    store: Store,
    run: Run,
    ns: str | None = None,
    on_last: Callable[[Transaction], object] | None = None,
) -> None:
    """Make the planned changes, in batches that let other processes in between.

    `on_last` is called in the transaction of the last batch."""
    is_last = False
    while not is_last:
        with store.engine.write(durable=False, within=None if ns is None else (ns,)) as tx:
            todo = tx.runs.todo(run.id, CHANGES_PER_TRANSACTION, ns)
            results = apply_all(store, tx, todo, run.at)
            states = {True: APPLIED, False: SKIPPED}
            tx.runs.done(run.id, (each._replace(done=states[results[each.seq]]) for each in todo))
            is_last = len(todo) < CHANGES_PER_TRANSACTION
            if is_last and on_last is not None:
                on_last(tx)


def with_changes(
    tx: Transaction, report: Report, entries: Sequence[AuditEntry], *tallies: Tally
) -> Report:
    """Return a report with these changes, their counts, and the sum of some tallies."""
    counts: dict[str, Any] = Counter(COUNTED[entry.op] for entry in entries if entry.op in COUNTED)
    return replace(
        report,
        changes=tuple(changes_of(tx, entries)),
        memories_evaluated=sum(tally.evaluated for tally in tallies),
        rules_applied=sum(tally.applied for tally in tallies),
        linked_clusters=tuple(tuple(group) for tally in tallies for _, group in tally.clusters),
        notes=tuple(note for tally in tallies for note in tally.notes),
        **counts,
    )


def changes_of(tx: Transaction, entries: Sequence[AuditEntry]) -> list[Change]:
    """Return changes with the keys of the memories they change."""
    ids = {part for entry in entries for part in entry.subject.split(" ")[:2]}
    keys = {id_: size.key for id_, size in tx.memories.sizes(sorted(ids)).items()}
    changes = []
    for entry in entries:
        start, to, rel = (*entry.subject.split(" "), None, None)[:3]
        before, after = entry.before or {}, entry.after or {}
        if rel is not None:
            before, after = (
                {"weight": values["weight"]} if values else {} for values in (before, after)
            )
        changes.append(
            Change(
                entry.ns,
                keys.get(start or "", start or ""),
                entry.op,
                entry.rule,
                before,
                after,
                keys.get(to or "", to),
                rel,
            )
        )
    return changes
