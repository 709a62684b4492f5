"""How memories moved between tiers, day by day, and which lifecycle runs moved them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta

from ghostmem.errors import NotFoundError
from ghostmem.grouping import grouped
from ghostmem.lifecycle.run_log import APPLIED, changes_of
from ghostmem.model import NsFilter, Run, Tier
from ghostmem.store import AuditEntry, Filter, Store, Transaction, validate
from ghostmem.web.rows import Row

MAX_RUNS = 100
MAX_CHANGES = 1000  # of one run


def flow(store: Store, ns: str | None = None, *, days: int = 30) -> Row:
    """Return the tiers at the end of the last days, and the runs in these namespaces, newest first.

    Only live memories are followed back; removed memories appear only in the runs, and manual
    changes are not known.
    """
    which = validate.ns_filter(ns)
    validate.positive(days, "days")
    now = store.clock()
    with store.engine.read() as tx:
        live = {(m.ns, m.key): m for m in tx.listing.scan(Filter(ns=which, now=now), batch=5_000)}
        runs = [
            (run, entries)
            for run in tx.runs.all(MAX_RUNS)
            if (entries := _made(tx, run, which)) or which.matches(run.scope)
        ]
        subjects = sorted(
            {
                e.subject
                for run, entries in runs
                if run.undone_at is None
                for e in entries
                if _tiers(e)
            }
        )
        names = {id_: (m.ns, m.key) for id_, m in tx.memories.by_ids(subjects).items()}
    place = {name: str(memory.tier) for name, memory in live.items()}
    born = {name: memory.written_at for name, memory in live.items()}
    moved = [
        (run.finished_at or run.at, names[e.subject], *step)
        for run, entries in runs
        if run.undone_at is None
        for e in entries
        if (step := _tiers(e)) and names.get(e.subject) in live
    ]
    return {
        "ns": which,
        "tiers": Counter(place.values()),
        "days": _days(place, born, moved, now.date(), days),
        "runs": [
            {
                "run": run,
                "ops": Counter(e.op for e in entries),
                "moves": _moves(filter(None, map(_tiers, entries))),
            }
            for run, entries in runs
        ],
    }


def run_changes(store: Store, run: str) -> Row:
    """Return the changes of a run, oldest first; `total` counts all of them."""
    with store.engine.read() as tx:
        if (found := tx.runs.get(validate.text(run, "run").strip().upper())) is None:
            raise NotFoundError(
                f"there is no run {validate.shown(run)}", "`ghost undo` lists the runs"
            )
        entries = _made(tx, found, NsFilter())
        return {
            "run": found,
            "changes": list(changes_of(tx, entries[:MAX_CHANGES])),
            "total": len(entries),
        }


def _made(tx: Transaction, run: Run, which: NsFilter) -> list[AuditEntry]:
    return [
        entry
        for entry in tx.runs.entries(run.id)
        if entry.done == APPLIED and which.matches(entry.ns)
    ]


def _tiers(entry: AuditEntry) -> tuple[str, str] | None:
    """Return the tiers that a change moved a memory between."""
    before, after = (entry.before or {}).get("tier"), (entry.after or {}).get("tier")
    return (
        (before, after)
        if before and after and before != after and " " not in entry.subject
        else None
    )


def _moves(steps: Iterable[tuple[str, str]]) -> list[Row]:
    return [
        {"before": before, "after": after, "count": count}
        for (before, after), count in sorted(Counter(steps).items())
    ]


def _days(
    place: dict[tuple[str, str], str],
    born: Mapping[tuple[str, str], datetime],
    moved: list[tuple[datetime, tuple[str, str], str, str]],
    today: date,
    days: int,
) -> list[Row]:
    """Return the tiers of each day, reverting the changes of each day from today on."""
    totals = Counter(place.values())
    births = grouped((at.date(), name) for name, at in born.items())
    steps = grouped((step[0].date(), step) for step in moved)
    flow_days = []
    for back in range(days):
        day = today - timedelta(days=back)
        done, made = sorted(steps.get(day, ()), reverse=True), births.get(day, ())
        moves = _moves((before, after) for _, _, before, after in done)
        flow_days.append(
            {
                "day": day.isoformat(),
                "tiers": {str(tier): totals[str(tier)] for tier in Tier},
                "created": len(made),
                **({"moves": moves} if moves else {}),
            }
        )
        for _, name, before, _after in done:
            totals[place[name]] -= 1
            totals[before] += 1
            place[name] = before
        for name in made:
            totals[place[name]] -= 1
    return flow_days[::-1]
