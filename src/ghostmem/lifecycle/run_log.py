"""The stored record of a reflect run: make its planned changes, report them, and reverse them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ghostmem.errors import ConflictError, NotFoundError
from ghostmem.frozen import frozen
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.write import index_memory
from ghostmem.model import Change, Edge, Memory, NsFilter, Record, Rel, Report, Run, Tier, optional
from ghostmem.store import (
    AuditEntry,
    Store,
    Tally,
    Transaction,
    record_of,
    retag,
    validate,
    values_of,
)

CHANGES_PER_TRANSACTION = 500
VERB = "reflect"
_VERB_WITH_RELINK = f"{VERB} --relink"
DUPLICATE_OPS = ("DEDUP", "MERGE")  # only valid as long as the kept memory exists
APPLIED = 1  # the state of a change that was made
SKIPPED = 2  # the state of a change whose subject had changed meanwhile
# the field of the report that counts the changes of an action
COUNTED = {
    "PROMOTE": "promoted",
    "DEMOTE": "demoted",
    "DECAY": "decayed",
    "DELETE": "deleted",
    "ARCHIVE": "archived",
    "TTL_SET": "expiring",
    "PIN": "pinned",
    "DEDUP": "deduplicated",
    "MERGE": "merged",
    "LINK": "linked",
    "FADE": "edges_decayed",
    "PRUNE": "edges_pruned",
    "RELINK": "relinked",
}


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


def digest(memory: Memory) -> str:
    """Return a short hash of a memory's content."""
    return hashlib.sha256(memory.content.encode()).hexdigest()[:16]


def apply_all(
    store: Store,
    tx: Transaction,
    entries: Sequence[AuditEntry],
    now: datetime,
    back: bool = False,
) -> dict[int, bool]:
    """Make changes in order, or reverse them with `back`.

    Returns by the number of each change whether it was made. It is not if its subject has changed
    since it was planned, or is protected now."""
    ids = [entry.subject for entry in entries if " " not in entry.subject]
    memories = tx.memories.by_ids(ids)
    superseded = tx.memories.superseded(ids) if ids else set()
    results: dict[int, bool] = {}
    for entry in entries:
        before, after = (entry.after, entry.before) if back else (entry.before, entry.after)
        if " " in entry.subject:
            results[entry.seq] = _edge(tx, entry.subject, before, after, back)
            continue
        memory = memories.pop(entry.subject, None) or tx.memories.by_id(entry.subject)
        values = None
        if memory is not None and memory.id not in superseded:
            values, bound = _new_values(memory, before, after, back), tx.of(memory.ns)
            is_duplicate = not back and entry.op in DUPLICATE_OPS
            if values is None or (is_duplicate and not _has_kept_memory(bound, memory, now)):
                values = None
            else:
                _write(store, bound, memory, entry.op.lower(), values, now)
        results[entry.seq] = values is not None
    return results


def _new_values(
    memory: Memory, before: dict[str, Any] | None, after: dict[str, Any] | None, back: bool
) -> dict[str, Any] | None:
    """Return the new fields of a memory, or None if it must not be changed."""
    if (
        before is None
        or after is None
        or any(getattr(memory, name) != value for name, value in values_of(Memory, before).items())
        or (not back and (memory.protected or memory.deleted_at is not None))
    ):
        return None
    return values_of(Memory, after)


def _has_kept_memory(tx: Transaction, memory: Memory, now: datetime) -> bool:
    """Say whether the memory that a duplicate was merged into is current and not dormant."""
    kept_ids = [
        edge.to_id
        for edge in tx.graph.touching([memory.id], [Rel.MERGED_INTO])
        if edge.from_id == memory.id
    ]
    return any(
        survivor.is_current(now) and survivor.tier != Tier.DORMANT
        for survivor in tx.memories.by_ids(kept_ids).values()
    )


def _write(
    store: Store, tx: Transaction, memory: Memory, op: str, values: dict[str, Any], now: datetime
) -> None:
    """Change the fields of a memory, and update the index and the queue of unlinked memories."""
    if values.get("deleted_at"):
        tx.index.remove(memory)
    tx.memories.change(memory, op, now, **values)
    if "deleted_at" in values and values["deleted_at"] is None:
        index_memory(store, tx, replace(memory, **values))
    elif "tags" in values and not values.get("deleted_at"):
        retag(tx, memory, values["tags"])
    if "tier" in values and memory.tier == Tier.SENSORY:
        tx.index.wait(memory.id)
    elif values.get("tier") == Tier.SENSORY:
        tx.graph.linked([memory.id])


def _edge(
    tx: Transaction,
    subject: str,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    back: bool,
) -> bool:
    """Add, change or drop an edge.

    When it is reversed, one end may be a memory whose removal is reversed after it."""
    start, to, rel = subject.split(" ")
    edge = tx.graph.edge(start, to, Rel(rel))
    if before is None:
        ends = tx.memories.by_ids([start, to])
        if (
            edge is not None
            or len(ends) < 2
            or (not back and any(end.deleted_at for end in ends.values()))
        ):
            return False
        new = record_of("edge", after or {})
        return isinstance(new, Edge) and tx.graph.add_edge(new)
    if edge is None or edge.weight != before["weight"]:
        return False
    if after is None:
        return tx.graph.drop_edge(start, to, Rel(rel))
    tx.graph.put_edge(replace(edge, weight=after["weight"]))
    return True


@frozen
class Undone(Record):
    """A reversed run, and the changes that stay because their subject has changed since."""

    run: str
    dry_run: bool
    undone: int
    left: tuple[Change, ...] = optional(())


def runs(store: Store, *, limit: int = 20) -> list[Run]:
    """Return the lifecycle runs, newest first.

    Args:
        limit: Maximum number of runs.
    """
    with store.engine.read() as tx:
        return tx.runs.all(validate.positive(limit, "limit"))


def undo(store: Store, run: str, *, dry_run: bool = False) -> Undone:
    """Revert all changes of a lifecycle run.

    Memories that changed since are left alone and listed in the result.

    Args:
        run: Id of the run, the start of it, or "last".
        dry_run: Change nothing; report what would happen.

    Raises:
        ConflictError: The run was already undone.
    """
    validate.flags(dry_run=dry_run)
    with store.engine.write(dry_run=dry_run) as tx:
        chosen = _find(tx, validate.text(run, "run"))
        if chosen.undone_at is not None:
            raise ConflictError(
                f"run {chosen.id} was already undone", "`ghost undo` lists the runs"
            )
        now = store.clock()
        entries = tx.runs.entries(chosen.id, newest_first=True)
        applied = [entry for entry in entries if entry.done == APPLIED]
        undone = apply_all(store, tx, applied, now, back=True)
        left = changes_of(tx, [entry for entry in applied if not undone[entry.seq]])
        tx.runs.done(
            chosen.id,
            (entry._replace(done=SKIPPED) for entry in entries if entry.done == 0),
        )
        tx.runs.update(chosen.id, finished_at=chosen.finished_at or now, undone_at=now)
    if not dry_run:
        catch_up(store, link=False)  # an undo adds nothing to link
    return Undone(chosen.id, dry_run, sum(undone.values()), tuple(left))


def find_run(store: Store, run_id: str) -> Run | None:
    """Return the run with an id."""
    with store.engine.read() as tx:
        return tx.runs.get(validate.text(run_id, "run").upper())


def _find(tx: Transaction, name: str) -> Run:
    """Return the run that a beginning of its id names, or the newest that was not undone."""
    if name == "last":
        newest = tx.runs.newest_not_undone()
        matching = [newest] if newest else []
    else:
        matching = tx.runs.starting(name.upper()) if name else []
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise NotFoundError(
            f"{name!r} is the beginning of {len(matching)} runs",
            "give more of the id; `ghost undo` lists them",
        )
    problem = f"there is no run {name!r}"
    if name == "last":
        problem = "every run is undone already" if tx.runs.all(1) else "there are no runs to undo"
    raise NotFoundError(problem, "`ghost undo` lists the runs")
